package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Admission;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Rights;
import io.muster.daemon.alert.AlertMessage;
import io.muster.inventory.state.CheckChanges;
import io.muster.inventory.state.HoldChanges;
import io.muster.protocol.admin.AvailabilityQuery;
import io.muster.protocol.admin.PastQuery;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.admin.WebRequest;
import io.muster.protocol.admin.WhyQuery;
import io.muster.protocol.operation.ChangeRequest;
import io.muster.protocol.operation.Document;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Right;
import io.muster.protocol.operation.Service;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * A request that is being served. All requests enter the daemon through {@link #serve}, which checks the rights of the caller and
 * bounds the request; each door has a subclass, which reads requests and sends answers. Runs on the core thread.
 */
public abstract class Call implements Service, Replier {
    private final Backend backend;
    private final Admissions admissions;
    private final Operation<?, ?> operation;
    private Caller caller;
    /** The length of the payload. */
    private int length;

    protected Call(Backend backend, Admissions admissions, Caller caller, Operation<?, ?> operation) {
        this.backend = backend;
        this.admissions = admissions;
        this.caller = caller;
        this.operation = operation;
    }

    protected final Backend backend() {
        return backend;
    }

    protected final Caller caller() {
        return caller;
    }

    /** Sets the caller that was found for a request that one user sends for another. */
    protected final void become(Caller other) {
        caller = other;
    }

    protected final Rights rights() {
        return caller.rights();
    }

    /** Returns whether a denial is to be logged as a warning. */
    protected abstract boolean isLoud();

    /** @throws RpcException if the caller has no room for the request */
    protected void checkRoom() {}

    /** Answers a request that need not be served, and returns whether it is one. */
    protected boolean isServedAlready() {
        return false;
    }

    /**
     * Called when the method that serves the request has returned, and the answer may come later.
     *
     * @param keepsPayload whether the payload is in memory until the answer comes
     * @param alone whether no other request of the connection is begun until the answer has been sent
     */
    protected void waits(boolean keepsPayload, boolean alone) {}

    /**
     * Serves the request.
     *
     * @param self this object
     * @param requested the operation of this object
     */
    protected final <S extends Service> void serve(S self, Operation<? super S, ?> requested, @Nullable Bytes payload) {
        try {
            authorise();
            length = payload == null ? 0 : payload.length();
            RpcException excess = operation.refusal(length);
            if (excess != null) {
                throw excess;
            }
            if (operation.kind() != Operation.Kind.NOTICE) {
                checkRoom();
            }
            if (!isServedAlready()) {
                requested.serve(self, payload);
            }
        } catch (RpcException e) {
            fail(e);
        } catch (ProtocolException e) {
            fail(new RpcException(Errno.EPROTO, String.valueOf(e.getMessage())));
        }
    }

    private void authorise() {
        if (!rights().allow(operation.right())) {
            throw denied(admissions.inForce().refusal(rights(), operation.right()));
        }
        if (operation.isChange() && !caller.changesHere()) {
            throw denied(Admissions.ADMIN_SOCKET_ONLY);
        }
    }

    /**
     * Counts a denial. Only the first one of an operation is logged as a warning, and the log limits these lines for all connections of
     * a user: a peer that is denied an operation may repeat its requests very often.
     */
    private RpcException denied(String sentence) {
        Rights speaker = rights().speaker();
        String user = rights().user() + (speaker == null ? "" : " speaker=" + speaker.user());
        backend.meters().denied(operation, user, rights().credentials(), isLoud());
        return new RpcException(Errno.EPERM, sentence);
    }

    /**
     * Waits for an answer that is computed beside the core thread. No other request of the peer is begun until the answer is sent.
     * Otherwise, many large answers would be computed for a peer that sends many requests before it reads, and all of them would wait
     * to be read.
     */
    private void later() {
        waits(false, true);
    }

    @Override
    public final void change(ChangeRequest request) {
        String holder = HoldChanges.holderOf(request.command());
        String host = CheckChanges.hostOf(request.command());
        Admission admission = admissions.inForce();
        String objection = host != null
                ? admission.objectionToHost(rights(), host, CheckChanges.isOfHostItself(request.command()))
                : operation.right() == Right.WORK ? null : admission.objection(rights(), holder, operation.endsHolds());
        boolean acts = !HoldChanges.purposeOf(request.command()).action().isEmpty();
        if (objection == null && acts && !rights().allow(Right.ACTION)) {
            objection = admission.refusal(rights(), Right.ACTION);
        }
        if (objection != null) {
            throw denied(objection);
        }
        if (!request.dryRun() && !rights().allow(Right.CHANGE)) {
            caller.account().change(length);
        }
        backend.changes().submit(request, operation, caller, this);
        waits(true, request.selection() != null);
    }

    @Override
    public final void reload(ReloadRequest request) {
        backend.changes().reloads().reload(request, rights().principal(), this);
        waits(true, false);
    }

    @Override
    public final void acceptClock() {
        backend.changes().acceptClock(rights().principal(), this);
    }

    /** Makes a token for the page. The token gets no right that the caller does not have. */
    @Override
    public final void web(WebRequest request) {
        Right right = WebTokens.right(request);
        String holder = WebTokens.holder(request, rights().holders(), rights().user());
        if (!rights().allow(right)) {
            throw denied(admissions.inForce().refusal(rights(), right));
        }
        if (right != Right.READ && !caller.changesHere()) {
            throw denied(Admissions.ADMIN_SOCKET_ONLY);
        }
        String objection = right == Right.HOLD ? admissions.inForce().objection(rights(), holder, false) : null;
        if (objection != null) {
            throw denied(objection);
        }
        backend.web().make(request, holder, rights().user(), this);
        later();
    }

    @Override
    public final void status() {
        backend.answers().queries().status(this);
        later();
    }

    @Override
    public final void schedStatus() {
        backend.answers().queries().schedStatus(this);
        later();
    }

    @Override
    public final void get() {
        backend.answers().queries().get(this);
        later();
    }

    @Override
    public final void confirm() {
        backend.answers().queries().confirm(rights().principal(), this);
        later();
    }

    @Override
    public final void marks() {
        backend.answers().why().marks(caller.account(), this);
        later();
    }

    @Override
    public final void audit() {
        backend.answers().calculations().audits().ask(this);
        later();
    }

    @Override
    public final void upgradeStatus() {
        done(backend.answers().queries().upgrade());
    }

    @Override
    public final void stats() {
        done(backend.answers().queries().stats());
    }

    @Override
    public final void attribute(ObjectNode request) {
        done(backend.answers().queries().attribute(request));
    }

    @Override
    public final void attributes() {
        done(backend.answers().queries().attributes());
    }

    @Override
    public final void config() {
        done(backend.answers().queries().config());
    }

    @Override
    public final void find(Bytes unread) {
        backend.answers().calculations().searches().find(unread, caller.account(), this);
        waits(true, true);
    }

    @Override
    public final void feasibility(Bytes unread) {
        backend.answers().calculations().feasible().check(unread, caller.account(), this);
        waits(true, true);
    }

    @Override
    public final void document(Document document, Bytes unread) throws ProtocolException {
        backend.answers().documents().ask(document, unread, caller.account(), this);
        waits(true, true);
    }

    @Override
    public final void why(WhyQuery query) {
        backend.answers().why().ask(query, rights().allow(Right.FOLLOW), caller.account(), this);
        waits(true, true);
    }

    @Override
    public final void past(PastQuery query) {
        backend.answers().past().ask(query, caller.account(), this);
        waits(true, true);
    }

    @Override
    public final void availability(AvailabilityQuery query) {
        backend.answers().past().ask(query, caller.account(), this);
        waits(true, true);
    }

    @Override
    public final void service() {
        backend.answers().daemon().ask(rights(), this);
        later();
    }

    @Override
    public final void brakes() {
        backend.answers().daemon().brakes(this);
        later();
    }

    @Override
    public final void alerts(ObjectNode message) {
        AlertMessage alerts = AlertMessage.parse(message);
        if (!rights().allow(Right.CHANGE)) {
            caller.account().change(length);
        }
        backend.alerts().receive(alerts, rights().principal(), report -> {
            RpcException refusal = report.refusal();
            if (refusal == null) {
                done(Documents.encode(report.toJson()));
            } else {
                fail(refusal);
            }
        });
        waits(true, false);
    }
}
