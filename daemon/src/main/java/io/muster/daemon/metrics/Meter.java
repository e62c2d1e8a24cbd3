package io.muster.daemon.metrics;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Every meter of Muster; {@code docs/metrics.md} is generated from this list. No label takes values from hosts or peers. */
public enum Meter {
    NODES(
            "nodes",
            Type.GAUGE,
            "",
            "Ranks by state; each rank counts once, in the first of lost, excluded, offline, unknown, torpid, drained, up",
            "state"),
    NODES_FLAGGED(
            "nodes_flagged",
            Type.GAUGE,
            "",
            "Ranks that are excluded, offline, unknown, torpid, held, allocated or draining, whatever else they are",
            "flag"),
    RESOURCES("resources", Type.GAUGE, "", "Resources of all ranks: node, core, gpu", "type"),
    RESOURCES_UP("resources_up", Type.GAUGE, "", "Resources that schedulers may use now: node, core, gpu", "type"),
    HOLDS("holds", Type.GAUGE, "", "Holds in force; `admin` is the shared holder, `named` are all others", "holder"),
    HOLDS_OF_CLASS(
            "holds_by_class",
            Type.GAUGE,
            "",
            "Holds in force by their class: those that `holds.classes` had at the start, other, and none",
            "class"),
    HOLDS_PLANNED("holds_planned_nodes", Type.GAUGE, "", "Ranks with a planned hold that has not begun"),
    HOLD_OLDEST_AGE("hold_oldest_age_seconds", Type.GAUGE, "s", "Age of the oldest hold, 0 without any"),
    HOLDS_EXPIRED("holds_expired_total", Type.COUNTER, "", "Holds that lifted themselves at their `until`"),
    EXPIRATION("expiration_timestamp_seconds", Type.GAUGE, "s", "When the resource set expires, 0 if never"),

    ACQUIRE_STREAMS("acquire_streams", Type.GAUGE, "", "Schedulers that hold an acquisition"),
    ACQUIRE_AWAY("acquire_owners_away", Type.GAUGE, "", "Acquisitions that are kept for an owner who is not connected"),
    REPORTERS("reporters", Type.GAUGE, "", "Connected reporters of liveness and job usage"),
    ACQUIRE_RESPONSES(
            "acquire_responses_total",
            Type.COUNTER,
            "",
            "Responses written to schedulers: first, update, error",
            "kind"),
    ACQUIRE_CONFLATED(
            "acquire_conflated_total", Type.COUNTER, "", "Updates that were merged into a later one for a slow reader"),
    ACQUIRE_LATENCY(
            "acquire_latency_seconds", Type.TIMER, "s", "From a change being durable to its update being written"),
    AUDIT_DIFFERENCES(
            "audit_differences",
            Type.GAUGE,
            "",
            "Hosts about which a scheduler believes something else than it was sent, NaN if no scheduler has been asked"),
    JOURNAL_STREAMS("journal_streams", Type.GAUGE, "", "Followers of resource.journal"),

    JOURNAL_APPEND("journal_append_seconds", Type.TIMER, "s", "Writing one batch of lines, without the fsync"),
    JOURNAL_FSYNC("journal_fsync_seconds", Type.TIMER, "s", "One fdatasync of the journal"),
    JOURNAL_SEQUENCE("journal_sequence", Type.GAUGE, "", "Number of the last durable event"),
    JOURNAL_BYTES("journal_bytes", Type.GAUGE, "B", "Size of all journal segments, history included"),
    DISK_FREE("disk_free_bytes", Type.GAUGE, "B", "Free space on the disk of the state directory"),
    HISTORY_CUT(
            "history_cut_total",
            Type.COUNTER,
            "",
            "Journal segments deleted because of `history-size` before they were as old as `resource.history`"),
    JOURNAL_ERRORS("journal_errors_total", Type.COUNTER, "", "Groups of changes that could not be written or synced"),
    LEDGER_LEADS("ledger_leads", Type.GAUGE, "", "1 on the daemon that makes the changes, 0 on a standby"),
    LEDGER_TERM("ledger_term", Type.GAUGE, "", "Term in which this daemon leads on etcd, else 0"),
    LEDGER_LAG("ledger_lag_events", Type.GAUGE, "", "Events in etcd that this standby has not applied"),
    LEDGER_AGE("ledger_age_seconds", Type.GAUGE, "s", "Time since this daemon last knew that its state was the newest"),
    READ_ONLY("read_only", Type.GAUGE, "", "1 while changes are refused because the ledger cannot be written"),
    SNAPSHOT_AGE("snapshot_age_seconds", Type.GAUGE, "s", "Age of the last snapshot, 0 without one"),
    SNAPSHOT_BYTES("snapshot_bytes", Type.GAUGE, "B", "Size of the last snapshot"),
    REPLAY_SECONDS("replay_seconds", Type.GAUGE, "s", "How long reading snapshot and journal took at start"),
    REPLAY_EVENTS("replay_events", Type.GAUGE, "", "Events replayed at start"),

    REQUESTS("requests_total", Type.COUNTER, "", "Requests served; `errno` is `OK` or a name", "topic errno"),
    HTTP_REQUESTS(
            "http_requests_total",
            Type.COUNTER,
            "",
            "Responses over HTTP by route (`none`: an unknown path) and HTTP status",
            "route status"),
    EVENT_READERS("event_readers", Type.GAUGE, "", "Readers of /v1/events"),
    DENIED("denied_total", Type.COUNTER, "", "Requests refused because the user has no right to them", "topic"),
    ALERTS(
            "alerts_total",
            Type.COUNTER,
            "",
            "Alerts of an Alertmanager by result: held, ended, unchanged, unknown, share, limit, failed",
            "result"),
    TOKENS_REFUSED("tokens_refused_total", Type.COUNTER, "", "Bearer tokens refused: unknown, expired", "reason"),
    CONNECTIONS("connections", Type.GAUGE, "", "Open connections: main, admin, tls", "socket"),
    CONNECTIONS_ACCEPTED("connections_accepted_total", Type.COUNTER, "", "Connections welcomed", "socket"),
    CONNECTIONS_HELD(
            "connections_held_bytes",
            Type.GAUGE,
            "B",
            "Memory held for unfinished messages, waiting and open requests, and unread answers: of guests, of others",
            "peers"),
    LIMITED(
            "limited_total",
            Type.COUNTER,
            "",
            "Requests and connections refused because their user is past a limit: bytes, connections, requests, streams,"
                    + " readers, changes",
            "limit"),
    CONNECTIONS_REFUSED("connections_refused_total", Type.COUNTER, "", "Connections turned away", "reason"),

    CERTIFICATE_EXPIRY(
            "certificate_expiry_timestamp_seconds",
            Type.GAUGE,
            "s",
            "When the first certificate that the daemon shows (server), CA of a grant (ca) or list of revoked certificates"
                    + " (crl) expires, 0 without any",
            "kind"),
    CONFIG_RELOAD_SUCCESSFUL(
            "config_last_reload_successful", Type.GAUGE, "", "0 if the last SIGHUP found an invalid file"),
    CONFIG_RELOAD_TIME(
            "config_last_reload_timestamp_seconds", Type.GAUGE, "s", "When the running configuration was read"),
    CLOCK_JUMP(
            "clock_jump_seconds",
            Type.GAUGE,
            "s",
            "How far the wall clock is ahead of the daemon's time while it is doubted (negative: behind), else 0"),
    LOG_DROPPED(
            "log_lines_dropped_total",
            Type.COUNTER,
            "",
            "Lines of the log that were dropped since standard error was not read"),
    BUILD("build_info", Type.INFO, "", "Always 1", "version revision java");

    /** The types of Prometheus; a timer is exposed as a histogram of seconds. */
    public enum Type {
        COUNTER,
        GAUGE,
        TIMER,
        /**
         * A gauge with the constant value 1. Micrometer has no such type, and would remove {@code _info} from the name of a
         * gauge.
         */
        INFO;

        String shown() {
            return switch (this) {
                case TIMER -> "histogram";
                case INFO -> "gauge";
                default -> name().toLowerCase(Locale.ROOT);
            };
        }
    }

    private static final String PREFIX = "muster_";

    private final String suffix;
    private final Type type;
    private final String unit;
    private final String description;
    private final String labels;

    Meter(String suffix, Type type, String unit, String description, String labels) {
        this.suffix = suffix;
        this.type = type;
        this.unit = unit;
        this.description = description;
        this.labels = labels;
    }

    Meter(String suffix, Type type, String unit, String description) {
        this(suffix, type, unit, description, "");
    }

    /** Returns the name in Prometheus. For a timer, {@code _bucket}, {@code _sum} and {@code _count} are appended to it. */
    public String meterName() {
        return PREFIX + suffix;
    }

    public Type type() {
        return type;
    }

    public String unit() {
        return unit;
    }

    public String description() {
        return description;
    }

    public List<String> labels() {
        return labels.isEmpty() ? List.of() : List.of(labels.split(" "));
    }

    /** Returns the names of the time series that a scrape shows for this meter. */
    public List<String> seriesNames() {
        return type == Type.TIMER
                ? Stream.of("_bucket", "_sum", "_count")
                        .map(s -> meterName() + s)
                        .toList()
                : List.of(meterName());
    }
}
