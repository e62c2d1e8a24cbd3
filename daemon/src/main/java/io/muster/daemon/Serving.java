package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Key;
import io.muster.daemon.config.Logging;
import io.muster.daemon.config.SourceFile;
import io.muster.daemon.core.Committed;
import io.muster.daemon.http.Health;
import io.muster.daemon.http.HttpEndpoint;
import io.muster.daemon.journal.CorruptException;
import io.muster.daemon.journal.disk.LockedException;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.metrics.Metrics;
import io.muster.daemon.service.Tracer;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.WireTrace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daemon as a process, from reading its configuration until it is told to stop. */
public final class Serving {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /** Exit statuses from sysexits.h; systemd units refer to them by number. */
    private static final int UNREADABLE_STATE = 65;

    private static final int INTERNAL = 70;
    private static final int LOCKED = 75;
    private static final int BAD_CONFIG = 78;

    private final Daemon daemon;
    private final Telemetry telemetry;
    private final SdNotify systemd;
    private final LogPipe logPipe;
    private final Pulse pulse = new Pulse(System::nanoTime);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile @Nullable HttpEndpoint http;
    private volatile @Nullable Reload reload;
    private volatile @Nullable WarmUp warmUp;

    private Serving(Daemon daemon, Telemetry telemetry, SdNotify systemd, LogPipe logPipe) {
        this.daemon = daemon;
        this.telemetry = telemetry;
        this.systemd = systemd;
        this.logPipe = logPipe;
    }

    /** @return the exit status if the daemon could not start; otherwise this does not return, since a signal ends the process */
    public static int run(@Nullable Path file, boolean traceWire) {
        try (LogPipe logPipe = LogPipe.install(Logging::gap)) {
            return run(file, traceWire ? Serving::trace : Tracer.OFF, logPipe);
        }
    }

    private static int run(@Nullable Path file, Tracer trace, LogPipe logPipe) {
        Environment environment = Environment.ofProcess();
        Hangup hangup = Hangup.listen();
        try {
            Config config = Config.load(file, environment);
            Logging.apply(config.reporting().logLevel(), config.reporting().logFormat());
            serve(config, file, environment, hangup, trace, logPipe);
            return 0;
        } catch (InvalidException e) {
            e.problems().forEach(problem -> log.error("{}", problem));
            return BAD_CONFIG;
        } catch (LockedException e) {
            log.error("{}", e.getMessage());
            return LOCKED;
        } catch (CorruptException | Recovered.UnreadableException e) {
            log.error("{}", e.getMessage());
            return UNREADABLE_STATE;
        } catch (IOException e) {
            log.error("{}", SourceFile.sentence(e));
            return 1;
        } catch (Exception | LinkageError e) { // LinkageError comes from Netty's native library
            log.error("the daemon could not start", e);
            return INTERNAL;
        }
    }

    /**
     * Starts the daemon and waits until it has stopped. Once the daemon has started, a shutdown hook stops it in order whatever ends the
     * process.
     */
    private static void serve(
            Config config, @Nullable Path file, Environment environment, Hangup hangup, Tracer trace, LogPipe logPipe)
            throws Exception {
        for (Problem note : config.notes()) {
            log.warn("{}", note);
        }
        config.effective().lines().forEach(line -> log.info("config {}", line));
        Telemetry telemetry = new Telemetry(new Metrics(Build.version(), Build.revision()));
        NativeLibrary.place(List.of(
                Path.of(System.getProperty("java.io.tmpdir", "/tmp")),
                NativeLibrary.nearest(config.storage().stateDir())));
        Daemon daemon = Daemon.start(config, environment, telemetry, trace);
        SdNotify systemd =
                SdNotify.open(environment.variables(), daemon.threads().loop());
        Serving serving = new Serving(daemon, telemetry, systemd, logPipe);
        Runtime.getRuntime().addShutdownHook(new Thread(serving::stop, "stop"));
        Gauges.bind(telemetry, daemon);
        serving.pulse.start(daemon.threads().core());
        serving.http = serving.endpoint(config);
        Reload reload = new Reload(daemon, file, environment, serving::reloading, serving::reloaded);
        serving.reload = reload;
        hangup.then(reload::hangup);
        telemetry.onCondition(serving::conditionChanged);
        serving.ready();
        serving.warmUp(environment);
        serving.stopped.await();
    }

    private static void trace(String peer, char direction, Message message) {
        System.err.println(direction == '<' ? WireTrace.received(peer, message) : WireTrace.sent(peer, message));
    }

    /** Starts the HTTP endpoint. A port that is in use prevents the start only if the configuration names that port. */
    private @Nullable HttpEndpoint endpoint(Config config) throws IOException {
        Optional<InetSocketAddress> address = config.reporting().metrics();
        if (address.isEmpty()) {
            return null;
        }
        try {
            HttpEndpoint endpoint = HttpEndpoint.start(
                    address.get(),
                    new HttpEndpoint.Content(telemetry.metrics()::scrape, this::health, this::readiness));
            log.info("metrics address={}", HttpEndpoint.shown(endpoint.address()));
            return endpoint;
        } catch (IOException e) {
            if (!config.effective().of(Key.METRICS).isDefault()) {
                throw e;
            }
            log.warn(
                    "there are no metrics, since the default address is taken; set muster.metrics: {}", e.getMessage());
            return null;
        }
    }

    /** The answer to /healthz: reports only faults that nothing but a restart repairs, which excludes a full disk. */
    private Health health() {
        return daemon.ledger().status().condition() == Condition.BROKEN
                ? Health.because(telemetry.fault())
                : pulse.health();
    }

    private Health readiness() {
        Health health = health();
        Health ready = health.ok() ? telemetry.health(daemon.inventory().stalledSeconds()) : health;
        return ready.noting(daemon.inventory().clock().trouble());
    }

    private void ready() {
        log.info(
                "ready socket={} pid={}: {}",
                daemon.config().listen().socket(),
                ProcessHandle.current().pid(),
                status());
        systemd.ready(status());
        Optional<Duration> watchdog = systemd.watchdogInterval();
        if (watchdog.isPresent()) {
            long nanos = watchdog.get().toNanos();
            var unused =
                    daemon.threads().core().scheduleAtFixedRate(systemd::watchdog, nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private String status() {
        Committed now = daemon.inventory().committed();
        InventoryState state = now.state();
        String counts =
                state.resources().nodes() + " nodes, " + state.view().up().size() + " up, seq " + now.seq();
        String refused = telemetry.fault().isEmpty() ? "" : ", changes are refused: " + telemetry.fault();
        String unreachable = telemetry.unreachable().isEmpty() ? "" : ", " + telemetry.unreachable();
        return counts + refused + unreachable;
    }

    private void conditionChanged() {
        systemd.status(status());
    }

    private void reloading() {
        systemd.reloading();
    }

    private void reloaded(boolean successful) {
        telemetry.reloaded(successful, daemon.inventory().now());
        systemd.ready(status());
    }

    /** The first change ends the warm-up, because it would wait for a processor. */
    private void warmUp(Environment environment) {
        long seq = daemon.inventory().seq();
        WarmUp started = new WarmUp(environment, () -> daemon.inventory().seq() != seq);
        warmUp = started;
        started.start();
    }

    private void stop() {
        Reload hangups = reload;
        if (hangups != null) {
            hangups.end();
        }
        systemd.stopping("stopping");
        WarmUp started = warmUp;
        if (started != null) {
            started.end();
        }
        daemon.stop();
        HttpEndpoint endpoint = http;
        if (endpoint != null) {
            endpoint.close();
        }
        telemetry.close();
        logPipe.close();
        stopped.countDown();
    }
}
