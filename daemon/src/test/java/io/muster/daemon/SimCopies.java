package io.muster.daemon;

import io.muster.daemon.core.Committed;
import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The files of the daemons when all is quiet. */
final class SimCopies {
    private static final long SECOND = 1_000_000_000;

    private SimCopies() {}

    /** Ends all daemons, and checks that the files of each have the whole log until then, to which nothing was added for seconds. */
    static void check(Simulation simulation, List<SimDaemon> daemons, SimWitness witness) {
        daemons.forEach(SimDaemon::kill);
        long last = witness.lastSeq(); // a request on its way to etcd may add an event now
        SimMachine machine = new SimMachine(simulation, "reader");
        Set<String> read = new TreeSet<>();
        machine.thread(
                        "reader",
                        () -> daemons.forEach(each -> {
                            try {
                                Committed copy = each.read(machine);
                                boolean whole = copy.seq() == last && witness.has(copy.state(), last);
                                SimWitness.require(
                                        whole,
                                        whole ? "" : each.name + " has other files: " + witness.difference(copy));
                                witness.checkEvents(each.name, each.events(machine));
                                read.add(each.name);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        }))
                .start();
        simulation.runUntil(simulation.now() + 10 * SECOND);
        SimWitness.require(read.size() == daemons.size(), "only the files of " + read + " can be read");
    }
}
