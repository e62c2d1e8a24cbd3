package io.muster.daemon;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Brake;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.HoldChanges.Mode;
import io.muster.inventory.state.InventoryState;
import java.util.List;
import java.util.SplittableRandom;

/** A robot gone mad, which drains whatever it can, at every daemon. The log shows whether its brake held. */
final class SimRobot {
    private static final List<Mode> MODES = List.of(Mode.values());
    /** The brake on the robot, in the configuration of each daemon. */
    static final String CONFIG = "[[brake]]\nholder = \"mad*\"\nhosts = 3\nwindow = \"20s\"\n";

    private static final Brake BRAKE = new Brake("mad*", 0, 3, 20);
    private static final long MILLI = 1_000_000;
    private static final int RANKS = 12;

    private final SimCluster cluster;
    private final SplittableRandom random;
    private final Principal by = Principal.ofName("token:mad");

    SimRobot(SimCluster cluster) {
        this.cluster = cluster;
        this.random = cluster.simulation().choices().split();
    }

    void start() {
        cluster.simulation().after(MILLI * (100 + random.nextInt(4000)), this::act);
    }

    private void act() {
        if (cluster.isBusy()) {
            Command command = command();
            cluster.someDaemon(random)
                    .ask(
                            cluster.delay(random),
                            (core, process) -> core.inventory()
                                    .submit(core.inventory().brakes().on(command, by), by, answer -> {}));
        }
        start();
    }

    private Command command() {
        int first = random.nextInt(RANKS);
        String targets = Idset.range(first, Math.min(RANKS - 1, first + random.nextInt(4)))
                .toString();
        String holder = "mad" + random.nextInt(2);
        Mode mode = MODES.get(random.nextInt(MODES.size()));
        return random.nextInt(3) == 0
                ? new HoldChanges.Undrain(targets, null, Mode.UPDATE, holder)
                : new HoldChanges.Drain(targets, "mad", mode, holder, 0);
    }

    /** Checks an event of the log: if the robot has drained a further host, its holds are within the brake. */
    static void check(InventoryState before, Entry entry, InventoryState after) {
        if (entry.event() instanceof HoldChanges.Drained drained && BRAKE.covers(drained.holder())) {
            Idset had = new Brake(BRAKE.holder(), 0, 0, Double.POSITIVE_INFINITY).counted(before, entry.timestamp());
            int count = BRAKE.counted(after, entry.timestamp()).size();
            SimWitness.require(
                    had.containsAll(drained.targets().ranks()) || count <= BRAKE.hosts(),
                    "the robot has drained " + count + " hosts in the window, at seq " + entry.seq());
        }
    }
}
