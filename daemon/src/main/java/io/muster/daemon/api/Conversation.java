package io.muster.daemon.api;

import io.muster.daemon.account.Excess;
import io.muster.daemon.http.Exchange;
import io.muster.daemon.service.Backend;
import io.muster.daemon.service.Outbox;
import io.muster.daemon.service.Session;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request to a session of the service package, as a peer of the wire protocol sends it: the rights, the limits and the sentences are
 * the same. The responses are collected. Runs on the core thread.
 */
final class Conversation implements Outbox {
    /** The highest number of bytes of all responses to one request. */
    private static final int LONGEST = 64 << 20;

    private final boolean streaming;
    private final Consumer<List<Bytes>> done;
    private final Consumer<RpcException> failed;
    private final Exchange exchange;

    private final List<Bytes> payloads = new ArrayList<>();
    private final Session session;
    private int length;
    private volatile boolean over;

    private Conversation(Api api, Call call, boolean streaming, Consumer<List<Bytes>> done) {
        Backend backend = api.backend();
        this.streaming = streaming;
        this.done = all -> api.guard(call, () -> done.accept(all));
        this.failed = call::fail;
        this.exchange = call.exchange();
        boolean changes = api.admissions().mayChangeByHttp(call.rights());
        this.session =
                new Session(backend, api.admissions(), new Session.Peer(call.rights(), changes, call.payer()), this);
    }

    /**
     * Sends a request. The work for the request ends if the peer of the call disconnects.
     *
     * @param done receives the payloads of the responses; called on the core thread, unless the request is refused
     */
    static void ask(Api api, Call call, String topic, Bytes payload, boolean streaming, Consumer<List<Bytes>> done) {
        Conversation conversation = open(api, call, topic, payload, streaming, Session::receive, done);
        call.exchange().whenGone(() -> {
            if (!conversation.over) {
                api.onCore(call, conversation.session::close);
            }
        });
    }

    /** Sends a request for a change, which is made even if the peer disconnects. */
    static void change(
            Api api, Call call, String topic, BiConsumer<Session, Request> send, Consumer<List<Bytes>> done) {
        open(api, call, topic, call.ask().body(), false, send, done);
    }

    private static Conversation open(
            Api api,
            Call call,
            String topic,
            @Nullable Bytes payload,
            boolean streaming,
            BiConsumer<Session, Request> send,
            Consumer<List<Bytes>> done) {
        Conversation conversation = new Conversation(api, call, streaming, done);
        Request request = Request.of(topic, payload, streaming ? Header.STREAMING : 0, 1);
        send.accept(conversation.session, request);
        return conversation;
    }

    @Override
    public void send(Response response) {
        if (over) {
            return;
        }
        boolean end = response.errnum() == Errno.ENODATA.value();
        if (response.errnum() != 0 && !end) {
            fail(RpcException.of(response), response);
            return;
        }
        Bytes payload = response.payload();
        if (payload != null && !end) {
            payloads.add(payload);
            length += payload.length();
            if (streaming && !keep(payload, response)) {
                return;
            }
        }
        if (end || !streaming) {
            over = true;
            done.accept(payloads);
        } else if (length > LONGEST) {
            over = true;
            failed.accept(new RpcException(
                    Errno.EOVERFLOW, "the answer would be longer than " + (LONGEST >> 20) + " MiB: ask for less"));
            session.close();
        }
    }

    /** Counts a part of the answer. Ends the request and returns false if there is no room. */
    private boolean keep(Bytes payload, Response response) {
        try {
            exchange.keep(payload.length());
            return true;
        } catch (Excess tooLong) {
            fail(tooLong, response);
            session.close();
            return false;
        }
    }

    @Override
    public void fail(RpcException error, Response response) {
        if (!over) {
            over = true;
            failed.accept(error);
        }
    }

    @Override
    public @Nullable RpcException refusal(@Nullable Bytes payload) {
        return null;
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void pending(int change) {}
}
