package io.muster.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.JournalStream;
import io.muster.daemon.core.Sink;
import io.muster.inventory.state.Principal;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.ReplyStream;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.rpc.Topic;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one peer asks for, from its first request until it is gone. */
final class Session {
    /** A peer that opens streams without end is a peer that leaks them. */
    private static final int MAX_STREAMS = 4096;

    private final Backend backend;
    private final Gate gate;
    private final Peer peer;
    private final Outbox outbox;
    private final Map<StreamKey, Stream> streams = new HashMap<>();
    private final Set<Method> denied = EnumSet.noneOf(Method.class);

    Session(Backend backend, Gate gate, Peer peer, Outbox outbox) {
        this.backend = backend;
        this.gate = gate;
        this.peer = peer;
        this.outbox = outbox;
    }

    /**
     * The other end.
     *
     * @param pid 0 when unknown
     * @param changesHere whether requests that change the inventory are taken on the socket that it came by
     */
    record Peer(Rights rights, int pid, boolean changesHere) {}

    /** A request of this peer that goes on: a stream of responses, or the wait for the one. */
    private interface Stream {
        Method method();

        void resume();

        /** The peer is gone: nothing can be sent. */
        void release();

        void cancel();
    }

    /** Requests are served; other messages mean nothing here and are passed over, as flux-core does. */
    void receive(Message message) {
        if (!(message instanceof Request raw)) {
            return;
        }
        Request request = raw.with(peer.rights.credentials().stamp(raw.credentials()));
        Method method = Method.of(request.topic());
        try {
            if (request.nodeid() != 0 && request.nodeid() != Request.NODEID_ANY) {
                throw new RpcException(Errno.EHOSTUNREACH, Errno.EHOSTUNREACH.text());
            }
            if (method == null) {
                throw unknown(request.topic());
            }
            authorise(method, request);
            serve(method, request);
        } catch (RpcException e) {
            fail(request, e);
        } catch (ProtocolException e) {
            fail(request, new RpcException(Errno.EPROTO, String.valueOf(e.getMessage())));
        }
    }

    /** flux-core's sentences. */
    private static RpcException unknown(String topic) {
        return Method.isService(Topic.parse(topic).service())
                ? new RpcException(Errno.ENOSYS, "Unknown service method '" + topic + "'")
                : new RpcException(Errno.ENOSYS, "No service matching " + topic + " is registered");
    }

    private void authorise(Method method, Request request) {
        Rights asked = rightsOf(request);
        if (!asked.allow(method.right())) {
            deny(
                    method,
                    asked,
                    method.right() == Method.Right.ACQUIRE
                            ? "user " + asked.user() + " is not among muster.schedulers, who may acquire"
                            : "Request requires owner credentials, or those of one of muster.admins");
        }
        if (method.right() == Method.Right.CHANGE && !peer.changesHere) {
            deny(method, asked, "changes are taken on the admin socket only");
        }
    }

    /** Counted each time, but worth a warning only once: whoever is denied may ask very often. */
    private void deny(Method method, Rights asked, String sentence) {
        backend.queries().meters().denied(method, asked.user(), asked.credentials(), denied.add(method));
        throw new RpcException(Errno.EPERM, sentence);
    }

    private Rights rightsOf(Request request) {
        Credentials credentials = request.credentials();
        return credentials.equals(peer.rights.credentials()) ? peer.rights : gate.onBehalfOf(credentials);
    }

    private Principal principal(Request request) {
        Rights asked = rightsOf(request);
        return new Principal(asked.credentials().userid(), asked.user(), asked.equals(peer.rights) ? peer.pid : 0);
    }

    private void serve(Method method, Request request) throws ProtocolException {
        Queries queries = backend.queries();
        switch (method) {
            case ACQUIRE -> acquire(request);
            case ACQUIRE_CANCEL -> cancel(Method.ACQUIRE, request);
            case JOURNAL_CANCEL -> cancel(Method.JOURNAL, request);
            case ACQUIRE_MUTE -> mute(request);
            case DISCONNECT -> disconnect(request.routes());
            case STATUS -> reply(request, queries.status());
            case SCHED_STATUS -> reply(request, queries.schedStatus());
            case GET -> reply(request, queries.get());
            case INVENTORY -> reply(request, queries.inventory());
            case PING, FEASIBILITY_PING -> reply(request, queries.ping(request));
            case STATS -> reply(request, queries.stats());
            case ATTR_GET -> reply(request, queries.attribute(Json.parse(payload(request))));
            case ATTR_LIST -> reply(request, queries.attributes());
            case CONFIG_GET -> reply(request, queries.config());
            case LOG_APPEND -> log(request);
            case FEASIBILITY -> feasibility(request);
            case WAITUP -> waitUp(request);
            case JOURNAL -> journal(request);
            default -> change(method, request);
        }
    }

    private static Bytes payload(Request request) {
        Bytes payload = request.payload();
        if (payload == null) {
            throw new RpcException(Errno.EPROTO, request.topic() + " without a payload");
        }
        return payload;
    }

    private void feasibility(Request request) {
        Later reply = new Later(request);
        backend.feasible().check(payload(request), request.credentials().userid(), reply);
        reply.park();
    }

    private void acquire(Request request) {
        StreamReply reply = open(request);
        AcquireStream stream = backend.acquires().acquire(reply, principal(request));
        streams.put(StreamKey.of(request), new Stream() {
            @Override
            public Method method() {
                return Method.ACQUIRE;
            }

            @Override
            public void resume() {
                backend.acquires().resume(stream);
            }

            @Override
            public void release() {
                backend.acquires().release(stream);
            }

            @Override
            public void cancel() {
                backend.acquires().cancelled(stream);
                reply.cancel();
            }
        });
    }

    private void journal(Request request) {
        StreamReply reply = open(request);
        JournalStream stream = backend.journals().follow(reply);
        streams.put(StreamKey.of(request), new Stream() {
            @Override
            public Method method() {
                return Method.JOURNAL;
            }

            @Override
            public void resume() {
                backend.journals().resume(stream);
            }

            @Override
            public void release() {
                backend.journals().release(stream);
            }

            @Override
            public void cancel() {
                release();
                reply.cancel();
            }
        });
    }

    private StreamReply open(Request request) {
        ReplyStream stream = new ReplyStream(request, backend.queries().sender());
        checkRoom(request);
        return new StreamReply(stream);
    }

    private void checkRoom(Request request) {
        if (streams.size() >= MAX_STREAMS) {
            throw new RpcException(Errno.EAGAIN, "this connection has " + MAX_STREAMS + " streams open already");
        }
        if (streams.containsKey(StreamKey.of(request))) {
            throw new RpcException(Errno.EPROTO, "matchtag " + request.matchtag() + " names an open stream already");
        }
    }

    /** RFC 6: a cancellation is not answered; the stream that it names is. */
    private void cancel(Method method, Request request) throws ProtocolException {
        StreamKey key = new StreamKey(
                request.routes(), Cancellation.parse(payload(request)).matchtag());
        Stream stream = streams.get(key);
        if (stream != null && stream.method() == method) {
            streams.remove(key);
            stream.cancel();
        }
    }

    private void mute(Request request) {
        backend.acquires().mute();
        reply(request, null);
    }

    /** The sender is gone, though the connection that spoke for it may live on. */
    private void disconnect(List<String> sender) {
        streams.entrySet().removeIf(entry -> {
            boolean its = entry.getKey().sender().equals(sender);
            if (its) {
                entry.getValue().release();
            }
            return its;
        });
    }

    private void waitUp(Request request) throws ProtocolException {
        StreamKey key = StreamKey.of(request);
        ObjectNode payload = Json.parse(payload(request));
        checkRoom(request);
        Runnable forget = backend.waiters().await(payload, () -> {
            streams.remove(key);
            reply(request, null);
        });
        if (forget == null) {
            reply(request, null);
            return;
        }
        streams.put(key, new Stream() {
            @Override
            public Method method() {
                return Method.WAITUP;
            }

            @Override
            public void resume() {}

            @Override
            public void release() {
                forget.run();
            }

            @Override
            public void cancel() {
                forget.run();
            }
        });
    }

    private void log(Request request) {
        backend.queries().log(request);
        reply(request, null);
    }

    /** The peer reads again. */
    void resume() {
        for (Stream stream : new ArrayList<>(streams.values())) {
            stream.resume();
        }
    }

    /** The peer is gone. */
    void close() {
        streams.values().forEach(Stream::release);
        streams.clear();
    }

    private void reply(Request request, @Nullable Bytes payload) {
        backend.queries().meters().answered(request.topic(), 0);
        if (!request.isNoresponse()) {
            outbox.send(Response.success(request, backend.queries().sender(), payload));
        }
    }

    private void fail(Request request, RpcException error) {
        backend.queries().meters().answered(request.topic(), error.errno().value());
        if (!request.isNoresponse()) {
            outbox.send(error.toResponse(request, backend.queries().sender()));
        }
    }

    private void change(Method method, Request request) throws ProtocolException {
        ObjectNode payload = Json.parse(payload(request));
        Later reply = new Later(request);
        if (method == Method.RELOAD) {
            backend.changes().reload(payload, principal(request), reply);
        } else {
            backend.changes().submit(method, payload, principal(request), reply);
        }
        reply.park();
    }

    /** Whether nothing that this peer asked for goes on. */
    boolean isIdle() {
        return streams.isEmpty();
    }

    /** An answer that may come later. It counts as pending only from when the request is left unanswered. */
    private final class Later implements Replier {
        private final Request request;
        private boolean parked;
        private boolean answered;

        Later(Request request) {
            this.request = request;
        }

        void park() {
            if (!answered) {
                parked = true;
                outbox.pending(1);
            }
        }

        @Override
        public void done(@Nullable Bytes payload) {
            settle();
            reply(request, payload);
        }

        @Override
        public void fail(RpcException error) {
            settle();
            Session.this.fail(request, error);
        }

        private void settle() {
            if (answered) {
                throw new IllegalStateException(request.topic() + " answered twice");
            }
            answered = true;
            if (parked) {
                outbox.pending(-1);
            }
        }
    }

    /** The responses of one streaming request. */
    private final class StreamReply implements Sink {
        private final ReplyStream stream;

        StreamReply(ReplyStream stream) {
            this.stream = stream;
        }

        @Override
        public boolean isWritable() {
            return outbox.isWritable();
        }

        @Override
        public void send(Bytes payload) {
            outbox.send(stream.next(payload));
        }

        @Override
        public void end(RpcException reason) {
            streams.remove(StreamKey.of(stream.request()));
            outbox.send(stream.fail(reason));
        }

        void cancel() {
            outbox.send(stream.cancel());
        }
    }
}
