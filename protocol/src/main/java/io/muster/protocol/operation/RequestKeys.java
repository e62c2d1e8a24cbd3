package io.muster.protocol.operation;

import static io.muster.protocol.operation.RequestKey.duration;
import static io.muster.protocol.operation.RequestKey.flag;
import static io.muster.protocol.operation.RequestKey.integer;
import static io.muster.protocol.operation.RequestKey.list;
import static io.muster.protocol.operation.RequestKey.number;
import static io.muster.protocol.operation.RequestKey.object;
import static io.muster.protocol.operation.RequestKey.text;
import static io.muster.protocol.operation.RequestKey.time;

import java.util.List;

/** The keys of requests. Operations share a key that means the same in each of them. */
public final class RequestKeys {
    static final RequestKey TARGETS = text(
            "targets",
            "Only these hosts: ranks, hosts, `all`, `@PROPERTY`, `@{EXPR}` and paths of vertices, in words with spaces between"
                    + " them. Each must exist. Without it: all hosts.");
    static final RequestKey INCLUDE = text("include", "Only these hosts, like `targets`, of which one must exist.");
    static final RequestKey QUEUES = text(
            "queues",
            "Only hosts of one of these queues, or with one of these properties if there is no such queue; separated by"
                    + " commas.");
    static final RequestKey PROPERTY_NAMES =
            text("properties", "Only hosts with one of these properties; separated by commas.");
    static final RequestKey WITH_TIME =
            flag("time", "Whether the answer has the time of the daemon, and how far a standby is behind.");
    static final RequestKey OFFER_STATES = text(
            "states",
            "Only resources in these states: free, allocated, down, up for the first two, all; separated by commas.");
    static final RequestKey RLIST = flag("rlist", "Whether each group has its resources in short form.");
    static final RequestKey NEW_SINCE = time(
            "since",
            "Problems that began at this time or later are new, by RFC 3339 or in seconds since the epoch. Default: 12 hours"
                    + " ago.");
    static final RequestKey PAST_TARGETS = text(
            "targets",
            "Only these ranks or hosts, `all` or `@PROPERTY`; hosts that R no longer names too. Without it: all hosts.");
    static final RequestKey STATES = text(
            "states",
            "Only hosts in these states: available, allocated, torpid, excluded, lost, draining, drained; offline, unknown and"
                    + " online restrict the others; separated by commas.");
    static final RequestKey OF_CLASS =
            text("class", "Only hosts with a hold of this class, and planned holds of this class.");
    static final RequestKey OF_TICKET =
            text("ticket", "Only hosts with a hold for this ticket, and planned holds for it.");
    static final RequestKey EXPAND = flag("expand", "Whether each group has the list of its hosts too.");
    static final RequestKey LIMIT = integer("limit", "Rows on a page, 1 to 1000. Default: 100 hosts, or all groups.");
    static final RequestKey PROBLEMS = integer("limit", "Problems in each list, 1 to 1000. Default: 10.");
    static final RequestKey AFTER = integer("after", "Only rows after this one: `next` of the page before.");
    static final RequestKey EXPLAINED = text(
                    "targets",
                    "Ranks, hosts, `all`, `@PROPERTY`, `@{EXPR}`, hosts that R no longer names, or paths or names of vertices.")
            .needed();
    static final RequestKey COUNT = integer("count", "Events about each host or vertex, 0 to 100. Default: 5.");
    static final RequestKey HOST = text("host", "Name of the host.").needed();

    static final RequestKey SINCE = time(
            "since",
            "Beginning of the period, by RFC 3339 or in seconds since the epoch. Without it: all that is known.");
    static final RequestKey UNTIL = time("until", "End of the period. Without it: now.");
    static final RequestKey NOTES = flag("notes", "Whether marks and tags are intervals too.");
    static final RequestKey ROWS_BY = text("by", "What the rows are about. Without it: no rows, only the total.")
            .of("rack", "class", "queue", "host");
    static final RequestKey AT_LEAST =
            integer("at_least", "Only rows with at least this number of outages. Default: 0.");
    static final RequestKey BARS =
            integer("bars", "Number of equal parts of the period that are summed too, 1000 at most. Default: 0.");
    static final RequestKey SUM_BY = text("by", "Key of the sums. Default: reason.")
            .of("reason", "host", "holder", "user", "state", "class", "ticket");
    static final RequestKey SUM_STATES = text(
            "states",
            "Count time in these states: drained, excluded, lost, offline, torpid; separated by commas. Default:"
                    + " drained.");

    static final RequestKey EXPR =
            text("expr", "What to find; docs/find.md has the grammar.").needed();
    static final RequestKey SUBSYSTEM = text("subsystem", "Walk only this hierarchy.");
    static final RequestKey FROM = text("from", "Begin the walk below what this expression finds.");
    static final RequestKey PRUNE = text("prune", "Skip everything below what matches this expression.");
    static final RequestKey ORDER = text("order", "The order of the walk.").of("pre", "post");
    static final RequestKey BEST = integer("best", "Only this many with the highest number in the key `by`.");
    static final RequestKey BY = text("by", "The key for `best`.");
    static final RequestKey OUTPUT =
            text("output", "What the answer lists. Default: hosts.").of("hosts", "paths", "jgf");

    static final RequestKey JOBSPEC = object("jobspec", "A jobspec (RFC 14 or RFC 25).");
    static final RequestKey RESOURCES = list("resources", "In place of `jobspec`: a list of resources (RFC 14).");
    static final RequestKey CONSTRAINT = object("constraint", "A constraint (RFC 31), beside `resources`.");
    static final RequestKey DURATION = number("duration", "Seconds, beside `resources`.");
    static final RequestKey EXPLAIN = flag("explain", "Whether the answer is a document, for every verdict.");
    static final RequestKey NOW = flag("now", "Ask about the hosts that are up, not about all hosts.");

    static final RequestKey VERSION =
            text("version", "The version of the webhook.").of("4").needed();
    static final RequestKey TRUNCATED = integer(
            "truncatedAlerts",
            "How many alerts the Alertmanager left out. If there are any, the message ends no hold.");
    static final RequestKey ALERTS = list("alerts", "At most 1,000 alerts.").needed();

    static final RequestKey TARGETS_OF_CHANGE = text("targets", "An idset of ranks, or a hostlist.");
    private static final String SELECTION =
            "Ranks, hosts, `all`, `@PROPERTY`, `@{EXPR}` and paths of vertices, separated by commas. For a drain, `all` and what"
                    + " follows @ leave out hosts that are excluded or lost.";
    static final RequestKey SELECT = text("select", "Replaces `targets`. " + SELECTION);

    /** {@link #SELECT} over HTTP, where a change has no other targets. */
    static final RequestKey SELECTED = text("targets", SELECTION).needed();

    static final RequestKey EXPECT = text(
            "expect",
            "Hostlist of the targets that a person has confirmed, or its digest from a dry run; the change is refused if the"
                    + " targets are other hosts now.");
    static final RequestKey REASON_MEANT = flag(
            "reason-meant", "The reason is meant, although it begins with targets: otherwise, `select` refuses it.");
    static final RequestKey DRY_RUN =
            flag("dry-run", "Whether nothing is changed, and the response says what would happen.");
    static final RequestKey ID = text(
            "id",
            "A UUID that the client chose: the same request with the same id is one change, however often it is sent.");
    static final RequestKey IF_SEQ =
            integer("if-seq", "The sequence number that the client has seen: the change is refused in another state.");
    static final RequestKey REASON = text("reason", "Why; absent for no reason.");
    static final RequestKey HOLDER = text("holder", "Name of the holder; absent for `admin`, which all share.");
    static final RequestKey ENDED_HOLDER = text("holder", "Name of the holder. Over HTTP, `admin` without it.");
    static final RequestKey HOLD_FROM = time(
            "from",
            "When the hold begins, by RFC 3339 or in seconds since the epoch; absent for now. Until then the hold is planned, and the"
                    + " hosts stay available.");
    static final RequestKey HOLD_UNTIL =
            time("until", "When the hold ends by itself, by RFC 3339 or in seconds since the epoch; absent for never.");
    static final RequestKey HOLD_FOR = duration(
            "for",
            "In place of `until`: how long the hold lasts after its beginning, in seconds; over HTTP also text such as `90m`, `12h` or `7d`.");
    static final RequestKey CLASS =
            text("class", "Class of the hold, such as `hardware`: one of those in `holds.classes`.");
    static final RequestKey TICKET = text("ticket", "Ticket of the site's tracker: one word, such as `OPS-881`.");
    static final RequestKey CHECK = text("check", "Name of the check whose result `ok` ends the hold.");
    static final RequestKey HOLD_ACTION = text("action", "Name of the action that has to be done to the host.");
    static final RequestKey PLANNED =
            flag("planned", "Whether planned holds are cancelled, in place of ending holds that have begun.");
    static final RequestKey MODE = text(
                    "mode",
                    "What happens to hosts that the holder holds already: without a mode the request is refused.")
            .of("update", "overwrite", "force-overwrite");
    static final RequestKey END_MODE = text(
                    "mode",
                    "`update` leaves out hosts without such a hold; `overwrite` and `force-overwrite` also lift what"
                            + " another user placed.")
            .of("update", "overwrite", "force-overwrite");
    static final RequestKey CAUSE = text("cause", "The cause of the change of liveness.");
    static final RequestKey RANKS = text("ranks", "Idset of the ranks.").needed();
    static final RequestKey PROPERTIES =
            object("properties", "Targets for each property, by its name.").needed();
    static final RequestKey EXPIRATION =
            number("expiration", "Seconds since the epoch; 0 for never.").needed();
    static final RequestKey OWNER = text("owner", "Name under which the acquisition is kept.");
    static final RequestKey GRACE = number("grace", "For how many seconds the owner may be without a connection.");
    static final RequestKey PATHS = list("paths", "Paths of vertices.");
    static final RequestKey TAG = object("tag", "Tags to add; null in place of a value removes the tag.");
    static final RequestKey MARK = object("mark", "`state` and `reason` of a mark; the state null removes the mark.");
    static final RequestKey DATA =
            object("data", "Objects to store, by their keys; null in place of an object removes it.");

    static final RequestKey ATTEMPT_STATES = text(
            "states",
            "Only attempts in these states: busy, offered, claimed, failed, done, check, check-failed; separated by commas.");
    static final RequestKey CHECK_NAME = text("check", "Name of the check.").needed();
    static final RequestKey ATTEMPT = integer(
                    "attempt", "The number of the attempt, which the answer to `resource.work` has.")
            .needed();
    static final RequestKey CHECK_RESULT =
            text("result", "What came of the check.").of("ok", "failed").needed();
    static final RequestKey WORK_RESULT =
            text("result", "What came of the action.").of("done", "failed").needed();
    static final RequestKey DETAIL = text("detail", "One line about the result.");
    static final RequestKey LEASE = duration(
            "lease",
            "How long the claim lasts, 10 s to 7 days; over HTTP also text such as `30m`. Default: 30 minutes.");
    static final RequestKey BOOT = text("boot", "The boot id of the host: /proc/sys/kernel/random/boot_id.")
            .needed();

    static final RequestKey PATH = text("path", "The file with the new R.").needed();
    static final RequestKey XML =
            flag("xml", "Whether the file is one of hwloc; refused.").needed();
    static final RequestKey FORCE =
            flag("force", "Whether the reload is made although jobs may run.").needed();
    static final RequestKey RIGHT =
            text("right", "What the page may do.").of("read", "hold", "change").needed();
    static final RequestKey LIFETIME =
            integer("lifetime", "The seconds after which the token expires.").needed();
    static final RequestKey TOKEN_HOLDER = text(
            "holder",
            "The holder of drains with the right `hold`; absent for the one of the grant, or the user's name.");

    static final RequestKey AFTER_SEQ =
            integer("since", "The sequence number of the last event that the follower has.");
    static final RequestKey MATCHTAG = integer("matchtag", "The matchtag of the request that is cancelled.")
            .needed();
    static final RequestKey REPORTER = text("reporter", "Name of the reporter.").needed();
    static final RequestKey REPORTED =
            text("ranks", "Idset of the ranks that the reporter reports for.").needed();
    static final RequestKey ONLINE =
            text("online", "Idset of those ranks that are online.").needed();
    static final RequestKey TORPID = text("torpid", "Idset of those ranks that are torpid.");
    static final RequestKey ALLOCATED =
            text("allocated", "Idset of the ranks that jobs use.").needed();
    static final RequestKey MARKS = object(
            "marks",
            "Which marks the scheduler of the reporter has: `time`, the time of the answer to `resource.marks` whose marks it was"
                    + " sent; `takes`, whether it takes marks; `refused`, places whose marks it refused. Absent if there is nothing"
                    + " to say.");
    static final RequestKey WAITING = object(
            "properties",
            "Properties that the scheduler of the reporter gets when it is loaded again: `why` not before; `waiting`, idsets by"
                    + " name. Absent if there are none.");
    static final RequestKey AUDIT_NUMBER = integer(
                    "question", "The number of the question; 0: the reporter answers questions.")
            .needed();
    static final RequestKey AUDIT_SECONDS =
            number("seconds", "How long the scheduler took to answer, and how long it was busy before.");
    static final RequestKey AUDIT_COST = number("cost", "How long the scheduler took to answer.");
    static final RequestKey AUDIT_ERROR = text("error", "Why the scheduler has not answered.");
    static final RequestKey BELIEF = object(
            "belief",
            "`known` and `down`, idsets; `properties`, idsets by name; `parts`, idsets of the hosts that are not down, by the name"
                    + " of a core or GPU that is down.");
    static final RequestKey JOBS = integer(
            "jobs",
            "The number of jobs that the question is about; -1: not known. Absent in an answer about the belief.");
    static final RequestKey USERID =
            integer("userid", "User id on the host of the relay.").needed();
    static final RequestKey USER = text("name", "Name of that user.").needed();
    static final RequestKey ATTRIBUTE = text("name", "Name of the attribute.").needed();
    static final RequestKey UP =
            integer("up", "How many hosts have to be online.").needed();

    /** The keys of the stream of events, which only HTTP has. */
    public static final List<RequestKey> OF_EVENTS = List.of(
            integer(
                    "since",
                    "The number of the last event that the reader has; 0 for all that are kept. Without it, and without"
                            + " Last-Event-ID: only new events."),
            text("filter", "Only events with these names, such as `drain,undrain`."));

    private RequestKeys() {}
}
