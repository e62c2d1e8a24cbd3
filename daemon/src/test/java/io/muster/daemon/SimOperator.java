package io.muster.daemon;

import io.muster.daemon.core.Committed;
import io.muster.daemon.etcd.EtcdModel;
import io.muster.daemon.etcd.SimLedger;
import io.muster.daemon.journal.CrashDisk;
import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import io.muster.inventory.state.InventoryState;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The operator, who does what docs/high-availability.md says when daemons refuse the contents of etcd: stops all daemons and puts the newest
 * copy in etcd's place, or gives up the copies of the daemons that refuse.
 */
final class SimOperator {
    private static final long SECOND = 1_000_000_000;
    /** How many writes an import of a few groups makes: the leader, the beginning, a snapshot, a group, the id. */
    private static final int MOST_WRITES = 7;

    private final SimCluster cluster;
    private final Simulation simulation;
    private final EtcdModel etcd;
    private final List<SimDaemon> daemons;
    private final SplittableRandom random;
    private boolean working;
    /** The import that is killed after so many writes; null if none is. */
    private @Nullable SimMachine doomed;

    private int writesLeft;
    /** The state directory that is imported. */
    private CrashDisk.@Nullable Handle handle;
    /** The daemon whose copy is imported; null before it is known. */
    private @Nullable Copy chosen;

    /** Why the last import failed. */
    String obstacle = "";

    long imports;
    long killed;

    SimOperator(SimCluster cluster, EtcdModel etcd, List<SimDaemon> daemons, SplittableRandom random) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.etcd = etcd;
        this.daemons = daemons;
        this.random = random;
    }

    boolean isWorking() {
        return working;
    }

    void act() {
        if (working) {
            return;
        }
        if (random.nextInt(3) == 0) {
            daemons.stream().filter(cluster::refuses).forEach(each -> {
                each.kill();
                giveUp(each);
                each.start();
            });
            cluster.repaired();
            return;
        }
        working = true;
        daemons.forEach(SimDaemon::kill);
        SimMachine machine = startImport();
        if (random.nextInt(3) == 0) {
            doomed = machine;
            writesLeft = 1 + random.nextInt(MOST_WRITES);
        }
    }

    /** Etcd has made a write. */
    void written() {
        SimMachine machine = doomed;
        if (machine != null && cluster.witness().isImporting() && --writesLeft == 0) {
            doomed = null;
            simulation.after(0, () -> killImport(machine));
        }
    }

    private SimMachine startImport() {
        daemons.forEach(each -> each.disk.fault((kind, name) -> -1));
        SimMachine machine = new SimMachine(simulation, "operator");
        machine.thread("import", () -> putInPlace(machine)).start();
        return machine;
    }

    /** The import is killed, and repeated later. Meanwhile no daemon may take a part of the ledger for the ledger. */
    private void killImport(SimMachine machine) {
        if (!cluster.witness().isImporting()) {
            return;
        }
        killed++;
        simulation.note(() -> "the import is killed");
        if (handle != null) {
            handle.end();
        }
        machine.kill();
        Copy whole = chosen;
        SimDaemon fresh = daemons.get(random.nextInt(daemons.size()));
        boolean isPart = whole != null && fresh != whole.daemon && SimLedger.isPart(etcd, whole.seq);
        if (isPart) {
            giveUp(fresh);
            fresh.start();
        }
        simulation.after(45 * SECOND, () -> {
            SimWitness.require(
                    !isPart || fresh.core() == null, fresh.name + " serves a part of a ledger that was not imported");
            fresh.kill();
            startImport();
        });
    }

    private static void giveUp(SimDaemon daemon) {
        daemon.far = 0; // without a state directory, nothing shows that the clock is wrong
        daemon.wipe();
    }

    /** What a state directory has. */
    private record Copy(SimDaemon daemon, InventoryState state, long seq) {}

    private void putInPlace(SimMachine machine) {
        Copy newest = null;
        for (SimDaemon each : daemons) {
            Copy found = each.disk.isEmpty() ? null : read(each, machine);
            newest = found != null && (newest == null || found.seq > newest.seq) ? found : newest;
        }
        chosen = newest;
        if (newest != null && newest.seq > 0) {
            write(newest, machine);
        }
        Copy kept = newest;
        doomed = null;
        simulation.after(0, () -> {
            for (SimDaemon each : daemons) {
                if (kept == null || kept.seq == 0 || each != kept.daemon) {
                    giveUp(each);
                }
            }
            working = false;
            cluster.repaired();
            daemons.forEach(cluster::start);
        });
    }

    private @Nullable Copy read(SimDaemon daemon, SimMachine machine) {
        try {
            Committed found = daemon.read(machine);
            return new Copy(daemon, found.state(), found.seq());
        } catch (IOException e) {
            obstacle = daemon.name + ": " + e;
            return null;
        }
    }

    private void write(Copy copy, SimMachine machine) {
        while (true) {
            try {
                cluster.witness().importing();
                CrashDisk.Handle opened = copy.daemon.disk.open();
                handle = opened;
                SimLedger.imported(etcd, machine, opened, copy.daemon.clock());
                imports++;
                cluster.witness().imported(copy.state, copy.seq);
                return;
            } catch (IOException e) {
                obstacle = String.valueOf(e);
                machine.park(SECOND);
            } catch (AssertionError e) {
                simulation.fail(e);
                return;
            }
        }
    }
}
