package io.muster.daemon.relay;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.problem.InvalidException;
import io.muster.protocol.acquire.First;
import io.muster.protocol.acquire.HeldView;
import io.muster.protocol.acquire.Next;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The acquisition of a scheduler on this host. The relay acquires with an owner, so the acquisition outlives the connection
 * to the daemon, and the scheduler's stream stays open while the daemon is away. If the relay's stream ends after the first
 * response, for any reason, the relay acquires again, until the scheduler disconnects or cancels.
 */
final class Held {
    private static final Logger log = LoggerFactory.getLogger("relay");

    private static final String TOPIC = "resource.acquire";
    private static final long PAUSE_MILLIS = 1000;

    private final Request request;
    private final Upstream upstream;
    private final Local local;
    private final String owner;
    private @Nullable HeldView view;
    /** Whether the next response is the first one of a stream. */
    private boolean fresh = true;

    private String refusal = "";
    /** Whether the daemon has ended the relay's stream, which the relay opens again soon. */
    private boolean paused;

    private boolean cancelled;
    private boolean closed;

    private Held(Request request, Upstream upstream, Local local, String owner) {
        this.request = request;
        this.upstream = upstream;
        this.local = local;
        this.owner = owner;
    }

    /** Returns the acquisition that a request opens; null if it opens none, or one whose owner the scheduler itself has named. */
    static @Nullable Held of(Request request, Upstream upstream, Local local) {
        if (!request.topic().equals(TOPIC) || !request.isStreaming() || namesAnOwner(request)) {
            return null;
        }
        return new Held(
                request,
                upstream,
                local,
                upstream.takeOwner(request.credentials().userid()));
    }

    private static boolean namesAnOwner(Request request) {
        try {
            return Owner.parse(request.payload()) != null;
        } catch (RpcException e) {
            return true; // the daemon refuses the request with a sentence
        }
    }

    /** Returns the request that the daemon is sent. */
    Request request() {
        fresh = true;
        paused = false;
        ObjectNode payload = new Owner(owner, Acquisition.DEFAULT_GRACE).toJson();
        return local.onward(new Request(
                request.header(),
                request.routes(),
                request.topic(),
                Json.encode(payload),
                request.nodeid(),
                request.matchtag()));
    }

    void receive(Response response) {
        if (response.errnum() != 0) {
            refused(response);
            return;
        }
        Bytes payload = response.payload();
        try {
            if (payload == null) {
                throw new ProtocolException("a response to resource.acquire without a payload");
            }
            take(response, Json.parse(payload));
        } catch (ProtocolException | InvalidException e) {
            log.error("what the daemon says about {} cannot be used: {}", owner, e.getMessage());
            if (view == null) {
                local.fail(request, Errno.EPROTO, String.valueOf(e.getMessage()));
            }
        }
    }

    private void take(Response response, ObjectNode payload) {
        refusal = "";
        HeldView before = view;
        if (before == null) {
            view = HeldView.first(First.parse(payload));
            fresh = false;
            local.pass(response);
            return;
        }
        HeldView.Step step = fresh ? before.again(First.parse(payload)) : before.next(Next.parse(payload));
        fresh = false;
        view = step.after();
        Next update = step.update();
        if (update != null) {
            local.update(request, Json.encode(update.toJson()));
        }
    }

    /**
     * Handles an error from the daemon. The error is passed to a scheduler that has not acquired or has cancelled; for any
     * other scheduler the relay acquires again.
     */
    private void refused(Response response) {
        if (view == null || cancelled) {
            local.pass(response);
            return;
        }
        Bytes payload = response.payload();
        String sentence = payload == null ? new Errno(response.errnum()).text() : payload.text();
        if (!sentence.equals(refusal)) {
            refusal = sentence;
            log.warn("the acquisition {} was ended: {}; the relay acquires again every second", owner, sentence);
        }
        paused = true;
        upstream.later(PAUSE_MILLIS, () -> {
            if (!closed && paused) {
                upstream.send(request());
            }
        });
    }

    /** Records that the daemon has no stream. The relay sends {@link #request} to the leader when it finds the leader. */
    void refusedByStandby() {
        paused = true;
    }

    /**
     * Ends the stream, because the scheduler has cancelled it. If the daemon cannot be reached, the daemon ends the
     * acquisition when the time for which it waits for the owner is over.
     */
    void cancel() {
        cancelled = true;
        if (paused || !upstream.isReady()) {
            local.fail(request, Errno.ECANCELED, Errno.ECANCELED.text());
        }
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Ends the acquisition, because the scheduler has disconnected. */
    void abandon() {
        Request cancel = new Request(
                Header.flags(Header.NORESPONSE).with(request.credentials()),
                request.routes(),
                TOPIC + "-cancel",
                new Cancellation(request.matchtag()).encode(),
                Request.NODEID_ANY,
                Request.MATCHTAG_NONE);
        upstream.send(local.onward(cancel));
        close();
    }

    void close() {
        if (!closed) {
            closed = true;
            upstream.giveOwner(owner);
        }
    }
}
