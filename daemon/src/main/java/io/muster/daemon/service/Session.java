package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;
import io.muster.inventory.state.HoldChanges;
import io.muster.protocol.admin.AdminMethod;
import io.muster.protocol.admin.AdminRequest;
import io.muster.protocol.admin.Introduction;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.admin.WebRequest;
import io.muster.protocol.operation.Right;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.rpc.Topic;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Serves the requests of one peer, from the first request until the connection is closed. All methods run on the core thread. */
public final class Session {
    private static final int MOST_INTRODUCED = 20_000;

    private final Backend backend;
    private final Admissions admissions;
    private final Peer peer;
    private final Outbox outbox;
    private final OpenStreams streams;
    /** The requests whose response comes later, other than streams. */
    private final Set<Later> parked = new HashSet<>();

    /** The names of users of the peer's host, by userid. */
    private final Map<Integer, String> introduced = new HashMap<>();

    /** The bytes of open streams and of parked requests, which their users' accounts count. */
    private long taken;
    /** The methods that were refused. */
    private final Set<Method> refused = EnumSet.noneOf(Method.class);

    /** The rights of the request that is being served. */
    private Rights sender;

    /** The account of the request that is being served. */
    private Account payer;

    private boolean closed;

    public Session(Backend backend, Admissions admissions, Peer peer, Outbox outbox) {
        this.backend = backend;
        this.admissions = admissions;
        this.peer = peer;
        this.sender = peer.rights;
        this.payer = peer.account;
        this.outbox = outbox;
        this.streams = new OpenStreams(backend, outbox);
    }

    /**
     * The peer of a session.
     *
     * @param changesHere whether the socket to which the peer connected accepts requests that change the inventory
     * @param account the account of the peer, in which the accounts of users are nested for whom the peer speaks
     */
    public record Peer(Rights rights, boolean changesHere, Account account) {}

    /** Serves a request. Messages of other types have no meaning here and are ignored, as in flux-core. */
    public void receive(Message message) {
        if (!(message instanceof Request raw)) {
            return;
        }
        Request request = raw.with(peer.rights.stamp(raw.credentials()));
        payer = peer.account;
        if (request.credentials().equals(peer.rights.credentials())) {
            serve(request, peer.rights);
            return;
        }
        int userid = request.credentials().userid();
        boolean isPeers = userid == peer.rights.credentials().userid();
        Account nested = isPeers ? peer.account : peer.account.nested(userid);
        payer = nested;
        Later wait = new Later(request);
        String name = introduced.get(userid);
        admissions.onBehalfOf(peer.rights, request.credentials(), name, rights -> {
            wait.settle();
            if (!closed || isChange(request)) {
                payer = nested;
                serve(request.with(rights.credentials()), rights);
            }
        });
        wait.park(Outbox.MOST_PENDING, request, Account.size(request));
    }

    /** Makes a change that a peer requested in another form than the payload of its topic. */
    public void change(Request request, AdminRequest change) {
        Request stamped = request.with(peer.rights.credentials());
        payer = peer.account;
        serve(stamped, peer.rights, method -> make(stamped, method, change));
    }

    private void serve(Request request, Rights rights) {
        serve(request, rights, method -> method.serve(this, request));
    }

    /** Serves a request by its method. */
    private interface Serving {
        void by(Method method) throws ProtocolException;
    }

    private void serve(Request request, Rights rights, Serving serving) {
        sender = rights;
        Method method = Method.of(request.topic());
        try {
            if (request.nodeid() != 0 && request.nodeid() != Request.NODEID_ANY) {
                throw new RpcException(Errno.EHOSTUNREACH, Errno.EHOSTUNREACH.text());
            }
            if (method == null) {
                throw unknown(request.topic());
            }
            authorise(method);
            Bytes payload = request.payload();
            RpcException excess = payload == null ? null : method.refusal(payload.length());
            if (excess != null) {
                throw excess;
            }
            if (method.isAnswered()) {
                payer.checkRoom(Account.size(request), payer == peer.account ? keeps() : payer.held());
            }
            if (request.isNoresponse() && method.isQuery()) {
                // Not served: without responses to wait for, nothing would slow down a peer that sends requests
                // without end.
                served(request);
            } else {
                serving.by(method);
            }
        } catch (RpcException e) {
            fail(request, e);
        } catch (ProtocolException e) {
            fail(request, new RpcException(Errno.EPROTO, String.valueOf(e.getMessage())));
        }
    }

    /** Returns the error for an unknown topic, with flux-core's sentences. */
    private static RpcException unknown(String topic) {
        return Method.isService(Topic.parse(topic).service())
                ? new RpcException(Errno.ENOSYS, "Unknown service method '" + topic + "'")
                : new RpcException(Errno.ENOSYS, "No service matching " + topic + " is registered");
    }

    private void authorise(Method method) {
        if (!sender.allow(method.right())) {
            deny(method, admissions.inForce().refusal(sender, method.right()));
        }
        if (method.isChange() && !peer.changesHere) {
            deny(method, Admissions.ADMIN_SOCKET_ONLY);
        }
    }

    /**
     * Refuses a request. Each refusal is counted, but only the first one of a method is logged as a warning, and the log
     * limits these lines for all connections of a user: a peer that is refused may repeat its requests very often.
     */
    private void deny(Method method, String sentence) {
        boolean loud = isFirst(method);
        Rights speaker = sender.speaker();
        String user = sender.user() + (speaker == null ? "" : " speaker=" + speaker.user());
        backend.queries().meters().denied(method, user, sender.credentials(), loud);
        throw new RpcException(Errno.EPERM, sentence);
    }

    /** Returns whether a refusal of this method is to be logged: the first one of the peer, unless the log has too many of the user. */
    private boolean isFirst(Method method) {
        return refused.add(method) && peer.account.mayLog();
    }

    Queries queries() {
        return backend.queries();
    }

    static Bytes payload(Request request) {
        Bytes payload = request.payload();
        if (payload == null) {
            throw new RpcException(Errno.EPROTO, request.topic() + " without a payload");
        }
        return payload;
    }

    /**
     * Serves a query whose response is computed beside the core thread. No other request of the peer is begun until the
     * response is sent. Otherwise, many large responses would be computed for a peer that sends many requests before it
     * reads, and all of them would wait to be read.
     */
    void later(Request request, Consumer<Replier> ask) {
        later(request, ask, Account.size(request.withoutPayload()));
    }

    /** @param bytes the memory of the request while it waits */
    private void later(Request request, Consumer<Replier> ask, long bytes) {
        Later reply = new Later(request);
        ask.accept(reply);
        reply.park(Outbox.MOST_PENDING, request.withoutPayload(), bytes);
    }

    void feasibility(Request request) {
        Bytes payload = payload(request);
        Account asker = payer;
        later(request, reply -> backend.feasible().check(payload, asker, reply), Account.size(request));
    }

    void confirm(Request request) {
        later(request, reply -> queries().confirm(sender.principal(), reply));
    }

    void find(Request request) {
        Bytes payload = payload(request);
        Account asker = payer;
        later(request, reply -> backend.searches().find(payload, asker, reply), Account.size(request));
    }

    /** Opens an acquire stream. The metrics count the request as served when the stream begins. */
    void acquire(Request request) {
        streams.acquire(request, sender.principal(), payer);
        served(request);
    }

    void follow(Request request) {
        streams.follow(request, payer);
        served(request);
    }

    void history(Request request) {
        streams.history(request, payload(request), payer);
        served(request);
    }

    void cancel(Request request) throws ProtocolException {
        streams.cancel(request, Cancellation.parse(payload(request)));
        served(request);
    }

    void mute(Request request) {
        backend.acquires().mute();
        reply(request, null);
    }

    void disconnect(Request request) {
        streams.disconnect(request.routes());
        served(request);
    }

    void waitUp(Request request) throws ProtocolException {
        Request kept = request.withoutPayload();
        streams.await(kept, Json.parse(payload(request)), payer, () -> reply(kept, null));
    }

    void report(Request request) throws ProtocolException {
        ReportRequest report = ReportRequest.parse(payload(request));
        if (!closed) { // a report lasts as long as its connection
            streams.report(request, sender.principal(), report, payer);
        }
        served(request);
    }

    void use(Request request) throws ProtocolException {
        streams.use(payload(request));
        reply(request, null);
    }

    /**
     * Notes the name of a user of the peer's host, for whom the peer sends requests. A peer on this host need not send
     * names, and names that such a peer sends are ignored.
     */
    void introduce(Request request) throws ProtocolException {
        Introduction user = Introduction.parse(Json.parse(payload(request)));
        if (introduced.size() >= MOST_INTRODUCED) {
            introduced.clear();
        }
        introduced.put(user.userid(), user.name());
        reply(request, null);
    }

    /** Makes a token for the page. The token gets no right that the sender does not have. */
    void web(Request request) throws ProtocolException {
        WebRequest web = WebRequest.parse(Json.parse(payload(request)));
        Right right = WebTokens.right(web);
        String holder = WebTokens.holder(web, sender.holders(), sender.user());
        if (!sender.allow(right)) {
            deny(Method.WEB, admissions.inForce().refusal(sender, right));
        }
        if (right != Right.READ && !peer.changesHere) {
            deny(Method.WEB, Admissions.ADMIN_SOCKET_ONLY);
        }
        String objection = right == Right.HOLD ? admissions.inForce().objection(sender, holder, false) : null;
        if (objection != null) {
            deny(Method.WEB, objection);
        }
        later(request, reply -> backend.web().make(web, holder, sender.user(), reply));
    }

    void log(Request request) {
        backend.queries().log(request);
        reply(request, null);
    }

    /** Resumes the streams, because the peer reads again. */
    public void resume() {
        streams.resume();
    }

    /** Ends the session, because the connection is closed. */
    public void close() {
        closed = true;
        streams.close();
        List.copyOf(parked).forEach(Later::forget);
        parked.clear();
    }

    private void served(Request request) {
        backend.queries().meters().answered(request.topic(), 0);
    }

    void reply(Request request, @Nullable Bytes payload) {
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
        Method method = Method.of(request.topic());
        return !request.isNoresponse() && (method == null || method.isAnswered());
    }

    /** Returns whether a message requests a change, so that it has an effect even if no client receives the response. */
    public static boolean isChange(Message message) {
        Method method = message instanceof Request request ? Method.of(request.topic()) : null;
        return method != null && method.isChange();
    }

    /** Sends an error response. The connection calls this for a request for which it has no room. */
    public void fail(Request request, RpcException error) {
        backend.queries().meters().answered(request.topic(), error.errno().value());
        Method method = Method.of(request.topic());
        if (method != null && method.isOfInstances() && isFirst(method)) {
            backend.queries().meters().faulted(method, peer.rights.user(), error.sentence());
        }
        if (!request.isNoresponse()) {
            outbox.fail(error, error.toResponse(request, backend.sender()));
        }
    }

    /** Serves a request for one of the changes of {@link AdminMethod}. */
    void submit(Request request, AdminMethod method) throws ProtocolException {
        Method topic = Objects.requireNonNull(Method.of(request.topic()));
        make(request, topic, AdminRequest.parse(method, Json.parse(payload(request))));
    }

    private void make(Request request, Method method, AdminRequest change) {
        String holder = HoldChanges.holderOf(change.command());
        String objection = admissions.inForce().objection(sender, holder, method == Method.UNDRAIN);
        if (objection != null) {
            deny(method, objection);
        }
        Bytes payload = request.payload();
        if (!change.dryRun() && !sender.allow(Right.CHANGE)) {
            payer.change(payload == null ? 0 : payload.length());
        }
        Later reply = new Later(request);
        backend.changes().submit(change, sender.principal(), reply);
        reply.park(1, request.withoutPayload(), Account.size(request));
    }

    void change(Request request, Method.Change change) throws ProtocolException {
        ObjectNode payload = Json.parse(payload(request));
        Later reply = new Later(request);
        change.make(backend.changes(), payload, sender.principal(), reply);
        reply.park(1, request.withoutPayload(), Account.size(request));
    }

    /** Returns whether the peer follows nothing and waits for no ranks, so that the peer must read what is sent. */
    public boolean mustRead() {
        return streams.mustBeRead();
    }

    /** Returns the number of bytes that the session keeps for open streams and for requests whose response comes later. */
    public long keeps() {
        return streams.keeps() + taken;
    }

    /**
     * Sends the response to a request whose response may come later. The request counts as pending only if it has no
     * response when the call that serves it returns.
     */
    private final class Later implements Replier {
        private Request request;
        private final Account account = payer;
        private long bytes;
        /** The number of pending requests that this request counts as. */
        private int weight;

        private boolean answered;
        private volatile boolean gone;
        private Runnable whenGone = () -> {};

        Later(Request request) {
            this.request = request;
        }

        /**
         * @param kept the part of the request that is kept
         * @param size the bytes that are kept: a change keeps about as much as its payload until it is written
         */
        void park(int as, Request kept, long size) {
            if (!answered) {
                request = kept;
                weight = as;
                parked.add(this);
                bytes = size;
                taken += bytes;
                account.take(bytes);
                outbox.pending(weight);
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

        @Override
        public boolean isGone() {
            return gone;
        }

        @Override
        public void whenGone(Runnable then) {
            whenGone = then;
        }

        private void settle() {
            if (answered) {
                throw new IllegalStateException(request.topic() + " answered twice");
            }
            answered = true;
            if (parked.remove(this)) {
                give();
            }
            if (weight > 0) {
                outbox.pending(-weight);
            }
        }

        private void give() {
            taken -= bytes;
            account.give(bytes);
            bytes = 0;
        }
    }
}
