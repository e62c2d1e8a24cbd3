package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.Committed;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.http.Health;
import io.muster.daemon.http.Probes;
import io.muster.daemon.ledger.Condition;
import io.muster.inventory.state.InventoryState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports the daemon's condition: to systemd, to health probes and in the log. Safe on any thread. */
final class Vitals {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private final Core core;
    private final Threads threads;
    private final Telemetry telemetry;
    private final SdNotify systemd;
    private final Pulse pulse = new Pulse(System::nanoTime);

    Vitals(Core core, Threads threads, Telemetry telemetry, SdNotify systemd) {
        this.core = core;
        this.threads = threads;
        this.telemetry = telemetry;
        this.systemd = systemd;
    }

    /** Starts to watch the core thread. */
    void start() {
        pulse.start(threads.core());
    }

    /** Returns the site that needs no rights over HTTP. */
    Probes probes() {
        return new Probes(telemetry.metrics()::scrape, this::health, this::readiness, this::leads);
    }

    /** The answer to /healthz: reports only faults that require a restart, which a full disk does not. */
    private Health health() {
        return core.ledger().status().condition() == Condition.BROKEN
                ? Health.because(telemetry.fault())
                : pulse.health();
    }

    private Health readiness() {
        Inventory inventory = core.inventory();
        if (inventory.committed().seq() == 0) {
            return Health.because("the daemon is starting: it has no inventory yet");
        }
        Health health = health();
        Health ready = health.ok() ? telemetry.health(inventory.stalledSeconds()) : health;
        return ready.noting(inventory.clock().trouble());
    }

    /** The answer to /leader, for load balancers that send changes only to the daemon that makes them. */
    private Health leads() {
        Answer.Failed elsewhere = core.inventory().elsewhere();
        return elsewhere == null ? Health.OK : Health.because(elsewhere.text());
    }

    private String status() {
        Committed now = core.inventory().committed();
        InventoryState state = now.state();
        String counts =
                state.resources().nodes() + " nodes, " + state.view().up().size() + " up, seq " + now.seq();
        String refused = telemetry.fault().isEmpty() ? "" : ", changes are refused: " + telemetry.fault();
        String unreachable = telemetry.unreachable().isEmpty() ? "" : ", " + telemetry.unreachable();
        return counts + refused + unreachable;
    }

    void ready(Config config) {
        log.info(
                "ready socket={} pid={}: {}",
                config.listen().socket(),
                ProcessHandle.current().pid(),
                status());
        systemd.ready(status());
        Optional<Duration> watchdog = systemd.watchdogInterval();
        if (watchdog.isPresent()) {
            long nanos = watchdog.get().toNanos();
            var unused = threads.core().scheduleAtFixedRate(systemd::watchdog, nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    void conditionChanged() {
        systemd.status(status());
    }

    void reloading() {
        systemd.reloading();
    }

    /** @param successful whether the new configuration is in force */
    void reloaded(boolean successful) {
        telemetry.reloaded(successful, core.inventory().now());
        systemd.ready(status());
    }

    void stopping() {
        systemd.stopping("stopping");
    }
}
