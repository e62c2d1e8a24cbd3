package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.core.Commits;
import io.muster.daemon.core.Committed;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.etcd.EtcdModel;
import io.muster.daemon.etcd.SimLedger;
import io.muster.daemon.journal.CrashDisk;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.disk.LockedException;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.machine.Machine;
import io.muster.daemon.machine.SimExecutor;
import io.muster.daemon.machine.SimLevel;
import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import io.muster.daemon.net.Door;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A daemon of the simulated cluster: everything behind the sockets, on a disk that outlives its processes. */
final class SimDaemon {
    private static final long SECOND = 1_000_000_000;
    /** What a daemon says of a ledger that somebody else has changed, which nobody has done as long as the witness is whole. */
    private static final Pattern FOREIGN = Pattern.compile("somebody else|is incomplete|histories differ|is damaged");

    final String name;
    private final Simulation simulation;
    /** Null if the ledger is on files, which several daemons share: one serves, the others wait for its lock. */
    private final @Nullable EtcdModel etcd;

    private final SimWitness witness;
    private final List<Config> configs;
    private final Telemetry telemetry;
    final CrashDisk disk;
    /** How long a leader leads without an answer of etcd. */
    Duration ttl = Duration.ofSeconds(10);
    /** A backup of the state directory. */
    CrashDisk.@Nullable Image copied;
    /** How far the wall clock is ahead, in nanoseconds. */
    long ahead;

    /** How much more it is ahead because somebody has set it to a time far away. */
    long far;

    /** How much more it is ahead because somebody has set it wrong by hours; corrected before the next start, which may trust it. */
    long off;

    private long driftSince;
    private int permille;
    /** Whether the daemon cannot reach etcd. */
    boolean cutFromEtcd;
    /** Whether no client reaches the daemon. */
    boolean cutFromClients;
    /** Whether requests of clients arrive, and the answers do not. */
    boolean answersLost;
    /** How much longer each message from or to a client takes, in nanoseconds. */
    long linkDelay;

    private Config config;

    private @Nullable Run process;
    /** Since when the process runs and was not stopped; in the future if it is stopped now. */
    private long awakeSince;
    /** The newest format level that the program reads, from the next start on. */
    int level = SimLevel.NEXT;
    /** Why the last start failed. */
    String refusal = "";

    /** @param beside a daemon that has the same disk, or null */
    SimDaemon(String name, SimWorld world, @Nullable EtcdModel etcd, @Nullable SimDaemon beside) {
        this.name = name;
        this.simulation = world.simulation();
        this.etcd = etcd;
        this.witness = world.witness();
        this.configs = world.configs();
        this.config = configs.get(0);
        this.telemetry = world.telemetry();
        this.disk = beside == null ? new CrashDisk(this::wall) : beside.disk;
        disk.onForce(what -> note("forces " + what));
    }

    private void note(String what) {
        simulation.note(() -> name + " " + what);
    }

    private Instant wall() {
        return Instant.ofEpochSecond(1_700_000_000).plusNanos(simulation.now() + ahead + off + far + drifted());
    }

    private long drifted() {
        return (simulation.now() - driftSince) / 1000 * permille;
    }

    boolean drifts() {
        return permille != 0;
    }

    /** The wall clock runs faster or slower from now on. */
    void drift(int byPermille) {
        driftSince = simulation.now();
        permille = byPermille;
    }

    void endDrift() {
        permille = 0;
    }

    InstantSource clock() {
        return this::wall;
    }

    private Recovered recovered(SimMachine machine) {
        return new Recovered(100, new WallClock(this::wall, machine::nanos, Core.limits(config)), machine);
    }

    /** Reads the state directory, which no process may use. To be called on a thread of the machine. */
    Committed read(SimMachine machine) throws IOException {
        CrashDisk.Handle handle = disk.open();
        Recovered found = recovered(machine);
        try (Journal journal =
                found.openCopy(handle, config.storage(), new LedgerListener() {}, machine.worker("reader", 9))) {
            return new Committed(found.state(), journal.durableSeq());
        }
    }

    /** Reads the events behind the snapshot in the state directory, which no process may use. */
    List<Entry> events(SimMachine machine) throws IOException {
        return FilesReplay.of(disk.open(), machine, this::wall).entries();
    }

    /** A process of the daemon, from its start to its end. */
    final class Run implements Workers {
        final SimMachine machine = new SimMachine(simulation, name, level);
        private final CrashDisk.Handle handle = disk.open();
        private final SimExecutor core = machine.worker("core", Integer.MAX_VALUE);
        private final SimExecutor worker = machine.worker("worker", Integer.MAX_VALUE);
        private final SimExecutor answers = machine.worker("answers", Integer.MAX_VALUE);
        private final SimExecutor reloads = machine.worker("reload", Integer.MAX_VALUE);
        private @Nullable Core parts;
        private @Nullable Preparation preparation;
        private @Nullable EtcdLedger ledger;
        private boolean ready;
        private @Nullable SimDoor door;
        private final List<Runnable> whenEnded = new ArrayList<>();

        /** @param then is called when the process ends, in whatever way */
        void whenEnded(Runnable then) {
            whenEnded.add(then);
        }

        /** Returns where relays connect. To be called on the core thread of a daemon that serves. */
        SimDoor door() {
            if (door == null) {
                door = new SimDoor(Objects.requireNonNull(parts), config, this, telemetry, handle);
            }
            return door;
        }

        private void main() {
            try {
                boot();
            } catch (IOException e) {
                refusal = String.valueOf(e);
                simulation.after(SECOND, () -> restart(this));
            } catch (Exception bug) {
                simulation.fail(bug);
            }
        }

        private void boot() throws Exception {
            Recovered recovered = recovered(machine);
            EtcdModel shared = etcd;
            if (shared == null) {
                FilesReplay.of(handle, machine, SimDaemon.this::wall).tell(witness);
                serveFiles(recovered, recovered.open(handle, config.storage(), listener(), core));
                return;
            }
            Journal journal = recovered.openCopy(handle, config.storage(), listener(), core);
            EtcdLedger opened = SimLedger.open(
                    name,
                    shared,
                    new SimLedger.Parts(machine, journal, handle, recovered.lastEvent(), recovered.clock(), ttl),
                    listener(),
                    core,
                    () -> cutFromEtcd);
            ledger = opened;
            Core built = onCore(() -> Core.build(opened, opened, recovered, config, this, telemetry));
            parts = built;
            Preparation configured = new Preparation(built, this);
            preparation = configured;
            Leadership leadership = new Leadership(built, this, configured, opened, Duration.ofSeconds(60));
            leadership.catchUp(config);
            watch(built);
            leadership.settle();
            ready = true;
            refusal = "";
        }

        private void serveFiles(Recovered recovered, Journal journal) throws Exception {
            Core built = onCore(() -> {
                Core made = Core.build(journal, null, recovered, config, this, telemetry);
                made.inventory().listen(new Commits() {
                    @Override
                    public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
                        witness.committed(entries);
                    }
                });
                return made;
            });
            parts = built;
            Preparation configured = new Preparation(built, this);
            preparation = configured;
            core.execute(built.streams().acquires()::start);
            configured.start(config);
            core.execute(built.expiry()::start);
            core.execute(built.streams().reporters()::start);
            watch(built);
            ready = true;
            refusal = "";
        }

        private void watch(Core built) {
            var unused = core.scheduleWithFixedDelay(built.expiry()::lookAtClock, 1, 1, TimeUnit.SECONDS);
            var unusedToo = core.scheduleWithFixedDelay(built.ledger()::probe, 5, 5, TimeUnit.SECONDS);
        }

        /** As SIGHUP does, after the files were read. */
        private void reload(Config next) {
            Preparation configured = preparation;
            Core built = parts;
            if (!ready || configured == null || built == null) {
                return;
            }
            String reason = configured.refusal(next);
            SimWitness.require(reason == null, () -> name + " refuses a reload: " + reason);
            try {
                boolean unused = onCore(() -> {
                    built.configure(next);
                    return true;
                });
                configured.configure(next);
            } catch (IOException refused) {
                // the ledger takes no changes; the next lead begins with this configuration
            } catch (Exception bug) {
                simulation.fail(bug);
            }
        }

        /** As SIGTERM does. */
        private void stop(Core built) {
            new Stop(built, this, List.of(new Served()), reason -> {}, Daemon.PATIENCE_WITH_DISK).run();
            simulation.after(0, () -> {
                if (process == this) {
                    kill();
                }
            });
        }

        /** The connections of all clients. */
        private final class Served implements Door {
            @Override
            public void stopAccepting() {}

            @Override
            public void stopServing() {
                ready = false;
            }

            @Override
            public void close() {}
        }

        private void second() {
            try (Journal journal = recovered(machine).openCopy(handle, config.storage(), listener(), core)) {
                if (journal.durableSeq() >= 0 && process != null && process.ready) {
                    simulation.fail(
                            new AssertionError(name + " is started twice, and the second start is not refused"));
                }
            } catch (LockedException refused) {
                // as it must be
            } catch (IOException e) {
                refusal = String.valueOf(e);
            }
        }

        private LedgerListener listener() {
            return new LedgerListener() {
                @Override
                public void broken(Throwable bug) {
                    if (!machine.isDead()) {
                        simulation.fail(bug);
                    }
                }

                @Override
                public void condition(Condition condition, String reason) {
                    boolean foreign = etcd != null
                            && witness.isWhole()
                            && FOREIGN.matcher(reason).find();
                    SimWitness.require(!foreign, name + ": " + reason);
                    note("is " + condition + " " + reason);
                }

                @Override
                public void warning(String message) {
                    note("warns: " + message);
                }
            };
        }

        @Override
        public Machine machine() {
            return machine;
        }

        @Override
        public SimExecutor core() {
            return core;
        }

        @Override
        public Executor worker() {
            return task -> worker.execute(() -> {
                machine.park(simulation.choices().nextInt(50_000_000)); // a large state takes long
                task.run();
            });
        }

        @Override
        public Executor answers() {
            return answers;
        }

        @Override
        public Executor reloads() {
            return reloads;
        }

        @Override
        public Executor api() {
            return answers;
        }

        @Override
        public Executor past() {
            return answers;
        }

        @Override
        public Executor checks() {
            return answers;
        }
    }

    boolean isRunning() {
        return process != null;
    }

    void start() {
        note("starts");
        off = 0;
        Run next = new Run();
        process = next;
        awakeSince = simulation.now();
        next.machine.thread("main", next::main).start();
    }

    /** Ends the process in order, which takes time. */
    void stop() {
        Run ending = process;
        Core built = core();
        if (ending != null && built != null) {
            note("stops");
            ending.machine.thread("stop", () -> ending.stop(built)).start();
        }
    }

    /** Ends the process at once. */
    void kill() {
        Run ending = process;
        if (ending != null) {
            note("is killed");
            process = null;
            ending.handle.end();
            ending.machine.kill();
            ending.whenEnded.forEach(Runnable::run);
        }
    }

    /** Empties the state directory. */
    void wipe() {
        disk.restore(new CrashDisk.Image());
    }

    /** Starts another process on the state directory of the one that serves. */
    void startTwice() {
        Run second = new Run();
        second.machine.thread("second", second::second).start();
    }

    int configurations() {
        return configs.size();
    }

    /** Changes the configuration, and reloads it if a process runs. */
    void reload(int number) {
        Config next = configs.get(number);
        Run now = process;
        config = next;
        if (now != null) {
            now.reloads.execute(() -> now.reload(next));
        }
    }

    private void restart(Run failed) {
        if (process == failed) {
            kill();
            start();
        }
    }

    void powerLost() {
        kill();
        note("loses its power");
        disk.powerLost(simulation.choices());
    }

    void pause() {
        if (process != null) {
            note("is stopped");
            awakeSince = Long.MAX_VALUE;
            process.machine.pause();
        }
    }

    /** Lets one thread wait for a processor. */
    void starve(long nanos) {
        if (process != null) {
            awakeSince = Math.max(awakeSince, simulation.now() + nanos);
            note("has no processor for " + process.machine.starve(nanos));
        }
    }

    void proceed() {
        if (process != null) {
            note("continues");
            awakeSince = simulation.now();
            process.machine.proceed();
        }
    }

    /** Returns whether the process has had some time to notice whatever happened. */
    boolean isAwake() {
        return process != null && awakeSince <= simulation.now() - SECOND / 4;
    }

    @Override
    public String toString() {
        return name
                + (process == null ? " is down" : awakeSince > simulation.now() ? " is stopped" : " runs")
                + (cutFromEtcd ? " without etcd" : "")
                + (cutFromClients ? " without clients" : "");
    }

    /** Work of a peer on the core thread. */
    interface Work {
        void run(Core core, Run process);
    }

    /** Has the core thread do the work of a peer, if the peer reaches the daemon. */
    void ask(long delay, Work work) {
        Run asked = process;
        simulation.after(delay + linkDelay, () -> {
            if (asked != null && asked == process && !cutFromClients) {
                Core core = asked.parts;
                if (core != null && asked.ready) {
                    asked.core.execute(() -> work.run(core, asked));
                }
            }
        });
    }

    /** Sends something from a process to a peer. Nothing arrives if the process has ended or cannot be reached. */
    void answer(Run from, long delay, Runnable receive) {
        simulation.after(delay + linkDelay, () -> {
            if (process == from && !cutFromClients && !answersLost) {
                receive.run();
            }
        });
    }

    @Nullable
    Run process() {
        return process;
    }

    @Nullable
    Core core() {
        return process == null || !process.ready ? null : process.parts;
    }

    /** Returns the inventory of a daemon that serves. */
    Inventory inventory() {
        return Objects.requireNonNull(core(), name).inventory();
    }

    @Nullable
    EtcdLedger ledger() {
        return process == null ? null : process.ledger;
    }
}
