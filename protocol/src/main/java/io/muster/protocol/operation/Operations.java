package io.muster.protocol.operation;

import static io.muster.protocol.operation.Http.delete;
import static io.muster.protocol.operation.Http.flag;
import static io.muster.protocol.operation.Http.get;
import static io.muster.protocol.operation.Http.number;
import static io.muster.protocol.operation.Http.post;
import static io.muster.protocol.operation.Http.text;
import static io.muster.protocol.operation.Http.time;
import static io.muster.protocol.operation.Operation.Kind.ACTION;
import static io.muster.protocol.operation.Operation.Kind.NOTICE;
import static io.muster.protocol.operation.Operation.Kind.QUESTION;
import static io.muster.protocol.operation.Operation.Kind.STREAM;

import io.muster.inventory.state.Command;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.admin.HistoryRequest;
import io.muster.protocol.admin.Introduction;
import io.muster.protocol.admin.JournalRequest;
import io.muster.protocol.admin.PastQuery;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.admin.WebRequest;
import io.muster.protocol.operation.Operation.Kind;
import io.muster.protocol.operation.Operation.Row;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.wire.Bytes;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The table of the operations: everything that clients may ask of the daemon. */
public final class Operations {
    /** The highest number of bytes of a request that stays open and needs few parameters. */
    private static final int SMALL = 4096;

    /** The highest number of bytes of a change. The core thread decides a change at once, so the limit keeps that thread free. */
    private static final int CHANGE = 256 << 10;

    /** The highest number of bytes of a request that another thread decides or that only has to be read. */
    private static final int LARGE = 1 << 20;

    /** The highest number of bytes of a request with a jobspec. A jobspec may contain files, and another thread reads it. */
    private static final int JOBSPEC = 8 << 20;

    private static final Http.Param TARGETS = text("targets");
    private static final Http.Param DRY_RUN = flag("dry-run");

    /** The operations that every door has. */
    private static final List<Operation<Service, ?>> EVERYWHERE = List.of(
            row("resource.status", Right.READ, QUESTION).ofFlux().by(Service::status),
            row("resource.sched-status", Right.READ, QUESTION).ofFlux().by(Service::schedStatus),
            row("resource.get", Right.READ, QUESTION).ofFlux().by(Service::get),
            row("resource.state", Right.READ, QUESTION).by(Service::state),
            row("resource.confirm", Right.READ, QUESTION).by(Service::confirm),
            row(FindRequest.TOPIC, Right.READ, QUESTION)
                    .at(get(
                            "find",
                            "/v1/find",
                            text("expr"),
                            text("subsystem"),
                            text("from"),
                            text("prune"),
                            text("order"),
                            number("best"),
                            text("by"),
                            text("output")))
                    .unread(Service::find),
            row("feasibility.check", Right.READ, QUESTION)
                    .ofFlux()
                    .most(JOBSPEC)
                    .at(post("feasibility", "/v1/feasibility").always("explain"))
                    .unread(Service::feasibility),
            document(
                    "resource.status-document",
                    Document.STATUS,
                    get("status", "/v1/status", TARGETS, text("states"), flag("expand"))),
            document(
                    "resource.hosts",
                    Document.HOSTS,
                    get("hosts", "/v1/hosts", TARGETS, text("states"), number("limit"), number("after"))),
            document("resource.host", Document.HOST, get("host", "/v1/hosts/" + Http.VARIABLE)),
            document("resource.holds", Document.HOLDS, get("holds", "/v1/holds", TARGETS, flag("expand"))),
            document("resource.R", Document.R, get("r", "/v1/R")),
            document("resource.layout", Document.LAYOUT, get("layout", "/v1/layout")),
            row("resource.service", Right.READ, QUESTION)
                    .at(get("service", "/v1/service"))
                    .by(Service::service),
            row("resource.intervals", Right.FOLLOW, QUESTION)
                    .at(get("history", "/v1/history", TARGETS, time("since"), time("until"), flag("notes")))
                    .with(PastQuery::parse, Service::intervals),
            row("resource.totals", Right.FOLLOW, QUESTION)
                    .at(get("report", "/v1/report", text("by"), text("states"), time("since"), time("until")))
                    .with(PastQuery::parse, Service::totals),
            row("resource.alerts", Right.ALERTS, ACTION)
                    .at(post("alerts", "/v1/alerts"))
                    .with(json -> json, Service::alerts),
            row("resource.upgrade-status", Right.READ, QUESTION).by(Service::upgradeStatus),
            row("resource.stats-get", Right.READ, QUESTION).ofFlux().by(Service::stats),
            row("attr.get", Right.READ, QUESTION).ofFlux().with(json -> json, Service::attribute),
            row("attr.list", Right.READ, QUESTION).ofFlux().by(Service::attributes),
            row("config.get", Right.READ, QUESTION).ofFlux().by(Service::config),
            change("resource.drain", Right.HOLD)
                    .ofFlux()
                    .forMembers()
                    .at(post("hold", "/v1/holds", DRY_RUN)
                            .body(TARGETS, text("reason"), text("mode"), text("holder"), time("until")))
                    .change(ChangeForm.DRAIN),
            change("resource.undrain", Right.HOLD)
                    .ofFlux()
                    .endsHolds()
                    .at(delete("lift", "/v1/holds", TARGETS, text("holder"), text("reason"), text("mode"), DRY_RUN))
                    .change(ChangeForm.UNDRAIN),
            change("resource.exclude", Right.CHANGE).change(ChangeForm.EXCLUDE),
            change("resource.include", Right.CHANGE).change(ChangeForm.INCLUDE),
            change("resource.shrink", Right.CHANGE).change(ChangeForm.SHRINK),
            change("resource.property-add", Right.CHANGE).change(ChangeForm.PROPERTY_ADD),
            change("resource.property-remove", Right.CHANGE).change(ChangeForm.PROPERTY_REMOVE),
            change("resource.online", Right.CHANGE).change(ChangeForm.ONLINE),
            change("resource.offline", Right.CHANGE).change(ChangeForm.OFFLINE),
            change("resource.torpid", Right.CHANGE).change(ChangeForm.TORPID),
            change("resource.lively", Right.CHANGE).change(ChangeForm.LIVELY),
            change("resource.monitor-force-down", Right.CHANGE).ofFlux().change(ChangeForm.MONITOR_FORCE_DOWN),
            change("resource.expiration-update", Right.CHANGE).ofFlux().change(ChangeForm.EXPIRATION_UPDATE),
            change("resource.acquire-release", Right.CHANGE).change(ChangeForm.ACQUIRE_RELEASE),
            change("resource.annotate", Right.CHANGE).most(LARGE).change(ChangeForm.ANNOTATE),
            change("resource.upgrade-finish", Right.CHANGE).change(ChangeForm.UPGRADE_FINISH),
            row(ReloadRequest.TOPIC, Right.CHANGE, ACTION).ofFlux().with(ReloadRequest::parse, Service::reload),
            row("resource.clock-accept", Right.CHANGE, ACTION).by(Service::acceptClock),
            row(WebRequest.TOPIC, Right.FOLLOW, ACTION).with(WebRequest::parse, Service::web));

    /** The operations that only connections of the wire have. */
    private static final List<Operation<Connection, ?>> ON_CONNECTIONS = List.of(
            row("resource.acquire", Right.ACQUIRE, STREAM)
                    .ofFlux()
                    .ofInstances()
                    .most(SMALL)
                    .optional(Connection::acquire),
            cancel("resource.acquire-cancel", Right.ACQUIRE),
            row("resource.acquire-mute", Right.CHANGE, ACTION).ofFlux().by(Connection::mute),
            row("resource.disconnect", Right.READ, NOTICE).ofFlux().by(Connection::disconnect),
            row("resource.monitor-waitup", Right.READ, QUESTION)
                    .ofFlux()
                    .most(SMALL)
                    .with(json -> json, Connection::waitUp),
            row(JournalRequest.TOPIC, Right.FOLLOW, STREAM).ofFlux().most(SMALL).optional(Connection::follow),
            cancel("resource.journal-cancel", Right.FOLLOW),
            row(HistoryRequest.TOPIC, Right.FOLLOW, STREAM).unread(Connection::history),
            cancel("resource.history-cancel", Right.FOLLOW),
            row(ReportRequest.TOPIC, Right.CHANGE, STREAM).ofInstances().with(ReportRequest::parse, Connection::report),
            cancel("resource.report-cancel", Right.CHANGE),
            row(ReportRequest.USAGE_TOPIC, Right.CHANGE, ACTION)
                    .ofInstances()
                    .with(ReportRequest::parseUsage, Connection::use),
            row("resource.ping", Right.READ, QUESTION).ofFlux().with(json -> json, Connection::ping),
            row("feasibility.ping", Right.READ, QUESTION).ofFlux().with(json -> json, Connection::ping),
            row(Introduction.TOPIC, Right.SPEAK_FOR, ACTION).with(Introduction::parse, Connection::introduce),
            row("log.append", Right.READ, ACTION).ofFlux().optional(Connection::log));

    private static final Map<String, Operation<? super Connection, ?>> BY_TOPIC = new LinkedHashMap<>();

    static {
        EVERYWHERE.forEach(operation -> BY_TOPIC.put(operation.topic(), operation));
        ON_CONNECTIONS.forEach(operation -> BY_TOPIC.put(operation.topic(), operation));
    }

    private Operations() {}

    private static Row row(String topic, Right right, Kind kind) {
        return new Row(topic, right, kind);
    }

    private static Operation<Service, Bytes> document(String topic, Document document, Http place) {
        return row(topic, Right.READ, QUESTION)
                .ofState()
                .at(place)
                .unread((service, unread) -> service.document(document, unread));
    }

    private static Row change(String topic, Right right) {
        return row(topic, right, ACTION).most(CHANGE);
    }

    private static Operation<Connection, Cancellation> cancel(String topic, Right right) {
        return row(topic, right, NOTICE).most(SMALL).reads(Cancellation::parse, Connection::cancel);
    }

    /** Returns all operations, in the order of the table. */
    public static Collection<Operation<? super Connection, ?>> all() {
        return BY_TOPIC.values();
    }

    /** Returns the operations that every door has. */
    public static List<Operation<Service, ?>> everywhere() {
        return EVERYWHERE;
    }

    public static @Nullable Operation<? super Connection, ?> of(String topic) {
        return BY_TOPIC.get(topic);
    }

    /** Returns the operation that asks for {@code command}. */
    static Operation<?, ?> of(Command command) {
        return EVERYWHERE.stream()
                .filter(operation -> operation.means(command))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no request asks for " + command));
    }

    /** Returns whether any operation belongs to this service. */
    public static boolean isService(String service) {
        return BY_TOPIC.keySet().stream().anyMatch(topic -> topic.startsWith(service + "."));
    }
}
