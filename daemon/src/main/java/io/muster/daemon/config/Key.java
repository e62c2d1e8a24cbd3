package io.muster.daemon.config;

import io.muster.inventory.problem.Text;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Every key that Muster checks. The start-up table, the documentation and the tests are made from this list. */
public enum Key {
    RESOURCE_PATH("resource", "path", Effect.RELOAD, "file with R (RFC 20, version 1)"),
    RESOURCE_CONFIG(
            "resource", "config", Effect.RELOAD, "R as [[resource.config]] entries: hosts, cores, gpus, properties"),
    RESOURCE_SCHEDULING("resource", "scheduling", Effect.RELOAD, "file whose JSON replaces R's scheduling key"),
    RESOURCE_EXCLUDE(
            "resource", "exclude", Effect.RELOAD, "ranks (idset) or hosts (hostlist) withheld from schedulers"),
    RESOURCE_JOURNAL_MAX("resource", "journal-max", Effect.RELOAD, "events held in memory for resource.journal"),
    RESOURCE_HISTORY("resource", "history", Effect.RESTART, "how long old journal segments are kept (FSD)"),
    RESOURCE_NORESTRICT("resource", "norestrict", Effect.BROKER, "hwloc restriction"),
    RESOURCE_NOVERIFY("resource", "noverify", Effect.BROKER, "hwloc verification"),
    RESOURCE_VERIFY("resource", "verify", Effect.BROKER, "hwloc verification"),
    RESOURCE_REDISCOVER("resource", "rediscover", Effect.BROKER, "hwloc discovery"),
    RESOURCE_NO_UPDATE_WATCH("resource", "no-update-watch", Effect.BROKER, "a switch of flux-core's tests"),
    ACCESS_ALLOW_GUEST_USER("access", "allow-guest-user", Effect.RELOAD, "others than the owner may connect and read"),
    ACCESS_ALLOW_ROOT_OWNER("access", "allow-root-owner", Effect.RELOAD, "root has the owner's rights"),
    ACCESS_PRIVATE_MODE("access", "private-mode", Effect.BROKER, "visibility of jobs"),
    ACCESS_ROLES("access", "roles", Effect.RELOAD, "users and groups with flux's admin role"),
    GRANT(
            "",
            "grant",
            Effect.RELOAD,
            "rights as [[grant]] entries: who, or san, ca, crl and root; rights, holder, hosts"),
    LISTEN(
            "",
            "listen",
            Effect.RESTART,
            "network addresses as [[listen]] entries: tls, https, http or http-socket; certificate, key"),
    GRAPH(
            "",
            "graph",
            Effect.RELOAD,
            "levels of the resource graph as [[graph]] entries: type, names or count, in, hosts, holds, each, size,"
                    + " unit, properties, subsystem, relationship, direction"),
    BRAKE(
            "",
            "brake",
            Effect.RELOAD,
            "how many hosts programs may drain in a time as [[brake]] entries: holder, hosts, window"),
    HOLDS_CLASSES("holds", "classes", Effect.RELOAD, "names of the classes that a hold may have"),
    HOLDS_CHECKS("holds", "checks", Effect.RELOAD, "names of the checks whose result may end a hold"),
    HOLDS_ACTIONS("holds", "actions", Effect.RELOAD, "names of the actions that a hold may ask for"),
    HOLDS_REBOOTS(
            "holds", "reboots", Effect.RELOAD, "those of the actions that another boot id of the host has to prove"),
    POLICY(
            "",
            "policy",
            Effect.RELOAD,
            "when the daemon drains hosts by itself as [[policy]] entries: when, after, targets, hold"),
    ALERTS_HOLDER(
            "alerts", "holder", Effect.RELOAD, "holder of the holds that alerts place; without it, alerts are refused"),
    ALERTS_LABEL("alerts", "label", Effect.RELOAD, "label of an alert that names the host"),
    ALERTS_CLASS("alerts", "class", Effect.RELOAD, "word that begins the reason of each hold"),
    ALERTS_REASON("alerts", "reason", Effect.RELOAD, "reason of a hold; {NAME} is a label or annotation of the alert"),
    ALERTS_GRACE(
            "alerts", "grace", Effect.RELOAD, "how long a hold lasts after the last message of the Alertmanager (FSD)"),
    FLUX_AUDIT(
            "flux",
            "audit",
            Effect.RELOAD,
            "how often schedulers are asked what they believe, to compare it with what they were sent (FSD); 0: only by `muster audit`"),
    FLUX_PROPERTIES(
            "flux",
            "properties",
            Effect.RELOAD,
            "load: Fluxion gets changed properties when it is loaded again; live: also while it runs, if R has no graph"),
    SOCKET("muster", "socket", Effect.RESTART, "UNIX socket that schedulers and commands connect to"),
    ADMIN_SOCKET(
            "muster",
            "admin-socket",
            Effect.RESTART,
            "second socket; if set, the first one takes no changes of users of this host"),
    STATE_DIR("muster", "state-dir", Effect.RESTART, "directory of journal and snapshot"),
    ACQUIRE("muster", "acquire", Effect.RELOAD, "exclusive: one scheduler at a time; shared: any number"),
    RELOAD_DROP(
            "muster",
            "reload-drop",
            Effect.RELOAD,
            "largest share of the hosts that a reload may take away, 0 to 1; 1 permits everything"),
    CONFIRM_SHARE(
            "muster",
            "confirm-share",
            Effect.RELOAD,
            "share of the hosts beyond which a command on a terminal asks before a change, 0 to 1; 1 never asks"),
    BATCH(
            "muster",
            "batch",
            Effect.RELOAD,
            "how long after an update to a scheduler changes are collected for the next one (FSD)"),
    INITIAL("muster", "initial", Effect.RELOAD, "liveness of a host that was never reported: online or offline"),
    METRICS("muster", "metrics", Effect.RESTART, "address:port of /metrics, /healthz and /readyz, or off"),
    MAX_FRAME("muster", "max-frame", Effect.RELOAD, "largest message taken from owner and admins"),
    MAX_FRAME_GUEST("muster", "max-frame-guest", Effect.RELOAD, "largest message taken from anybody else"),
    MAX_CONNECTIONS(
            "muster",
            "max-connections",
            Effect.RELOAD,
            "connections at a time over all sockets; guests may use 15/16 of them, and one user half"),
    MAX_READERS("muster", "max-readers", Effect.RELOAD, "readers of events over HTTP that one user may have"),
    HOLD_RATE(
            "muster",
            "hold-rate",
            Effect.RELOAD,
            "changes of 1 KiB in a second by a user who has the right hold, but not change"),
    HOLD_BURST("muster", "hold-burst", Effect.RELOAD, "how many of these changes such a user may make at once"),
    SNAPSHOT_EVERY("muster", "snapshot-every", Effect.RELOAD, "events between snapshots; bounds replay"),
    HISTORY_SIZE("muster", "history-size", Effect.RESTART, "bytes of old journal segments kept"),
    CLOCK_JUMP(
            "muster",
            "clock-jump",
            Effect.RELOAD,
            "the daemon doubts a clock that is set by more than this at once (FSD)"),
    CLOCK_GAP(
            "muster",
            "clock-gap",
            Effect.RELOAD,
            "the daemon doubts a clock that at a start is this long after the last known time (FSD)"),
    CLOCK_SETTLE(
            "muster",
            "clock-settle",
            Effect.RELOAD,
            "how long the daemon doubts a clock that keeps its new time (FSD)"),
    LOG_FORMAT("muster", "log-format", Effect.RELOAD, "text or json"),
    LOG_LEVEL("muster", "log-level", Effect.RELOAD, "error, warn, info, debug or trace"),
    LEDGER_KIND("ledger", "kind", Effect.RESTART, "file: this daemon's own files; etcd: shared with other daemons"),
    LEDGER_ENDPOINTS("ledger", "endpoints", Effect.RESTART, "client URLs of etcd's members"),
    LEDGER_PREFIX("ledger", "prefix", Effect.RESTART, "the beginning of all keys in etcd"),
    LEDGER_MEMBER("ledger", "member", Effect.RESTART, "name of this daemon among those that share the ledger"),
    LEDGER_URIS("ledger", "uris", Effect.RESTART, "where clients connect to this daemon"),
    LEDGER_TTL("ledger", "ttl", Effect.RESTART, "how long after the end of a leader another daemon leads (FSD)"),
    LEDGER_PATIENCE(
            "ledger",
            "patience",
            Effect.RESTART,
            "how long the daemon waits until it knows whether a change was made (FSD)"),
    LEDGER_CA("ledger", "ca", Effect.RESTART, "file with the certificates that sign those of etcd's members"),
    LEDGER_CERTIFICATE(
            "ledger", "certificate", Effect.RESTART, "file with the certificate that the daemon shows to etcd"),
    LEDGER_KEY("ledger", "key", Effect.RESTART, "file with the private key of the certificate"),
    LEDGER_USER("ledger", "user", Effect.RESTART, "user of etcd"),
    LEDGER_PASSWORD_FILE("ledger", "password-file", Effect.RESTART, "file with the password of the user of etcd"),
    LEDGER_ALLOW_OLD_ETCD(
            "ledger",
            "allow-old-etcd",
            Effect.RESTART,
            "whether versions of etcd before 3.4.42 are accepted, for tests"),
    LEDGER_COMPACT("ledger", "compact", Effect.RESTART, "whether the leader compacts etcd after each snapshot");

    /** When a changed value takes effect. */
    public enum Effect {
        /** At SIGHUP. */
        RELOAD,
        /** At the next start; at SIGHUP a warning says that the value waits. */
        RESTART,
        /** Never: only a Flux broker uses the key. */
        BROKER
    }

    /** The tables whose keys are checked; all other tables belong to other programs. */
    static final List<String> SECTIONS = List.of("resource", "access", "holds", "alerts", "flux", "muster", "ledger");

    /** The arrays of tables at the top. */
    static final List<String> ARRAYS = List.of("grant", "listen", "graph", "brake", "policy");

    /** Keys that earlier configurations have, and what takes their place. */
    static final Map<String, String> GONE = Map.of(
            "alerts.share", "has gone: write [[brake]] with holder = \"alerts:*\" and hosts = \"5%\" in its place");

    /** The names of all tables and arrays of tables that Muster reads. */
    static final List<String> TOP = List.of(
            "resource",
            "access",
            "holds",
            "alerts",
            "flux",
            "muster",
            "ledger",
            "grant",
            "listen",
            "graph",
            "brake",
            "policy");

    /** How many names a sentence lists. */
    private static final int MOST_NAMES = 10;

    private final String section;
    private final String key;
    private final Effect effect;
    private final String about;

    Key(String section, String key, Effect effect, String about) {
        this.section = section;
        this.key = key;
        this.effect = effect;
        this.about = about;
    }

    /** The table that holds the key; "" for an array of tables at the top. */
    public String section() {
        return section;
    }

    public String key() {
        return key;
    }

    public Effect effect() {
        return effect;
    }

    public String about() {
        return about;
    }

    /** The full name of the key: {@code muster.state-dir}. */
    @Override
    public String toString() {
        return section.isEmpty() ? key : section + "." + key;
    }

    static Optional<Key> find(String section, String key) {
        return Arrays.stream(values())
                .filter(k -> k.section.equals(section) && k.key.equals(key))
                .findFirst();
    }

    static List<String> keysOf(String section) {
        return Arrays.stream(values())
                .filter(k -> k.section.equals(section))
                .map(Key::key)
                .toList();
    }

    /** "; did you mean X?" for the nearest name in {@code known}, or "" when none is near. */
    public static String suggestion(String given, List<String> known) {
        String best = "";
        int bestDistance = 1 + Math.max(1, given.length() / 3);
        for (String name : known) {
            int distance = Text.distance(fold(given), fold(name));
            if (distance < bestDistance) {
                best = "; did you mean " + name + "?";
                bestDistance = distance;
            }
        }
        return best;
    }

    /** Returns the clause that some of the names exist, and which of them may be meant in place of one that does not. */
    public static String known(String missing, Collection<String> names) {
        return (names.size() == 1 ? "there is " : "there are ") + some(missing, names);
    }

    /** Returns some of the names that exist, and which of them may be meant in place of one that does not. */
    public static String some(String missing, Collection<String> names) {
        String some = names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
        int more = names.size() - MOST_NAMES;
        return some + (more > 0 ? " and " + more + " more" : "") + suggestion(missing, List.copyOf(names));
    }

    /** Removes differences in spelling, so that {@code state_dir} and {@code stateDir} count as near to {@code state-dir}. */
    private static String fold(String name) {
        return name.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
    }
}
