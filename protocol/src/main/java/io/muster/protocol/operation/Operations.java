package io.muster.protocol.operation;

import static io.muster.protocol.operation.Http.delete;
import static io.muster.protocol.operation.Http.get;
import static io.muster.protocol.operation.Http.post;
import static io.muster.protocol.operation.Operation.Kind.ACTION;
import static io.muster.protocol.operation.Operation.Kind.NOTICE;
import static io.muster.protocol.operation.Operation.Kind.QUESTION;
import static io.muster.protocol.operation.Operation.Kind.STREAM;
import static io.muster.protocol.operation.RequestKeys.AFTER;
import static io.muster.protocol.operation.RequestKeys.AFTER_SEQ;
import static io.muster.protocol.operation.RequestKeys.ALERTS;
import static io.muster.protocol.operation.RequestKeys.ALLOCATED;
import static io.muster.protocol.operation.RequestKeys.ATTEMPT;
import static io.muster.protocol.operation.RequestKeys.ATTEMPT_STATES;
import static io.muster.protocol.operation.RequestKeys.ATTRIBUTE;
import static io.muster.protocol.operation.RequestKeys.AT_LEAST;
import static io.muster.protocol.operation.RequestKeys.AUDIT_COST;
import static io.muster.protocol.operation.RequestKeys.AUDIT_ERROR;
import static io.muster.protocol.operation.RequestKeys.AUDIT_NUMBER;
import static io.muster.protocol.operation.RequestKeys.AUDIT_SECONDS;
import static io.muster.protocol.operation.RequestKeys.BARS;
import static io.muster.protocol.operation.RequestKeys.BELIEF;
import static io.muster.protocol.operation.RequestKeys.BEST;
import static io.muster.protocol.operation.RequestKeys.BOOT;
import static io.muster.protocol.operation.RequestKeys.BY;
import static io.muster.protocol.operation.RequestKeys.CAUSE;
import static io.muster.protocol.operation.RequestKeys.CHECK;
import static io.muster.protocol.operation.RequestKeys.CHECK_NAME;
import static io.muster.protocol.operation.RequestKeys.CHECK_RESULT;
import static io.muster.protocol.operation.RequestKeys.CLASS;
import static io.muster.protocol.operation.RequestKeys.CONSTRAINT;
import static io.muster.protocol.operation.RequestKeys.COUNT;
import static io.muster.protocol.operation.RequestKeys.DATA;
import static io.muster.protocol.operation.RequestKeys.DETAIL;
import static io.muster.protocol.operation.RequestKeys.DRY_RUN;
import static io.muster.protocol.operation.RequestKeys.DURATION;
import static io.muster.protocol.operation.RequestKeys.ENDED_HOLDER;
import static io.muster.protocol.operation.RequestKeys.END_MODE;
import static io.muster.protocol.operation.RequestKeys.EXPAND;
import static io.muster.protocol.operation.RequestKeys.EXPECT;
import static io.muster.protocol.operation.RequestKeys.EXPIRATION;
import static io.muster.protocol.operation.RequestKeys.EXPLAIN;
import static io.muster.protocol.operation.RequestKeys.EXPLAINED;
import static io.muster.protocol.operation.RequestKeys.EXPR;
import static io.muster.protocol.operation.RequestKeys.FORCE;
import static io.muster.protocol.operation.RequestKeys.FROM;
import static io.muster.protocol.operation.RequestKeys.GRACE;
import static io.muster.protocol.operation.RequestKeys.HOLDER;
import static io.muster.protocol.operation.RequestKeys.HOLD_ACTION;
import static io.muster.protocol.operation.RequestKeys.HOLD_FOR;
import static io.muster.protocol.operation.RequestKeys.HOLD_FROM;
import static io.muster.protocol.operation.RequestKeys.HOLD_UNTIL;
import static io.muster.protocol.operation.RequestKeys.HOST;
import static io.muster.protocol.operation.RequestKeys.ID;
import static io.muster.protocol.operation.RequestKeys.IF_SEQ;
import static io.muster.protocol.operation.RequestKeys.INCLUDE;
import static io.muster.protocol.operation.RequestKeys.JOBS;
import static io.muster.protocol.operation.RequestKeys.JOBSPEC;
import static io.muster.protocol.operation.RequestKeys.LEASE;
import static io.muster.protocol.operation.RequestKeys.LIFETIME;
import static io.muster.protocol.operation.RequestKeys.LIMIT;
import static io.muster.protocol.operation.RequestKeys.MARK;
import static io.muster.protocol.operation.RequestKeys.MARKS;
import static io.muster.protocol.operation.RequestKeys.MATCHTAG;
import static io.muster.protocol.operation.RequestKeys.MODE;
import static io.muster.protocol.operation.RequestKeys.NEW_SINCE;
import static io.muster.protocol.operation.RequestKeys.NOTES;
import static io.muster.protocol.operation.RequestKeys.NOW;
import static io.muster.protocol.operation.RequestKeys.OFFER_STATES;
import static io.muster.protocol.operation.RequestKeys.OF_CLASS;
import static io.muster.protocol.operation.RequestKeys.OF_TICKET;
import static io.muster.protocol.operation.RequestKeys.ONLINE;
import static io.muster.protocol.operation.RequestKeys.ORDER;
import static io.muster.protocol.operation.RequestKeys.OUTPUT;
import static io.muster.protocol.operation.RequestKeys.OWNER;
import static io.muster.protocol.operation.RequestKeys.PAST_TARGETS;
import static io.muster.protocol.operation.RequestKeys.PATH;
import static io.muster.protocol.operation.RequestKeys.PATHS;
import static io.muster.protocol.operation.RequestKeys.PLANNED;
import static io.muster.protocol.operation.RequestKeys.PROBLEMS;
import static io.muster.protocol.operation.RequestKeys.PROPERTIES;
import static io.muster.protocol.operation.RequestKeys.PROPERTY_NAMES;
import static io.muster.protocol.operation.RequestKeys.PRUNE;
import static io.muster.protocol.operation.RequestKeys.QUEUES;
import static io.muster.protocol.operation.RequestKeys.RANKS;
import static io.muster.protocol.operation.RequestKeys.REASON;
import static io.muster.protocol.operation.RequestKeys.REASON_MEANT;
import static io.muster.protocol.operation.RequestKeys.REPORTED;
import static io.muster.protocol.operation.RequestKeys.REPORTER;
import static io.muster.protocol.operation.RequestKeys.RESOURCES;
import static io.muster.protocol.operation.RequestKeys.RIGHT;
import static io.muster.protocol.operation.RequestKeys.RLIST;
import static io.muster.protocol.operation.RequestKeys.ROWS_BY;
import static io.muster.protocol.operation.RequestKeys.SELECT;
import static io.muster.protocol.operation.RequestKeys.SINCE;
import static io.muster.protocol.operation.RequestKeys.STATES;
import static io.muster.protocol.operation.RequestKeys.SUBSYSTEM;
import static io.muster.protocol.operation.RequestKeys.SUM_BY;
import static io.muster.protocol.operation.RequestKeys.SUM_STATES;
import static io.muster.protocol.operation.RequestKeys.TAG;
import static io.muster.protocol.operation.RequestKeys.TARGETS;
import static io.muster.protocol.operation.RequestKeys.TARGETS_OF_CHANGE;
import static io.muster.protocol.operation.RequestKeys.TICKET;
import static io.muster.protocol.operation.RequestKeys.TOKEN_HOLDER;
import static io.muster.protocol.operation.RequestKeys.TORPID;
import static io.muster.protocol.operation.RequestKeys.TRUNCATED;
import static io.muster.protocol.operation.RequestKeys.UNTIL;
import static io.muster.protocol.operation.RequestKeys.UP;
import static io.muster.protocol.operation.RequestKeys.USER;
import static io.muster.protocol.operation.RequestKeys.USERID;
import static io.muster.protocol.operation.RequestKeys.VERSION;
import static io.muster.protocol.operation.RequestKeys.WAITING;
import static io.muster.protocol.operation.RequestKeys.WITH_TIME;
import static io.muster.protocol.operation.RequestKeys.WORK_RESULT;
import static io.muster.protocol.operation.RequestKeys.XML;

import io.muster.inventory.json.Fields;
import io.muster.protocol.admin.AuditAnswer;
import io.muster.protocol.admin.AvailabilityQuery;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.admin.Introduction;
import io.muster.protocol.admin.JournalRequest;
import io.muster.protocol.admin.PastQuery;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.admin.WebRequest;
import io.muster.protocol.admin.WhyQuery;
import io.muster.protocol.operation.Operation.Kind;
import io.muster.protocol.operation.Operation.Row;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The table of the operations: everything that clients may ask of the daemon. */
public final class Operations {
    /** The highest number of bytes of a request that stays open and needs few parameters. */
    private static final int SMALL = 4096;

    /**
     * The highest number of bytes of a change, which the core thread decides at once, and of a question about hosts, whose words that thread
     * reads. The limit keeps that thread free.
     */
    private static final int CHANGE = 256 << 10;

    /** The highest number of bytes of a request that another thread decides or that only has to be read. */
    private static final int LARGE = 1 << 20;

    /** The highest number of bytes of a request with a jobspec. A jobspec may contain files, and another thread reads it. */
    private static final int JOBSPEC_BYTES = 8 << 20;

    /** The operations that every door has. */
    private static final List<Operation<Service, ?>> EVERYWHERE = List.of(
            row("resource.status", Right.READ, QUESTION).ofFlux().by(Service::status),
            row("resource.sched-status", Right.READ, QUESTION).ofFlux().by(Service::schedStatus),
            row("resource.get", Right.READ, QUESTION).ofFlux().by(Service::get),
            row("resource.confirm", Right.READ, QUESTION).by(Service::confirm),
            row("resource.marks", Right.READ, QUESTION).by(Service::marks),
            row(FindRequest.TOPIC, Right.READ, QUESTION, EXPR, SUBSYSTEM, FROM, PRUNE, ORDER, BEST, BY, OUTPUT)
                    .at(get("find", "/v1/find"))
                    .unread(Service::find),
            row("feasibility.check", Right.READ, QUESTION, JOBSPEC, RESOURCES, CONSTRAINT, DURATION, NOW, EXPLAIN)
                    .ofFlux()
                    .most(JOBSPEC_BYTES)
                    .at(post("feasibility", "/v1/feasibility").always("explain"))
                    .unread(Service::feasibility),
            document(Document.STATUS, get("status", "/v1/status"), rows(STATES, OF_CLASS, OF_TICKET, EXPAND)),
            document(Document.HOSTS, get("hosts", "/v1/hosts"), rows(STATES, OF_CLASS, OF_TICKET)),
            document(Document.HOST, get("host", "/v1/hosts/" + Http.VARIABLE), HOST, WITH_TIME),
            document(Document.HOLDS, get("holds", "/v1/holds"), rows(STATES, OF_CLASS, OF_TICKET, EXPAND)),
            document(Document.LIST, get("list", "/v1/list"), rows(OFFER_STATES, EXPAND, RLIST)),
            // The window of new problems moves, so the same state may lead to another answer.
            row(Document.SUMMARY.topic(), Right.READ, QUESTION, chosen(STATES, NEW_SINCE, PROBLEMS))
                    .most(CHANGE)
                    .at(get("summary", "/v1/summary"))
                    .unread((service, unread) -> service.document(Document.SUMMARY, unread)),
            document(Document.IMPACT, get("impact", "/v1/impact"), chosen()),
            document(Document.WORK, get("work", "/v1/work"), chosen(ATTEMPT_STATES, LIMIT, AFTER)),
            document(Document.R, get("r", "/v1/R"), chosen(OFFER_STATES)),
            document(Document.LAYOUT, get("layout", "/v1/layout"), chosen()),
            row(Document.STATE.topic(), Right.READ, QUESTION, WITH_TIME)
                    .ofState()
                    .most(CHANGE)
                    .at(get("state", "/v1/state"))
                    .optional((service, unread) ->
                            service.document(Document.STATE, unread.length() == 0 ? Json.EMPTY_OBJECT : unread)),
            row("resource.service", Right.READ, QUESTION)
                    .at(get("service", "/v1/service"))
                    .by(Service::service),
            row("resource.audit", Right.READ, QUESTION)
                    .at(get("audit", "/v1/audit"))
                    .by(Service::audit),
            row("resource.brakes", Right.READ, QUESTION)
                    .at(get("brakes", "/v1/brakes"))
                    .by(Service::brakes),
            row(WhyQuery.TOPIC, Right.READ, QUESTION, EXPLAINED, COUNT, LIMIT, AFTER)
                    .at(get("why", "/v1/why"))
                    .with(WhyQuery::parse, Service::why),
            row(PastQuery.HISTORY, Right.FOLLOW, QUESTION, PAST_TARGETS, SINCE, UNTIL, NOTES)
                    .at(get("history", "/v1/history"))
                    .with(PastQuery::parse, Service::past),
            row(PastQuery.TOTALS, Right.FOLLOW, QUESTION, SUM_BY, SUM_STATES, SINCE, UNTIL)
                    .at(get("report", "/v1/report"))
                    .with(PastQuery::parseTotals, Service::past),
            row(AvailabilityQuery.TOPIC, Right.FOLLOW, QUESTION, ROWS_BY, AT_LEAST, BARS, SINCE, UNTIL)
                    .at(get("availability", "/v1/availability"))
                    .with(AvailabilityQuery::parse, Service::availability),
            row("resource.alerts", Right.ALERTS, ACTION, VERSION, TRUNCATED, ALERTS)
                    .ofOthers()
                    .at(post("alerts", "/v1/alerts"))
                    .with(Fields::json, Service::alerts),
            row("resource.upgrade-status", Right.READ, QUESTION).by(Service::upgradeStatus),
            row("resource.stats-get", Right.READ, QUESTION).ofFlux().by(Service::stats),
            row("attr.get", Right.READ, QUESTION, ATTRIBUTE).ofFlux().with(Fields::json, Service::attribute),
            row("attr.list", Right.READ, QUESTION).ofFlux().by(Service::attributes),
            row("config.get", Right.READ, QUESTION).ofFlux().by(Service::config),
            targets(
                            ChangeForm.DRAIN,
                            Right.HOLD,
                            REASON,
                            MODE,
                            HOLDER,
                            HOLD_FROM,
                            HOLD_UNTIL,
                            HOLD_FOR,
                            CLASS,
                            TICKET,
                            CHECK,
                            HOLD_ACTION)
                    .ofFlux()
                    .forMembers()
                    .at(post("hold", "/v1/holds"))
                    .change(),
            targets(ChangeForm.UNDRAIN, Right.HOLD, ENDED_HOLDER, REASON, END_MODE, PLANNED)
                    .ofFlux()
                    .endsHolds()
                    .at(delete("lift", "/v1/holds"))
                    .change(),
            change(ChangeForm.CHECK_RESULT, Right.REPORT_CHECK, HOST, CHECK_NAME, ATTEMPT, CHECK_RESULT, DETAIL)
                    .at(post("check-result", "/v1/check-results"))
                    .change(),
            change(ChangeForm.BOOT, Right.REPORT_CHECK, HOST, BOOT)
                    .at(post("boot", "/v1/boots"))
                    .change(),
            change(ChangeForm.WORK_CLAIM, Right.WORK, HOST, ATTEMPT, LEASE)
                    .at(post("claim", "/v1/work/claims"))
                    .change(),
            change(ChangeForm.WORK_RESULT, Right.WORK, HOST, ATTEMPT, WORK_RESULT, DETAIL)
                    .at(post("work-result", "/v1/work/results"))
                    .change(),
            targets(ChangeForm.EXCLUDE, Right.CHANGE, REASON).change(),
            targets(ChangeForm.INCLUDE, Right.CHANGE, REASON).change(),
            targets(ChangeForm.SHRINK, Right.CHANGE, REASON).change(),
            change(ChangeForm.PROPERTY_ADD, Right.CHANGE, PROPERTIES, EXPECT).change(),
            change(ChangeForm.PROPERTY_REMOVE, Right.CHANGE, PROPERTIES, EXPECT).change(),
            targets(ChangeForm.ONLINE, Right.CHANGE, CAUSE).change(),
            targets(ChangeForm.OFFLINE, Right.CHANGE, CAUSE).change(),
            targets(ChangeForm.TORPID, Right.CHANGE, CAUSE).change(),
            targets(ChangeForm.LIVELY, Right.CHANGE, CAUSE).change(),
            change(ChangeForm.MONITOR_FORCE_DOWN, Right.CHANGE, RANKS).ofFlux().change(),
            change(ChangeForm.EXPIRATION_UPDATE, Right.CHANGE, EXPIRATION)
                    .ofFlux()
                    .change(),
            change(ChangeForm.ACQUIRE_RELEASE, Right.CHANGE, OWNER, REASON).change(),
            targets(ChangeForm.ANNOTATE, Right.CHANGE, PATHS, TAG, MARK, DATA)
                    .most(LARGE)
                    .change(),
            change(ChangeForm.UPGRADE_FINISH, Right.CHANGE).change(),
            row(ReloadRequest.TOPIC, Right.CHANGE, ACTION, PATH, XML, FORCE, DRY_RUN, ID)
                    .ofFlux()
                    .with(payload -> ReloadRequest.parse(payload.json()), Service::reload),
            row("resource.clock-accept", Right.CHANGE, ACTION).by(Service::acceptClock),
            row(WebRequest.TOPIC, Right.FOLLOW, ACTION, RIGHT, LIFETIME, TOKEN_HOLDER)
                    .with(WebRequest::parse, Service::web));

    /** The operations that only connections of the wire have. */
    private static final List<Operation<Connection, ?>> ON_CONNECTIONS = List.of(
            row("resource.acquire", Right.ACQUIRE, STREAM, OWNER, GRACE)
                    .ofFlux()
                    .ofInstances()
                    .most(SMALL)
                    .optional(Connection::acquire),
            cancel("resource.acquire-cancel", Right.ACQUIRE).ofFlux().cancel(),
            row("resource.acquire-mute", Right.CHANGE, ACTION).ofFlux().by(Connection::mute),
            row("resource.disconnect", Right.READ, NOTICE).ofFlux().by(Connection::disconnect),
            row("resource.monitor-waitup", Right.READ, QUESTION, UP)
                    .ofFlux()
                    .most(SMALL)
                    .with(Fields::json, Connection::waitUp),
            row(JournalRequest.TOPIC, Right.FOLLOW, STREAM, AFTER_SEQ)
                    .ofFlux()
                    .most(SMALL)
                    .optional(Connection::follow),
            cancel("resource.journal-cancel", Right.FOLLOW).ofFlux().cancel(),
            row(ReportRequest.TOPIC, Right.CHANGE, STREAM, REPORTER, REPORTED, ONLINE, TORPID)
                    .ofInstances()
                    .with(ReportRequest::parse, Connection::report),
            cancel("resource.report-cancel", Right.CHANGE).cancel(),
            row(ReportRequest.USAGE_TOPIC, Right.CHANGE, ACTION, ALLOCATED, MARKS, WAITING)
                    .ofInstances()
                    .with(ReportRequest::parseUsage, Connection::use),
            row(
                            AuditAnswer.TOPIC,
                            Right.CHANGE,
                            ACTION,
                            AUDIT_NUMBER,
                            AUDIT_SECONDS,
                            AUDIT_COST,
                            AUDIT_ERROR,
                            BELIEF,
                            JOBS)
                    .ofInstances()
                    .with(AuditAnswer::parse, Connection::believe),
            row("resource.ping", Right.READ, QUESTION).ofFlux().with(Fields::json, Connection::ping),
            row("feasibility.ping", Right.READ, QUESTION).ofFlux().with(Fields::json, Connection::ping),
            row(Introduction.TOPIC, Right.SPEAK_FOR, ACTION, USERID, USER)
                    .with(Introduction::parse, Connection::introduce),
            row("log.append", Right.READ, ACTION).ofFlux().optional(Connection::log));

    private static final Map<String, Operation<? super Connection, ?>> BY_TOPIC = new LinkedHashMap<>();

    static {
        EVERYWHERE.forEach(operation -> BY_TOPIC.put(operation.topic(), operation));
        ON_CONNECTIONS.forEach(operation -> BY_TOPIC.put(operation.topic(), operation));
    }

    private Operations() {}

    private static Row row(String topic, Right right, Kind kind, RequestKey... keys) {
        return new Row(topic, right, kind, List.of(keys));
    }

    private static Operation<Service, Bytes> document(Document document, Http place, RequestKey... keys) {
        return row(document.topic(), Right.READ, QUESTION, keys)
                .ofState()
                .most(CHANGE)
                .at(place)
                .unread((service, unread) -> service.document(document, unread));
    }

    /** The keys of a document about hosts that are chosen. */
    private static RequestKey[] chosen(RequestKey... more) {
        List<RequestKey> all = new ArrayList<>(List.of(TARGETS, INCLUDE, QUEUES, PROPERTY_NAMES, WITH_TIME));
        all.addAll(List.of(more));
        return all.toArray(RequestKey[]::new);
    }

    /** The keys of a document about hosts that are chosen, with rows. */
    private static RequestKey[] rows(RequestKey... more) {
        List<RequestKey> all = new ArrayList<>(List.of(LIMIT, AFTER));
        all.addAll(List.of(more));
        return chosen(all.toArray(RequestKey[]::new));
    }

    private static Row change(ChangeForm<?> form, Right right, RequestKey... keys) {
        List<RequestKey> all = new ArrayList<>(List.of(keys));
        all.addAll(List.of(DRY_RUN, ID, IF_SEQ));
        return new Row(form.topic(), right, ACTION, all).of(form).most(CHANGE);
    }

    /** A change of the hosts or the vertices that targets name. */
    private static Row targets(ChangeForm<?> form, Right right, RequestKey... keys) {
        List<RequestKey> all = new ArrayList<>(List.of(TARGETS_OF_CHANGE, SELECT, EXPECT, REASON_MEANT));
        all.addAll(List.of(keys));
        return change(form, right, all.toArray(RequestKey[]::new));
    }

    private static Row cancel(String topic, Right right) {
        return row(topic, right, NOTICE, MATCHTAG).most(SMALL);
    }

    /** Reads the members of a payload of an operation, as {@link Operation#fields} does. */
    public static Fields fields(String topic, Bytes payload) throws ProtocolException {
        return Objects.requireNonNull(BY_TOPIC.get(topic), topic).fields(payload);
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

    /** Returns whether any operation belongs to this service. */
    public static boolean isService(String service) {
        return BY_TOPIC.keySet().stream().anyMatch(topic -> topic.startsWith(service + "."));
    }
}
