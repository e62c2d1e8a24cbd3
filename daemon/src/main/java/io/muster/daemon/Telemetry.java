package io.muster.daemon;

import io.muster.daemon.account.Limit;
import io.muster.daemon.alert.Receiver;
import io.muster.daemon.core.AcquireMeters;
import io.muster.daemon.http.Health;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.metrics.Latency;
import io.muster.daemon.metrics.Meter;
import io.muster.daemon.metrics.Metrics;
import io.muster.daemon.metrics.Tally;
import io.muster.daemon.service.SessionMeters;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.operation.Right;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Credentials;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the reports of the daemon's parts to the meters and the log. */
final class Telemetry implements LedgerListener, SessionMeters, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger("journal");
    private static final Logger peers = LoggerFactory.getLogger("peer");

    /** Seconds without an answer after which the ledger counts as hanging rather than slow. */
    private static final double STALLED_SECONDS = 5;

    private static final String OK = "OK";

    private final Metrics metrics;
    private final Latency append;
    private final Latency fsync;
    private final Tally journalErrors;
    private final Tally historyCut;
    private final Tally expired;
    private final Tally braked;
    /** Counters by topic and error number. Used by the core thread only. */
    private final Map<String, Map<Integer, Tally>> requests = new HashMap<>();

    private volatile String fault = "";
    private volatile String unreachable = "";
    private volatile boolean reloadSuccessful;
    private volatile double configuredAt;
    private volatile long snapshotBytes;
    private volatile double snapshotTime;
    private volatile Runnable onCondition = () -> {};

    Telemetry(Metrics metrics) {
        this.metrics = metrics;
        append = metrics.timer(Meter.JOURNAL_APPEND);
        fsync = metrics.timer(Meter.JOURNAL_FSYNC);
        journalErrors = metrics.counter(Meter.JOURNAL_ERRORS);
        historyCut = metrics.counter(Meter.HISTORY_CUT);
        expired = metrics.counter(Meter.HOLDS_EXPIRED);
        braked = metrics.counter(Meter.BRAKED);
        for (String socket : new String[] {"main", "admin", "tls"}) {
            metrics.counter(Meter.CONNECTIONS_ACCEPTED, socket);
        }
        for (String reason : new String[] {"denied", "full", "handshake", "certificate"}) {
            metrics.counter(Meter.CONNECTIONS_REFUSED, reason);
        }
        for (Limit limit : Limit.values()) {
            metrics.counter(Meter.LIMITED, limit.word());
        }
        for (Receiver.Outcome outcome : Receiver.Outcome.values()) {
            metrics.counter(Meter.ALERTS, outcome.word());
        }
        for (String reason : new String[] {"unknown", "expired"}) {
            metrics.counter(Meter.TOKENS_REFUSED, reason);
        }
        for (Operation<?, ?> operation : Operations.all()) {
            metrics.counter(Meter.REQUESTS, operation.topic(), OK);
            if (operation.right() != Right.READ) {
                metrics.counter(Meter.DENIED, operation.topic());
            }
        }
        metrics.counter(Meter.HTTP_REQUESTS, "none", "404");
        metrics.counter(Meter.LOG_DROPPED, LogPipe::dropped);
        metrics.gauge(Meter.READ_ONLY, () -> fault.isEmpty() ? 0 : 1);
        metrics.gauge(Meter.CONFIG_RELOAD_SUCCESSFUL, () -> reloadSuccessful ? 1 : 0);
        metrics.gauge(Meter.CONFIG_RELOAD_TIME, () -> configuredAt);
        metrics.gauge(Meter.SNAPSHOT_BYTES, () -> snapshotBytes);
    }

    /** Sets the meters that describe the recovery. */
    void recovered(Recovered recovered, Path stateDir) {
        snapshotTime = recovered.snapshotTime();
        snapshotBytes = stateDir.resolve("snapshot.json").toFile().length();
        double seconds = recovered.seconds(); // copied: the gauges must not keep the whole of recovered
        long events = recovered.events();
        metrics.gauge(Meter.REPLAY_SECONDS, () -> seconds);
        metrics.gauge(Meter.REPLAY_EVENTS, () -> events);
    }

    /** When the last snapshot was written, in seconds since the epoch; 0 if there is none. */
    double snapshotTime() {
        return snapshotTime;
    }

    /** @param action run, on any thread, after each change of the journal's condition */
    void onCondition(Runnable action) {
        onCondition = action;
    }

    /** Why changes are refused; "" if they are accepted. */
    String fault() {
        return fault;
    }

    /** Why clients cannot connect by a socket's name; "" if they can. */
    String unreachable() {
        return unreachable;
    }

    /** @param sentence "" when the fault is over */
    void unreachable(String sentence) {
        if (!sentence.equals(unreachable)) {
            unreachable = sentence;
            if (sentence.isEmpty()) {
                peers.info("the sockets have their names again");
            } else {
                peers.error("{}", sentence);
            }
            onCondition.run();
        }
    }

    IntConsumer expired() {
        return expired::add;
    }

    void reloaded(boolean successful, double now) {
        reloadSuccessful = successful;
        if (successful) {
            configuredAt = now;
        }
    }

    Metrics metrics() {
        return metrics;
    }

    AcquireMeters acquire() {
        Tally first = metrics.counter(Meter.ACQUIRE_RESPONSES, "first");
        Tally update = metrics.counter(Meter.ACQUIRE_RESPONSES, "update");
        Tally error = metrics.counter(Meter.ACQUIRE_RESPONSES, "error");
        Tally conflated = metrics.counter(Meter.ACQUIRE_CONFLATED);
        Latency latency = metrics.timer(Meter.ACQUIRE_LATENCY);
        return new AcquireMeters() {
            @Override
            public void first() {
                first.increment();
            }

            @Override
            public void update() {
                update.increment();
            }

            @Override
            public void error() {
                error.increment();
            }

            @Override
            public void conflated() {
                conflated.increment();
            }

            @Override
            public void published(long nanos) {
                latency.record(nanos);
            }
        };
    }

    /** @param stalledSeconds how long the ledger has completed nothing although something waits for it */
    Health health(double stalledSeconds) {
        List<String> reasons = new ArrayList<>();
        if (!unreachable.isEmpty()) {
            reasons.add(unreachable);
        }
        if (!fault.isEmpty()) {
            reasons.add("changes are refused: " + fault);
        } else if (stalledSeconds >= STALLED_SECONDS) {
            reasons.add("changes wait: the ledger has not answered for " + Math.round(stalledSeconds) + " s");
        }
        return new Health(reasons, List.of());
    }

    @Override
    public void committed(int batches, int events, int bytes, long appendNanos, long forceNanos) {
        append.record(appendNanos);
        fsync.record(forceNanos);
    }

    @Override
    public void failed(String reason) {
        journalErrors.increment();
    }

    @Override
    public void condition(Condition condition, String reason) {
        fault = reason;
        switch (condition) {
            case WRITABLE -> log.info("the ledger can be written again");
            case READ_ONLY, CLOSED ->
                log.error(
                        "changes are refused until the ledger can be written again, or until a restart if journal files are gone: {}",
                        reason);
            case UNCERTAIN, BROKEN -> log.error("changes are refused: {}", reason);
        }
        onCondition.run();
    }

    @Override
    public void snapshotted(long seq, double time, long bytes, long nanos) {
        snapshotBytes = bytes;
        snapshotTime = time;
        log.debug("snapshot seq={} bytes={} ms={}", seq, bytes, nanos / 1_000_000);
    }

    @Override
    public void cut(int files) {
        historyCut.add(files);
    }

    @Override
    public void warning(String sentence) {
        log.warn("{}", sentence);
    }

    @Override
    public void broken(Throwable bug) {
        log.error("a bug made the journal fail", bug);
    }

    void snapshot(Outcome outcome) {
        if (!outcome.durable()) {
            log.warn("{}", outcome.reason());
        }
    }

    @Override
    public void answered(String topic, int errnum) {
        String name = Operations.of(topic) == null ? "unknown" : topic;
        requests.computeIfAbsent(name, t -> new HashMap<>())
                .computeIfAbsent(errnum, e -> metrics.counter(Meter.REQUESTS, name, e == 0 ? OK : new Errno(e).name()))
                .increment();
    }

    /** Counts a response over HTTP. */
    void served(String route, int status) {
        metrics.counter(Meter.HTTP_REQUESTS, route, Integer.toString(status)).increment();
    }

    @Override
    public void denied(Operation<?, ?> operation, String user, Credentials credentials, boolean loud) {
        metrics.counter(Meter.DENIED, operation.topic()).increment();
        if (loud) {
            peers.warn("denied topic={} user={} credentials={}", operation.topic(), user, credentials);
        } else {
            peers.debug("denied topic={} user={} credentials={}", operation.topic(), user, credentials);
        }
    }

    @Override
    public void faulted(Operation<?, ?> operation, String user, String sentence) {
        peers.info("refused topic={} user={}: {}", operation.topic(), user, sentence);
    }

    @Override
    public void connected(String socket) {
        metrics.counter(Meter.CONNECTIONS_ACCEPTED, socket).increment();
    }

    @Override
    public void refused(String reason) {
        metrics.counter(Meter.CONNECTIONS_REFUSED, reason).increment();
    }

    void braked() {
        braked.increment();
    }

    void alert(Receiver.Outcome outcome) {
        metrics.counter(Meter.ALERTS, outcome.word()).increment();
    }

    void limited(Limit limit, @Nullable String line) {
        metrics.counter(Meter.LIMITED, limit.word()).increment();
        if (line != null) {
            peers.warn("{}", line);
        }
    }

    void tokenRefused(String reason) {
        metrics.counter(Meter.TOKENS_REFUSED, reason).increment();
    }

    @Override
    public void close() {
        metrics.close();
    }
}
