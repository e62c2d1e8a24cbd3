package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.etcd.EtcdModel;
import io.muster.daemon.etcd.SimLedger;
import io.muster.daemon.journal.CrashDisk;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.machine.Machine;
import io.muster.daemon.machine.SimExecutor;
import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A daemon of the simulated cluster: everything behind the sockets, on a disk that outlives its processes. */
final class SimDaemon {
    private static final long SECOND = 1_000_000_000;
    /** What a daemon says of a ledger that somebody else has changed, which nobody does here. */
    private static final Pattern FOREIGN = Pattern.compile("somebody else|is incomplete|histories differ|is damaged");

    final String name;
    private final Simulation simulation;
    private final EtcdModel etcd;
    private final Config config;
    private final Telemetry telemetry;
    final CrashDisk disk;
    /** How long a leader leads without an answer of etcd. */
    Duration ttl = Duration.ofSeconds(10);
    /** How far the wall clock is ahead, in nanoseconds. */
    long ahead;
    /** Whether the daemon cannot reach etcd. */
    boolean cutFromEtcd;
    /** Whether no client reaches the daemon. */
    boolean cutFromClients;

    private @Nullable Run process;
    /** Since when the process runs and was not stopped; in the future if it is stopped now. */
    private long awakeSince;
    /** Why the last start failed. */
    String refusal = "";

    SimDaemon(String name, Simulation simulation, EtcdModel etcd, Config config, Telemetry telemetry) {
        this.name = name;
        this.simulation = simulation;
        this.etcd = etcd;
        this.config = config;
        this.telemetry = telemetry;
        this.disk = new CrashDisk(this::wall);
        disk.onForce(what -> note("forces " + what));
    }

    private void note(String what) {
        simulation.note(() -> name + " " + what);
    }

    private Instant wall() {
        return Instant.ofEpochSecond(1_700_000_000).plusNanos(simulation.now() + ahead);
    }

    /** A process of the daemon, from its start to its end. */
    final class Run implements Workers {
        final SimMachine machine = new SimMachine(simulation, name);
        private final CrashDisk.Handle handle = disk.open();
        private final SimExecutor core = machine.worker("core", Integer.MAX_VALUE);
        private final SimExecutor worker = machine.worker("worker", Integer.MAX_VALUE);
        private final SimExecutor answers = machine.worker("answers", Integer.MAX_VALUE);
        private final SimExecutor reloads = machine.worker("reload", Integer.MAX_VALUE);
        private @Nullable Core parts;
        private @Nullable EtcdLedger ledger;
        private boolean ready;

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
            WallClock clock = new WallClock(SimDaemon.this::wall, machine::nanos, Core.limits(config));
            Recovered recovered = new Recovered(100, clock, machine);
            Journal journal = recovered.openCopy(handle, config.storage(), listener(), core);
            EtcdLedger opened = SimLedger.open(
                    name,
                    etcd,
                    new SimLedger.Parts(machine, journal, handle, recovered.lastEvent(), clock, ttl),
                    listener(),
                    core,
                    () -> cutFromEtcd);
            ledger = opened;
            Core built = onCore(() -> Core.build(opened, opened, recovered, config, this, telemetry));
            parts = built;
            Preparation preparation = new Preparation(built, this);
            Leadership leadership = new Leadership(built, this, preparation, opened, Duration.ofSeconds(60));
            leadership.catchUp(config);
            var unused = core.scheduleWithFixedDelay(built.expiry()::lookAtClock, 1, 1, TimeUnit.SECONDS);
            var unusedToo = core.scheduleWithFixedDelay(
                    () -> {
                        if (opened.status().condition() != Condition.WRITABLE) {
                            opened.probe();
                        }
                    },
                    5,
                    5,
                    TimeUnit.SECONDS);
            leadership.settle();
            ready = true;
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
                    boolean foreign = FOREIGN.matcher(reason).find();
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
    }

    boolean isRunning() {
        return process != null;
    }

    void start() {
        note("starts");
        Run next = new Run();
        process = next;
        awakeSince = simulation.now();
        next.machine.thread("main", next::main).start();
    }

    /** Ends the process at once. */
    void kill() {
        Run ending = process;
        if (ending != null) {
            note("is killed");
            process = null;
            ending.handle.end();
            ending.machine.kill();
            disk.processEnded();
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
        simulation.after(delay, () -> {
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
        simulation.after(delay, () -> {
            if (process == from && !cutFromClients) {
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
