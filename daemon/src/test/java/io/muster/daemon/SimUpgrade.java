package io.muster.daemon;

import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.machine.SimLevel;
import io.muster.daemon.machine.Simulation;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.FormatChanges;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Rolling upgrades from this version to {@link NextVersion}, and back, while faults happen. Until the upgrade is finished, each version reads
 * what the other one writes. Afterwards the earlier version refuses by name.
 */
final class SimUpgrade {
    private static final long SECOND = 1_000_000_000;
    private static final int EARLIER = SimLevel.NEXT - 1;
    private static final String REFUSAL = "format level " + SimLevel.NEXT + ", and this version reads levels up to "
            + EARLIER + ": start muster 9.9.0 or later";

    private final SimCluster cluster;
    private final Simulation simulation;
    private final List<SimDaemon> daemons;
    private final SplittableRandom random;
    private final Principal by = new Principal(1999, "root", 7);

    SimUpgrade(SimCluster cluster, List<SimDaemon> daemons, SplittableRandom random) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.daemons = daemons;
        this.random = random;
        daemons.forEach(each -> each.level = EARLIER);
    }

    private boolean isFinished() {
        return cluster.witness().state().level().number() == SimLevel.NEXT;
    }

    void faults(SimFaults table) {
        table.add("upgrade", 4, "next version", one -> one.isRunning() && one.level == EARLIER, one -> {
            replace(one, SimLevel.NEXT);
        });
        table.add("upgrade", 4, "earlier version", one -> one.isRunning() && one.level == SimLevel.NEXT, one -> {
            replace(one, EARLIER);
            if (isFinished()) {
                simulation.after(SECOND * (15 + random.nextInt(10)), () -> replace(one, SimLevel.NEXT));
            }
        });
        table.add("upgrade", 2, "finish", one -> one.level == SimLevel.NEXT && one.core() != null, this::finish);
    }

    private void replace(SimDaemon daemon, int level) {
        daemon.kill();
        daemon.level = level;
        simulation.after(random.nextLong(5 * SECOND), () -> cluster.start(daemon));
    }

    /** As {@code muster upgrade finish} does. */
    private void finish(SimDaemon daemon) {
        daemon.ask(
                0,
                (core, process) -> process.reloads().execute(() -> {
                    try {
                        if (SharedLedger.upgradeRefusal(core.ledger()) == null) {
                            process.core()
                                    .execute(() -> core.inventory()
                                            .submit(new FormatChanges.FinishUpgrade(), by, answer -> {}));
                        }
                    } catch (IOException e) {
                        // etcd does not say who shares the ledger
                    }
                }));
    }

    /** Checks that no daemon has a state that its version does not read. */
    void check() {
        for (SimDaemon each : daemons) {
            Core core = each.core();
            SimWitness.require(
                    core == null || core.inventory().state().level().number() <= running(each),
                    each.name + " has a state of a level that its version does not read");
        }
    }

    private static int running(SimDaemon daemon) {
        SimDaemon.Run run = daemon.process();
        return run == null ? SimLevel.NEXT : run.machine.level();
    }

    /** The faults have ended: all daemons have the next version. */
    void settle() {
        for (SimDaemon each : daemons) {
            if (each.level == EARLIER) {
                replace(each, SimLevel.NEXT);
            }
        }
    }

    /**
     * Checks the promises, when all is well: the earlier version starts until the upgrade is finished, and refuses by name afterwards.
     */
    void exercise() {
        if (!isFinished()) {
            daemons.forEach(each -> replace(each, EARLIER));
            cluster.awaitWell();
            for (SimDaemon each : daemons) {
                replace(each, SimLevel.NEXT);
                cluster.awaitWell();
            }
        }
        cluster.await(() -> {
            if (!isFinished()) {
                daemons.stream().filter(each -> each.core() != null).forEach(this::finish);
            }
            return isFinished() && cluster.isWell();
        });
        SimDaemon one = daemons.get(random.nextInt(daemons.size()));
        if (cluster.isOnFiles()) {
            daemons.forEach(SimDaemon::kill); // the directory of one is that of the others
        }
        replace(one, EARLIER);
        cluster.await(() -> reason(one).contains(REFUSAL));
        check();
        replace(one, SimLevel.NEXT);
        daemons.forEach(cluster::start);
        cluster.awaitWell();
    }

    private static String reason(SimDaemon daemon) {
        EtcdLedger ledger = daemon.ledger();
        return running(daemon) == SimLevel.NEXT
                ? ""
                : ledger == null ? daemon.refusal : ledger.status().reason();
    }
}
