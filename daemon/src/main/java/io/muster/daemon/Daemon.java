package io.muster.daemon;

import io.muster.daemon.access.Accounts;
import io.muster.daemon.access.Admission;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Key;
import io.muster.daemon.config.Listen;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.net.Gate;
import io.muster.daemon.net.PeerSocket;
import io.muster.daemon.service.Backend;
import io.muster.daemon.service.Changes;
import io.muster.daemon.service.FeasibilityChecks;
import io.muster.daemon.service.Histories;
import io.muster.daemon.service.Queries;
import io.muster.daemon.service.Tracer;
import io.muster.protocol.wire.Credentials;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running daemon: its parts, built in the order in which they are needed and closed in reverse. */
final class Daemon {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private static final long CLOCK_SECONDS = 1;
    private static final long SWEEP_SECONDS = 10;
    private static final long DAY_SECONDS = 86_400;
    private static final Duration PATIENCE_WITH_DISK = Duration.ofSeconds(10);

    private final Environment environment;
    private final Threads threads;
    private final Ledger ledger;
    private final Core core;
    private final Gate gate;
    private final Backend backend;
    private final Preparation preparation;
    private final List<PeerSocket> sockets = new ArrayList<>();
    private final Config started;
    private volatile Config config;

    /** Builds the parts on the core thread, which owns them. */
    private Daemon(
            Config config,
            Environment environment,
            Threads threads,
            Ledger ledger,
            Recovered recovered,
            Telemetry telemetry)
            throws Exception {
        this.started = config;
        this.config = config;
        this.environment = environment;
        this.threads = threads;
        this.ledger = ledger;
        Core built = threads.onCore(() -> Core.build(ledger, recovered, config, threads, telemetry));
        this.core = built;
        this.gate = threads.onCore(() -> gate(config, environment, threads));
        this.backend = threads.onCore(() -> backend(built, config, environment, threads, telemetry, ledger));
        this.preparation = new Preparation(core, threads);
    }

    /** @throws IOException whose message says what prevents the start */
    static Daemon start(Config config, Environment environment, Telemetry telemetry, Tracer trace) throws Exception {
        WallClock clock = new WallClock(InstantSource.system(), System::nanoTime, Core.limits(config));
        return start(config, environment, telemetry, trace, clock);
    }

    static Daemon start(Config config, Environment environment, Telemetry telemetry, Tracer trace, WallClock clock)
            throws Exception {
        Threads threads = new Threads();
        Recovered recovered = new Recovered(config.storage().journalMax(), clock);
        Ledger ledger = recovered.open(config.storage(), environment.uid(), telemetry, threads.core());
        telemetry.recovered(recovered, config.storage().stateDir());
        boolean started = false;
        try {
            Daemon daemon = new Daemon(config, environment, threads, ledger, recovered, telemetry);
            daemon.open(trace);
            new SocketWatch(daemon.sockets, telemetry).start(threads.core(), threads.worker());
            telemetry.reloaded(true, daemon.inventory().now());
            started = true;
            return daemon;
        } finally {
            if (!started) {
                Stop.close(ledger, PATIENCE_WITH_DISK);
                threads.close();
            }
        }
    }

    private static Gate gate(Config config, Environment environment, Threads threads) {
        Admissions admissions = new Admissions(
                admission(config, environment),
                threads.core(),
                threads.beside(threads.names()),
                threads.beside(threads.services()));
        return new Gate(admissions, config.listen());
    }

    private static Backend backend(
            Core core, Config config, Environment environment, Threads threads, Telemetry telemetry, Ledger ledger) {
        Credentials sender = new Credentials(environment.uid(), Credentials.OWNER | Credentials.LOCAL);
        Queries queries = new Queries(
                core.inventory(),
                core.acquires(),
                Build.attributes(config, environment),
                sender,
                telemetry,
                threads.beside(threads.answers()));
        queries.config(config.toJson());
        Changes changes = new Changes(
                core.inventory(), core.acquires(), threads.beside(threads.reloads()), Preparation.onReload(config));
        FeasibilityChecks feasible =
                new FeasibilityChecks(core.inventory()::state, core.inventory()::now, threads.beside(threads.checks()));
        Histories histories = new Histories(ledger.archive(), core.inventory(), threads.beside(threads.past()));
        return new Backend(queries, changes, core.acquires(), core.journals(), core.waiters(), feasible, histories);
    }

    private static Admission admission(Config config, Environment environment) {
        return Admission.of(
                environment.uid(),
                config.access(),
                new Accounts(),
                name -> log.warn("{} is no account: it is granted nothing", name));
    }

    private void open(Tracer trace) throws IOException, InterruptedException {
        preparation.start(config);
        threads.core().execute(core.expiry()::start);
        new DiskWatch(ledger).start(threads.core());
        every(CLOCK_SECONDS, core.inventory().clock()::isDoubted);
        every(DAY_SECONDS, core.snapshots()::refresh);
        every(SWEEP_SECONDS, () -> sockets.forEach(socket -> socket.sweep(System.nanoTime())));
        Listen listen = config.listen();
        Path admin = listen.adminSocket();
        bind(new PeerSocket.Place("main", listen.socket(), admin == null), trace);
        if (admin != null) {
            bind(new PeerSocket.Place("admin", admin, true), trace);
        }
    }

    private void every(long seconds, Runnable task) {
        var unused = threads.core().scheduleWithFixedDelay(task, seconds, seconds, TimeUnit.SECONDS);
    }

    private void bind(PeerSocket.Place place, Tracer trace) throws IOException {
        try {
            sockets.add(PeerSocket.bind(place, gate, backend, threads.loop(), trace));
        } catch (IOException e) {
            sockets.forEach(PeerSocket::close);
            throw e;
        }
    }

    Inventory inventory() {
        return core.inventory();
    }

    Core core() {
        return core;
    }

    Gate gate() {
        return gate;
    }

    Threads threads() {
        return threads;
    }

    Ledger ledger() {
        return ledger;
    }

    Config config() {
        return config;
    }

    /** Keys whose value in {@code next} is not in force and takes effect only at the next start. */
    List<Key> waitingForRestart(Config next) {
        return next.waitingForRestart(started);
    }

    List<PeerSocket> sockets() {
        return sockets;
    }

    /** Why a reload may not put {@code next} in force, or null. */
    @Nullable
    String refusal(Config next) {
        return preparation.refusal(next);
    }

    /** What can change while the daemon runs, changes. Not on the core thread: names are looked up, and the disk waited for. */
    void reconfigure(Config next) throws Exception {
        Admission admission = admission(next, environment);
        threads.onCore(() -> {
            gate.replace(admission, next.listen());
            core.configure(next);
            backend.queries().config(next.toJson());
            backend.changes().definition(Preparation.onReload(next));
            return true;
        });
        for (PeerSocket socket : sockets) {
            socket.modeChanged();
        }
        preparation.reload(next);
        config = next;
    }

    void stop() {
        new Stop(core, threads, ledger, sockets, PATIENCE_WITH_DISK).run();
        log.info("stopped");
    }
}
