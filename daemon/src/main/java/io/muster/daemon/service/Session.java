package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.account.Account;
import io.muster.inventory.state.ReportChanges;
import io.muster.protocol.admin.AuditAnswer;
import io.muster.protocol.admin.Introduction;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.operation.Connection;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.rpc.Topic;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Serves the requests of one peer, from the first request until the connection is closed. All methods run on the core thread. */
public final class Session {
    private static final int MOST_INTRODUCED = 20_000;

    private final Backend backend;
    private final Admissions admissions;
    private final Caller peer;
    private final Outbox outbox;
    private final OpenStreams streams;
    /** The requests whose response comes later, other than streams. */
    private final Set<WireCall> parked = new HashSet<>();

    /** The names of users of the peer's host, by userid. */
    private final Map<Integer, String> introduced = new HashMap<>();

    /** The bytes of open streams and of parked requests, which their users' accounts count. */
    private long taken;
    /** The topics of the operations that were refused. */
    private final Set<String> refused = new HashSet<>();

    private boolean closed;

    public Session(Backend backend, Admissions admissions, Caller peer, Outbox outbox) {
        this.backend = backend;
        this.admissions = admissions;
        this.peer = peer;
        this.outbox = outbox;
        this.streams = new OpenStreams(backend, outbox);
    }

    /** Serves a request. Messages of other types have no meaning here and are ignored, as in flux-core. */
    public void receive(Message message) {
        if (!(message instanceof Request raw)) {
            return;
        }
        Request request = raw.with(peer.rights().stamp(raw.credentials()));
        Operation<? super Connection, ?> operation = Operations.of(request.topic());
        if (request.nodeid() != 0 && request.nodeid() != Request.NODEID_ANY) {
            fail(request, new RpcException(Errno.EHOSTUNREACH, Errno.EHOSTUNREACH.text()));
        } else if (operation == null) {
            fail(request, unknown(request.topic()));
        } else if (request.credentials().equals(peer.rights().credentials())) {
            new WireCall(request, operation, peer).serve();
        } else {
            new WireCall(request, operation, peer.of(request.credentials().userid())).serveForOther();
        }
    }

    /** Returns the error for an unknown topic, with flux-core's sentences. */
    private static RpcException unknown(String topic) {
        return Operations.isService(Topic.parse(topic).service())
                ? new RpcException(Errno.ENOSYS, "Unknown service method '" + topic + "'")
                : new RpcException(Errno.ENOSYS, "No service matching " + topic + " is registered");
    }

    /** Returns whether this is the first refusal of an operation, unless the log has too many lines of the user. */
    private boolean isFirst(Operation<?, ?> operation) {
        return refused.add(operation.topic()) && peer.account().mayLog();
    }

    /** Resumes the streams, because the peer reads again. */
    public void resume() {
        streams.resume();
    }

    /** Ends the session, because the connection is closed. */
    public void close() {
        closed = true;
        streams.close();
        List.copyOf(parked).forEach(WireCall::forget);
        parked.clear();
    }

    private void served(Request request) {
        backend.meters().answered(request.topic(), 0);
    }

    private void reply(Request request, @Nullable Bytes payload) {
        RpcException refusal = request.isNoresponse() ? null : outbox.refusal(payload);
        if (refusal != null) {
            fail(request, refusal);
            return;
        }
        served(request);
        if (!request.isNoresponse()) {
            outbox.send(Response.success(request, backend.sender(), payload));
        }
    }

    /**
     * Returns whether a request gets a response, so that an error can be sent. A cancellation (RFC 6) and a disconnect get
     * none.
     */
    public static boolean isAnswered(Request request) {
        Operation<?, ?> operation = Operations.of(request.topic());
        return !request.isNoresponse() && (operation == null || operation.kind() != Operation.Kind.NOTICE);
    }

    /** Returns whether a message requests a change, so that it has an effect even if no client receives the response. */
    public static boolean isChange(Message message) {
        Operation<?, ?> operation = message instanceof Request request ? Operations.of(request.topic()) : null;
        return operation != null && operation.isChange();
    }

    /** Sends an error response. The connection calls this for a request for which it has no room. */
    public void fail(Request request, RpcException error) {
        backend.meters().answered(request.topic(), error.errno().value());
        Operation<?, ?> operation = Operations.of(request.topic());
        if (operation != null && operation.isOfInstances() && isFirst(operation)) {
            backend.meters().faulted(operation, peer.rights().user(), error.sentence());
        }
        if (!request.isNoresponse()) {
            outbox.fail(error, error.toResponse(request, backend.sender()));
        }
    }

    /** Returns whether the peer follows nothing and waits for no ranks, so that the peer must read what is sent. */
    public boolean mustRead() {
        return streams.isEmpty();
    }

    /** Returns the number of bytes that the session keeps for open streams and for requests whose response comes later. */
    public long keeps() {
        return streams.keeps() + taken;
    }

    /**
     * A request of the peer. If its response comes later, the request counts as pending from the moment when the method that serves it
     * returns.
     */
    private final class WireCall extends Call implements Connection {
        private final Operation<? super Connection, ?> asked;
        private Request request;
        private long bytes;
        /** The number of pending requests that this request counts as. */
        private int weight;

        private boolean answered;
        /** Whether the rights of the user for whom the peer sends the request were found. */
        private boolean isKnown;

        private volatile boolean gone;
        private Runnable whenGone = () -> {};

        WireCall(Request request, Operation<? super Connection, ?> asked, Caller caller) {
            super(backend, admissions, caller, asked);
            this.request = request;
            this.asked = asked;
        }

        void serve() {
            serve(this, asked, request.payload());
        }

        /** Serves a request that the peer sends for another user, whose rights are found first. */
        void serveForOther() {
            Request whole = request; // a change is made even if the connection is closed meanwhile
            String name = introduced.get(request.credentials().userid());
            admissions.onBehalfOf(peer.rights(), request.credentials(), name, rights -> {
                unpark();
                isKnown = true;
                if (!closed || asked.isChange()) {
                    request = whole.with(rights.credentials());
                    become(caller().with(rights));
                    serve();
                }
            });
            if (!isKnown) {
                park(Outbox.MOST_PENDING, request, Account.size(request));
            }
        }

        @Override
        protected boolean isLoud() {
            return isFirst(asked);
        }

        @Override
        protected void checkRoom() {
            Account payer = caller().account();
            payer.checkRoom(Account.size(request), payer == peer.account() ? keeps() : payer.held());
        }

        /** Does not serve questions without a response: nothing would slow down a peer that sends such requests without end. */
        @Override
        protected boolean isServedAlready() {
            boolean isIdle = request.isNoresponse() && asked.kind() == Operation.Kind.QUESTION;
            if (isIdle) {
                served(request);
            }
            return isIdle;
        }

        @Override
        protected void waits(boolean keepsPayload, boolean alone) {
            Request kept = request.withoutPayload();
            park(alone ? Outbox.MOST_PENDING : 1, kept, Account.size(keepsPayload ? request : kept));
        }

        private void park(int as, Request kept, long size) {
            if (!answered) {
                request = kept;
                weight = as;
                parked.add(this);
                bytes = size;
                taken += bytes;
                caller().account().take(bytes);
                outbox.pending(weight);
            }
        }

        private void unpark() {
            if (parked.remove(this)) {
                give();
            }
            if (weight > 0) {
                outbox.pending(-weight);
                weight = 0;
            }
        }

        /**
         * Drops everything that a response needs, because the connection is closed. Only the metrics still count the request
         * when it is finished.
         */
        void forget() {
            gone = true;
            give();
            request = new Request(
                    request.header(), List.of(), request.topic(), null, request.nodeid(), request.matchtag());
            whenGone.run();
        }

        private void give() {
            taken -= bytes;
            caller().account().give(bytes);
            bytes = 0;
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
            unpark();
        }

        @Override
        public boolean isGone() {
            return gone && !asked.isChange();
        }

        @Override
        public void whenGone(Runnable then) {
            whenGone = then;
        }

        /** The metrics count the request as served when the stream begins. */
        @Override
        public void acquire(Bytes unread) {
            streams.acquire(request, unread, rights().principal(), caller().account());
            served(request);
        }

        @Override
        public void mute() {
            backend.streams().acquires().mute();
            done(null);
        }

        @Override
        public void follow(Bytes unread) {
            streams.follow(request, unread, caller().account());
            served(request);
        }

        @Override
        public void report(ReportChanges.Register reporter) {
            if (!closed) { // a report lasts as long as its connection
                streams.report(request, rights().principal(), reporter, caller().account());
            }
            served(request);
        }

        @Override
        public void use(ReportRequest.Usage usage) {
            Bytes payload = Objects.requireNonNull(request.payload());
            streams.use(usage, payload.length());
            done(null);
        }

        @Override
        public void believe(AuditAnswer answer) {
            Backend.Calculations calculations = backend.answers().calculations();
            Long jobs = answer.jobs();
            if (jobs == null) {
                calculations.audits().answered(streams.reporter(), answer);
            } else {
                calculations.consequences().answered(streams.reporter(), answer.question(), jobs);
            }
            done(null);
        }

        @Override
        public void cancel(Cancellation cancellation) {
            streams.cancel(request, cancellation);
            served(request);
        }

        @Override
        public void disconnect() {
            streams.disconnect(request.routes());
            served(request);
        }

        @Override
        public void waitUp(ObjectNode wanted) {
            request = request.withoutPayload();
            streams.await(request, wanted, caller().account(), () -> done(null));
        }

        /**
         * Notes the name of a user of the peer's host, for whom the peer sends requests. A peer on this host need not send
         * names, and names that such a peer sends are ignored.
         */
        @Override
        public void introduce(Introduction user) {
            if (introduced.size() >= MOST_INTRODUCED) {
                introduced.clear();
            }
            introduced.put(user.userid(), user.name());
            done(null);
        }

        @Override
        public void ping(ObjectNode asked) {
            done(backend.answers().queries().ping(request, asked));
        }

        @Override
        public void log(Bytes text) {
            backend.answers().queries().log(request.credentials(), text);
            done(null);
        }
    }
}
