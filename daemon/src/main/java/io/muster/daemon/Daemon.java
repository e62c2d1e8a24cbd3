package io.muster.daemon;

import io.muster.daemon.access.Accounts;
import io.muster.daemon.access.Admission;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.alert.Receiver;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.LedgerSettings;
import io.muster.daemon.config.Listen;
import io.muster.daemon.config.ListenAddress;
import io.muster.daemon.config.Logging;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.metrics.Meter;
import io.muster.daemon.net.Gate;
import io.muster.daemon.net.Listener;
import io.muster.daemon.net.PeerSocket;
import io.muster.daemon.net.TlsSocket;
import io.muster.daemon.service.Audits;
import io.muster.daemon.service.Backend;
import io.muster.daemon.service.Changes;
import io.muster.daemon.service.Consequences;
import io.muster.daemon.service.DaemonDocument;
import io.muster.daemon.service.Documents;
import io.muster.daemon.service.Explanations;
import io.muster.daemon.service.FeasibilityChecks;
import io.muster.daemon.service.PastDocuments;
import io.muster.daemon.service.Queries;
import io.muster.daemon.service.Searches;
import io.muster.daemon.service.Selections;
import io.muster.daemon.service.Structures;
import io.muster.daemon.service.Tracer;
import io.muster.daemon.service.WebTokens;
import io.muster.daemon.tls.CertificateFiles;
import io.muster.daemon.tls.Certificates;
import io.muster.daemon.tls.Handshakes;
import io.muster.daemon.token.TokenFile;
import io.muster.daemon.token.Tokens;
import io.muster.protocol.wire.Credentials;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running daemon: its parts, built in the order in which they are needed and closed in reverse. */
final class Daemon {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private static final long CLOCK_SECONDS = 1;
    private static final long LOOK_SECONDS = 2;
    private static final long IDLE_SECONDS = 5;
    private static final long SWEEP_SECONDS = 10;
    private static final long PREPARE_SECONDS = 60;
    private static final long DAY_SECONDS = 86_400;
    private static final Duration PATIENCE_WITH_ETCD = Duration.ofSeconds(15);
    static final Duration PATIENCE_WITH_DISK = Duration.ofSeconds(10);

    final Threads threads;
    final List<Listener> sockets = new ArrayList<>();
    private final Config config;
    private final Environment environment;
    private final Core core;
    private final Gate gate;
    private final Backend backend;
    private final Preparation preparation;
    final Tokens tokens;
    private final Telemetry telemetry;
    private final Vitals vitals;
    final Web web;
    final Certificates certificates;
    private final Handshakes handshakes;
    private volatile @Nullable ConfigReload reload;
    private volatile @Nullable WarmUp warmUp;

    /** Builds the parts up to the sockets: peers are served from then on. The core thread owns its parts, so it builds them. */
    private Daemon(
            Config config, Environment environment, Threads threads, Core core, Telemetry telemetry, Tracer trace)
            throws Exception {
        this.config = config;
        this.environment = environment;
        this.threads = threads;
        this.core = core;
        this.telemetry = telemetry;
        this.gate = threads.onCore(() -> gate(config, environment, threads));
        TokenFile file = new TokenFile(LocalDisk.existing(config.storage().stateDir()));
        this.tokens =
                new Tokens(file, core.inventory()::now, System::nanoTime, gate.accounts(), telemetry::tokenRefused);
        core.expiry()
                .ask(new Authors(gate.admissions(), tokens, core.shared() == null, threads.beside(threads.worker())));
        gate.accounts().onRefusal(telemetry::limited);
        WebTokens pages = new WebTokens(file, tokens, core.inventory()::now, threads.beside(threads.worker()));
        this.certificates = new Certificates(config);
        this.backend = threads.onCore(
                () -> backend(core, config, environment, threads, telemetry, certificates::expiries, pages));
        this.preparation = new Preparation(core, threads);
        preparation.consult(backend.answers().calculations().consequences());
        Leadership following = null;
        EtcdLedger shared = core.shared();
        if (shared != null) {
            following = new Leadership(core, threads, preparation, shared, PATIENCE_WITH_ETCD);
            following.catchUp(config);
        } else {
            threads.core()
                    .execute(
                            core.streams().acquires()
                                    ::start); // an acquisition that is kept decides which parts of a new R wait
            preparation.start(config);
            threads.core().execute(core.expiry()::start);
            threads.core().execute(core.streams().reporters()::start);
        }
        // Health reports a missing state directory, and a disk that refused changes is used again before the next
        // request arrives.
        threads.every(LOOK_SECONDS, core.ledger()::probe);
        DiskSpace disk = new DiskSpace(config.storage().stateDir());
        threads.everyOnWorker(LOOK_SECONDS, disk::measure);
        telemetry.metrics().gauge(Meter.DISK_FREE, disk::free);
        threads.every(CLOCK_SECONDS, core.expiry()::lookAtClock);
        threads.every(DAY_SECONDS, core.snapshots()::refresh);
        SdNotify systemd = SdNotify.open(environment.variables(), threads.loop());
        this.vitals = new Vitals(core, threads, telemetry, systemd);
        this.web = new Web(threads, gate, vitals.probes(), telemetry);
        web.prepare(config, core, backend, tokens);
        this.handshakes = new Handshakes(certificates, threads.network(), threads.handshakes());
        bind(trace);
        threads.core().execute(backend.answers().past()::prepare);
        threads.every(PREPARE_SECONDS, backend.answers().past()::prepare);
        sweep();
        threads.everyOnWorker(LOOK_SECONDS, this::lookAtSockets);
        telemetry.reloaded(true, core.inventory().now());
        Gauges.bind(telemetry, core, gate, sockets, config.holds().classes());
        Gauges.bind(telemetry, certificates);
        if (following != null) {
            settle(following);
        }
    }

    private void sweep() {
        threads.every(SWEEP_SECONDS, () -> threads.reloads().execute(certificates::lookAgain));
        threads.every(SWEEP_SECONDS, () -> sockets.forEach(socket -> socket.sweep(System.nanoTime())));
        threads.every(SWEEP_SECONDS, gate.accounts()::sweep);
        Garbage garbage = new Garbage(Runtime.getRuntime()::totalMemory, System::gc);
        threads.every(IDLE_SECONDS, () -> garbage.look(core.inventory().seq()));
    }

    /** Waits until the daemon leads or follows. Everything is built, so that a daemon that begins to lead serves at once. */
    private void settle(Leadership following) throws Exception {
        boolean settled = false;
        try {
            following.settle();
            settled = true;
        } finally {
            if (!settled) {
                unbind();
            }
        }
    }

    /** Checks the names of the sockets: without its name, clients cannot connect to a socket, and nothing else would report this. */
    void lookAtSockets() {
        telemetry.unreachable(
                Stream.concat(Stream.of(web.fault()), sockets.stream().map(Listener::fault))
                        .filter(fault -> !fault.isEmpty())
                        .collect(Collectors.joining("; ")));
    }

    private void unbind() {
        sockets.forEach(Listener::close);
        web.close();
    }

    /** @throws IOException whose message says what prevents the start */
    static Daemon start(Config config, Environment environment, Telemetry telemetry, Tracer trace) throws Exception {
        WallClock clock = new WallClock(InstantSource.system(), System::nanoTime, Core.limits(config));
        return start(config, environment, telemetry, trace, clock);
    }

    static Daemon start(Config config, Environment environment, Telemetry telemetry, Tracer trace, WallClock clock)
            throws Exception {
        Addresses.requireFree(config);
        Threads threads = new Threads();
        Recovered recovered = new Recovered(config.storage().journalMax(), clock, threads.machine());
        EtcdLedger shared = config.ledger().kind() == LedgerSettings.Kind.ETCD
                ? SharedLedger.open(config, environment, telemetry, recovered, threads.core())
                : null;
        Ledger ledger = shared == null
                ? recovered.open(config.storage(), environment.uid(), telemetry, threads.core())
                : shared;
        telemetry.recovered(recovered, config.storage().stateDir());
        Core core = null;
        boolean started = false;
        try {
            core = threads.onCore(() -> Core.build(ledger, shared, recovered, config, threads, telemetry));
            Daemon daemon = new Daemon(config, environment, threads, core, telemetry, trace);
            started = true;
            return daemon;
        } finally {
            if (!started) {
                end(core, threads);
                Stop.close(threads.machine(), ledger, PATIENCE_WITH_DISK);
                threads.close();
            }
        }
    }

    /** Makes the core submit nothing more to a ledger that is about to close. */
    private static void end(@Nullable Core core, Threads threads) throws Exception {
        if (core != null) {
            Inventory inventory = core.inventory();
            threads.onCore(() -> {
                inventory.close();
                return true;
            });
        }
    }

    private static Gate gate(Config config, Environment environment, Threads threads) {
        Admissions admissions = new Admissions(
                admission(config, environment),
                threads.core(),
                threads.beside(threads.names()),
                threads.beside(threads.services()));
        if (config.listen().adminSocket() != null) {
            admissions.reserveChangesForAdminSocket();
        }
        return new Gate(admissions, config.listen(), AccountBook.ofHeap());
    }

    /** Builds the parts that serve requests. To be called on the core thread. */
    static Backend backend(
            Core core,
            Config config,
            Environment environment,
            Workers workers,
            Telemetry telemetry,
            Supplier<List<Certificates.Expiry>> expiries,
            WebTokens pages) {
        Credentials sender = new Credentials(environment.uid(), Credentials.OWNER | Credentials.LOCAL);
        Queries queries = new Queries(
                core.inventory(),
                core.streams().acquires(),
                core.streams().reporters(),
                Build.attributes(config, environment, () -> SharedLedger.attributes(core.ledger())),
                telemetry,
                workers.beside(workers.answers()));
        queries.configure(config);
        Structures structures = new Structures();
        structures.configure(config);
        Searches searches = new Searches(
                core.inventory()::committed, structures, workers.beside(workers.answers()), System::nanoTime);
        Selections selections = new Selections(core.inventory(), searches, structures);
        Consequences consequences = new Consequences(
                core.inventory(), core.streams().reporters(), core.streams().acquires(), workers.core());
        Changes changes = new Changes(
                core.inventory(),
                consequences,
                selections,
                workers.beside(workers.reloads()),
                () -> SharedLedger.upgradeRefusal(core.ledger()),
                Preparation.changes(config));
        FeasibilityChecks feasible = new FeasibilityChecks(
                core.inventory()::state, core.inventory()::now, structures, workers.beside(workers.checks()));
        Audits audits = new Audits(
                core.inventory(),
                core.streams().reporters(),
                core.streams().acquires(),
                structures,
                workers.core(),
                workers.beside(workers.api()));
        audits.configure(config);
        telemetry.metrics().gauge(Meter.AUDIT_DIFFERENCES, audits::hosts);
        Backend.Answers answers = new Backend.Answers(
                queries,
                new Documents(core.inventory(), queries, selections, workers.beside(workers.api())),
                new Explanations(
                        queries,
                        core.inventory()::now,
                        core.streams().journals().recent()::kept,
                        selections,
                        structures,
                        workers.beside(workers.api())),
                new PastDocuments(
                        core.ledger().archive(), core.inventory(), queries, structures, workers.beside(workers.past())),
                new DaemonDocument(core.inventory(), queries, core.ledger(), expiries, workers.beside(workers.api())),
                new Backend.Calculations(feasible, searches, audits, consequences));
        Receiver alerts = new Receiver(core.inventory(), workers.core(), telemetry::alert, config.alerts());
        return new Backend(sender, answers, core.streams(), changes, alerts, pages);
    }

    private static Admission admission(Config config, Environment environment) {
        return Admission.of(
                environment.uid(),
                config.access(),
                new Accounts(),
                name -> log.warn("{} has no account on this host and gets no right", name));
    }

    /** Binds the sockets, at the end of the construction: after this only {@link #settle} can fail, so that no socket stays without a daemon. */
    private void bind(Tracer trace) throws IOException {
        Listen listen = config.listen();
        Path admin = listen.adminSocket();
        List<PeerSocket.Place> places = new ArrayList<>();
        places.add(new PeerSocket.Place("main", listen.socket(), admin == null));
        if (admin != null) {
            places.add(new PeerSocket.Place("admin", admin, true));
        }
        Listener.Terms terms = new Listener.Terms(gate, backend, trace, threads.core());
        try {
            for (PeerSocket.Place place : places) {
                sockets.add(PeerSocket.bind(place, terms, threads.loop()));
            }
            for (ListenAddress address : config.addresses()) {
                if (address.kind() == ListenAddress.Kind.TLS) {
                    sockets.add(new TlsSocket(address, terms, handshakes));
                }
            }
            web.listen(config, handshakes);
            backend.web().serveAt(web.url());
            threads.core().execute(() -> backend.answers().daemon().countReaders(web::readers));
        } catch (IOException | RuntimeException e) {
            unbind();
            throw e;
        }
    }

    /** Starts the parts that people and systemd use: probes, reloads and the report that the daemon is ready. */
    void announce(Config.Source source, Hangup hangup) throws IOException {
        vitals.start();
        web.listenForProbes(config);
        ConfigReload hangups = reload(source);
        reload = hangups;
        hangup.then(hangups::hangup);
        telemetry.onCondition(vitals::conditionChanged);
        vitals.ready(config);
        long seq = core.inventory().seq();
        // The first change ends the warm-up, because the change needs the processors.
        WarmUp started = new WarmUp(environment, () -> core.inventory().seq() != seq);
        warmUp = started;
        started.start();
    }

    ConfigReload reload(Config.Source source) {
        return new ConfigReload(
                () -> CertificateFiles.checked(source.load(environment)),
                config,
                parts(),
                preparation,
                vitals,
                threads.reloads());
    }

    /**
     * The parts that a reload configures, in this order and on the thread {@code reload}. The parts on the core thread count as one of
     * them. The inventory comes last because it waits for the disk.
     */
    private List<Configurable> parts() {
        List<Configurable> onCore = List.of(
                gate,
                core,
                backend.alerts(),
                backend.answers().queries(),
                backend.answers().calculations().audits(),
                backend.answers().calculations().searches(),
                next -> backend.changes().configure(Preparation.changes(next)));
        List<Configurable> parts = new ArrayList<>();
        parts.add(next ->
                Logging.apply(next.reporting().logLevel(), next.reporting().logFormat()));
        parts.add(next -> configure(onCore, next));
        parts.add(certificates);
        parts.addAll(sockets);
        parts.add(web);
        parts.add(preparation);
        return parts;
    }

    /** Looks up names, which may take seconds, and then configures all parts on the core thread in one task: no request meets a mixture. */
    private void configure(List<Configurable> onCore, Config next) throws Exception {
        Admission admission = admission(next, environment);
        threads.onCore(() -> {
            gate.admissions().replace(admission);
            for (Configurable part : onCore) {
                part.configure(next);
            }
            return true;
        });
    }

    void stop() {
        ConfigReload hangups = reload;
        if (hangups != null) {
            hangups.end();
        }
        vitals.stopping();
        WarmUp started = warmUp;
        if (started != null) {
            started.end();
        }
        web.close();
        threads.worker().execute(tokens::writeUses);
        new Stop(core, threads, sockets, backend.answers().past()::endAll, PATIENCE_WITH_DISK).run();
        threads.close();
        log.info("stopped");
    }
}
