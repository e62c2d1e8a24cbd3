package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Principal;
import io.muster.protocol.admin.AdminMethod;
import io.muster.protocol.admin.AdminRequest;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.admin.JournalRequest;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.admin.WebRequest;
import io.muster.protocol.operation.Right;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The methods that the daemon serves: the topic of each, the right that a user needs for it, and the function that reads the
 * payload and serves the request.
 */
@SuppressWarnings("ImmutableEnumChecker") // the actions have no state
public enum Method {
    ACQUIRE("resource.acquire", Right.ACQUIRE, Session::acquire),
    ACQUIRE_CANCEL("resource.acquire-cancel", Right.ACQUIRE, Session::cancel),
    ACQUIRE_MUTE("resource.acquire-mute", Right.CHANGE, Session::mute),
    DISCONNECT("resource.disconnect", Right.READ, Session::disconnect),
    STATUS("resource.status", Right.READ, later(Queries::status)),
    SCHED_STATUS("resource.sched-status", Right.READ, later(Queries::schedStatus)),
    GET("resource.get", Right.READ, later(Queries::get)),
    INVENTORY("resource.inventory", Right.READ, later(Queries::inventory)),
    CONFIRM("resource.confirm", Right.READ, Session::confirm),
    FIND(FindRequest.TOPIC, Right.READ, Session::find),
    DRAIN(AdminMethod.DRAIN),
    UNDRAIN(AdminMethod.UNDRAIN),
    EXCLUDE(AdminMethod.EXCLUDE),
    INCLUDE(AdminMethod.INCLUDE),
    SHRINK(AdminMethod.SHRINK),
    PROPERTY_ADD(AdminMethod.PROPERTY_ADD),
    PROPERTY_REMOVE(AdminMethod.PROPERTY_REMOVE),
    ONLINE(AdminMethod.ONLINE),
    OFFLINE(AdminMethod.OFFLINE),
    TORPID(AdminMethod.TORPID),
    LIVELY(AdminMethod.LIVELY),
    FORCE_DOWN(AdminMethod.MONITOR_FORCE_DOWN),
    EXPIRATION(AdminMethod.EXPIRATION_UPDATE),
    ACQUIRE_RELEASE(AdminMethod.ACQUIRE_RELEASE),
    ANNOTATE(AdminMethod.ANNOTATE),
    UPGRADE_FINISH(AdminMethod.UPGRADE_FINISH),
    UPGRADE_STATUS("resource.upgrade-status", Right.READ, atOnce(Queries::upgrade)),
    RELOAD(
            "resource.reload",
            Right.CHANGE,
            change((changes, payload, by, reply) -> changes.reload(ReloadRequest.parse(payload), by, reply))),
    CLOCK_ACCEPT(
            "resource.clock-accept",
            Right.CHANGE,
            change((changes, payload, by, reply) -> changes.acceptClock(by, reply))),
    WAITUP("resource.monitor-waitup", Right.READ, Session::waitUp),
    JOURNAL(JournalRequest.TOPIC, Right.FOLLOW, Session::follow),
    JOURNAL_CANCEL("resource.journal-cancel", Right.FOLLOW, Session::cancel),
    HISTORY("resource.history", Right.FOLLOW, Session::history),
    HISTORY_CANCEL("resource.history-cancel", Right.FOLLOW, Session::cancel),
    REPORT(ReportRequest.TOPIC, Right.CHANGE, Session::report),
    REPORT_CANCEL("resource.report-cancel", Right.CHANGE, Session::cancel),
    USAGE(ReportRequest.USAGE_TOPIC, Right.CHANGE, Session::use),
    WEB(WebRequest.TOPIC, Right.FOLLOW, Session::web),
    PING("resource.ping", Right.READ, Method::ping),
    STATS("resource.stats-get", Right.READ, atOnce(Queries::stats)),
    FEASIBILITY("feasibility.check", Right.READ, Session::feasibility),
    FEASIBILITY_PING("feasibility.ping", Right.READ, Method::ping),
    ATTR_GET("attr.get", Right.READ, Method::attribute),
    ATTR_LIST("attr.list", Right.READ, atOnce(Queries::attributes)),
    CONFIG_GET("config.get", Right.READ, atOnce(Queries::config)),
    INTRODUCE("resource.introduce", Right.SPEAK_FOR, Session::introduce),
    LOG_APPEND("log.append", Right.READ, Session::log);

    /**
     * The highest number of bytes in the payload of a request, which the core thread may read. Parsed JSON takes thirty
     * times the size of its text.
     */
    private static final int LARGEST = 1 << 20;

    /** The highest number of bytes in the payload of a request that stays open and needs few parameters. */
    private static final int SMALL = 4096;

    /**
     * The highest number of bytes in the payload of a request with a jobspec. A jobspec may contain files, and another
     * thread reads it.
     */
    private static final int LARGEST_JOBSPEC = 8 << 20;

    private static final Map<String, Method> BY_TOPIC = new HashMap<>();
    private static final Map<String, Boolean> SERVICES = new HashMap<>();

    static {
        for (Method method : values()) {
            BY_TOPIC.put(method.topic, method);
            SERVICES.put(method.service(), true);
        }
    }

    private final String topic;
    private final Right right;
    private final Action action;
    private final @Nullable AdminMethod change;

    Method(String topic, Right right, Action action) {
        this.topic = topic;
        this.right = right;
        this.action = action;
        this.change = null;
    }

    Method(AdminMethod method) {
        this.topic = method.topic();
        this.right = method == AdminMethod.DRAIN || method == AdminMethod.UNDRAIN ? Right.HOLD : Right.CHANGE;
        this.action = (session, request) -> session.submit(request, method);
        this.change = method;
    }

    /** Reads a request's payload and serves the request. */
    private interface Action {
        void serve(Session session, Request request) throws ProtocolException;
    }

    /** Reads the payload of a request for a change and makes the change. */
    interface Change {
        void make(Changes changes, ObjectNode payload, Principal by, Replier reply) throws ProtocolException;
    }

    private static Action change(Change change) {
        return (session, request) -> session.change(request, change);
    }

    private static Action later(BiConsumer<Queries, Replier> query) {
        return (session, request) -> session.later(request, reply -> query.accept(session.queries(), reply));
    }

    private static Action atOnce(Function<Queries, Bytes> query) {
        return (session, request) -> session.reply(request, query.apply(session.queries()));
    }

    private static void ping(Session session, Request request) throws ProtocolException {
        session.reply(request, session.queries().ping(request));
    }

    private static void attribute(Session session, Request request) throws ProtocolException {
        session.reply(request, session.queries().attribute(Json.parse(Session.payload(request))));
    }

    /**
     * Serves a request.
     *
     * @throws RpcException if the request is refused
     */
    void serve(Session session, Request request) throws ProtocolException {
        action.serve(session, request);
    }

    /** Returns the refusal of a payload that is too large; null for any other payload. */
    @Nullable
    RpcException refusal(int bytes) {
        if (change != null) {
            return AdminRequest.refusal(change, bytes);
        }
        int largest = switch (this) {
            case FEASIBILITY -> LARGEST_JOBSPEC;
            case WAITUP, ACQUIRE, JOURNAL, ACQUIRE_CANCEL, JOURNAL_CANCEL, HISTORY_CANCEL, REPORT_CANCEL -> SMALL;
            default -> LARGEST;
        };
        return bytes <= largest
                ? null
                : new RpcException(
                        Errno.EINVAL, topic + ": the request has " + bytes + " bytes, but may have at most " + largest);
    }

    public static @Nullable Method of(String topic) {
        return BY_TOPIC.get(topic);
    }

    /** Returns whether any method belongs to this service. */
    static boolean isService(String service) {
        return SERVICES.containsKey(service);
    }

    public String topic() {
        return topic;
    }

    public Right right() {
        return right;
    }

    /** Returns whether a request for this method changes the inventory. */
    boolean isChange() {
        return right == Right.CHANGE || right == Right.HOLD;
    }

    /** Returns whether requests for this method get a response. */
    boolean isAnswered() {
        return switch (this) {
            case ACQUIRE_CANCEL, JOURNAL_CANCEL, HISTORY_CANCEL, REPORT_CANCEL, DISCONNECT -> false;
            default -> true;
        };
    }

    /** Returns whether requests for this method come from instances of Flux, whose faults an operator has to see in the log. */
    boolean isOfInstances() {
        return this == ACQUIRE || this == REPORT || this == USAGE;
    }

    /** Returns whether a request for this method has no effect besides its response. */
    boolean isQuery() {
        return right == Right.READ && this != DISCONNECT && this != LOG_APPEND;
    }

    /** Returns the part of the topic before the period. */
    String service() {
        return topic.substring(0, topic.indexOf('.'));
    }
}
