package io.muster.protocol.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.rpc.Topic;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The responses of a streaming RPC (RFC 6). {@link #hasNext} waits for the first response with the timeout of the client, and for
 * later responses without end, because streams are silent while nothing changes; {@link #await} waits for a
 * limited time. A stream ends normally with ENODATA, or with ECANCELED if this client cancelled it; any other end is an {@link
 * RpcException}, which every call throws.
 */
public final class ResponseStream implements Iterator<ObjectNode>, Closeable {
    private final Pending pending;
    private @Nullable Response next;
    private boolean begun;
    private boolean cancelled;
    private boolean ended;

    ResponseStream(Pending pending) {
        this.pending = pending;
    }

    /** Waits until {@link #hasNext} can return at once. Returns false if {@code time} passes first. */
    public boolean await(Duration time) throws IOException {
        return fetch(Deadline.in(time));
    }

    private boolean fetch(Deadline deadline) throws IOException {
        if (next == null && !ended) {
            next = pending.take(deadline);
            begun |= next != null;
        }
        return next != null || ended;
    }

    @Override
    public boolean hasNext() {
        try {
            if (next == null && !begun && !ended) {
                next = pending.take(pending.client.timeout());
                begun = true;
            }
            fetch(Deadline.NEVER);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Response response = next;
        return response != null && (response.errnum() == 0 || !isEnd(response));
    }

    /** Returns true if an error response ends the stream normally; throws if the stream failed. */
    private boolean isEnd(Response error) {
        int errnum = error.errnum();
        if (errnum != Errno.ENODATA.value() && !(cancelled && errnum == Errno.ECANCELED.value())) {
            throw RpcException.of(error);
        }
        ended = true;
        return true;
    }

    @Override
    public ObjectNode next() {
        Response response = hasNext() ? next : null;
        if (response == null) {
            throw new NoSuchElementException(pending.topic + ": the stream has ended");
        }
        next = null;
        ended = response.isLast();
        try {
            return SentRequest.objectOf(response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks the server to end the stream. Responses that the server sent before the end can still be read. */
    public void cancel() throws IOException {
        if (cancelled || ended) {
            return;
        }
        cancelled = true;
        String topic = Topic.parse(pending.topic).cancel().toString();
        pending.client.transmit(Request.of(
                topic, new Cancellation(pending.matchtag).encode(), Header.NORESPONSE, Request.MATCHTAG_NONE));
    }

    /** Cancels the stream unless the stream or the connection has ended. Later responses are dropped. */
    @Override
    public void close() throws IOException {
        boolean atEnd = ended || (next != null && next.isLast());
        if (!atEnd && pending.client.isUsable()) {
            cancel();
        }
        ended = true;
        next = null;
        pending.abandon();
    }
}
