package io.muster.daemon;

import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import io.muster.daemon.relay.SimRelay;
import io.muster.protocol.client.TlsServer;
import io.netty.channel.ChannelHandler;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A host with a relay, and the relay's users: a scheduler and two admins. */
final class SimLoginHost {
    private static final long MILLI = 1_000_000;
    private static final int UID = 700;
    private static final int ADMINS = 2;

    private final SimCluster cluster;
    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimUserScheduler scheduler;
    private final List<SimUserAdmin> admins = new ArrayList<>();
    private final List<SimLink> links = new ArrayList<>();
    /** The daemons that the host cannot reach. */
    private final Set<SimDaemon> cut = new HashSet<>();

    private @Nullable SimMachine machine;
    private @Nullable SimRelay relay;

    SimLoginHost(SimCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.random = simulation.choices().split();
        this.scheduler = new SimUserScheduler(cluster, this, UID);
        for (int i = 1; i <= ADMINS; i++) {
            admins.add(new SimUserAdmin(cluster, this, UID + i));
        }
    }

    /** The names of all users, as daemons see them. */
    static List<String> users() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i <= ADMINS; i++) {
            names.add(SimDoor.HOST + "/user" + (UID + i));
        }
        return names;
    }

    void begin() {
        start();
        scheduler.start();
        admins.forEach(SimUserAdmin::start);
    }

    private void start() {
        if (relay != null) {
            return;
        }
        note("starts");
        SimMachine now = new SimMachine(simulation, SimDoor.HOST);
        List<TlsServer> servers = cluster.daemons().stream()
                .map(each -> TlsServer.parse("tls://" + each.name + ":1"))
                .toList();
        machine = now;
        relay = new SimRelay(simulation, now, SimDoor.HOST, servers, this::connect);
    }

    private void note(String what) {
        simulation.note(() -> "the relay " + what);
    }

    @Nullable
    SimRelay relay() {
        return relay;
    }

    void later(long millis, Runnable action) {
        simulation.after(MILLI * millis, action);
    }

    long delay() {
        return cluster.delay(random);
    }

    SimPipe pipe(BooleanSupplier blocked, SimDaemon daemon) {
        return new SimPipe(simulation, blocked, () -> delay() + daemon.linkDelay);
    }

    /** A connection inside this host. */
    SimPipe pipe() {
        return new SimPipe(simulation, () -> false, () -> 1000 * random.nextLong(100));
    }

    boolean isCut(SimDaemon daemon) {
        return daemon.cutFromClients || cut.contains(daemon);
    }

    /** Whether a peer sees the end of a process: by chance, as if some processes ended with their machine. */
    boolean seesEnds() {
        return random.nextInt(3) > 0;
    }

    private void connect(String server, ChannelHandler handler, Consumer<String> failed) {
        SimRelay from = relay;
        SimDaemon to = cluster.daemons().stream()
                .filter(each -> each.name.equals(server))
                .findFirst()
                .orElseThrow();
        simulation.after(delay() + to.linkDelay, () -> {
            SimDaemon.Run process = to.process();
            if (from == null || from != relay) {
                return;
            }
            if (isCut(to)) {
                later(3000, () -> from.loop().execute(() -> failed.accept("connection timed out")));
            } else if (process == null || to.core() == null) {
                from.loop().execute(() -> failed.accept("connection refused"));
            } else {
                SimLink link = new SimLink(this, to, process, from.loop());
                links.add(link);
                link.open(handler);
            }
        });
    }

    // ---- faults

    void faults(SimFaults table) {
        table.add("relay", 10, "relay killed", one -> relay != null, one -> kill(true));
        table.add("relay", 5, "relay loses power", one -> relay != null, one -> kill(false));
        table.add("relay", 10, "relay stopped", one -> machine != null, one -> {
            SimMachine stopped = machine;
            if (stopped != null) {
                note("is stopped");
                stopped.pause();
                later(random.nextInt(20_000), stopped::proceed);
            }
        });
        table.add("relay", 20, "relay cut from a daemon", one -> true, one -> {
            cut.add(one);
            later(random.nextInt(25_000), () -> cut.remove(one));
        });
        table.add("relay", 5, "relay cut from all daemons", one -> true, one -> {
            cut.addAll(cluster.daemons());
            later(random.nextInt(25_000), cut::clear);
        });
        table.add(
                "relay",
                10,
                "forgotten connections",
                one -> relay != null,
                one -> links.stream().filter(link -> link.isTo(one)).forEach(SimLink::forget));
        table.add("relay", 10, "scheduler leaves the relay", one -> true, one -> scheduler.leave());
    }

    private void kill(boolean seen) {
        SimMachine ending = machine;
        note(seen ? "is killed" : "loses its power");
        relay = null;
        machine = null;
        if (ending != null) {
            ending.kill();
        }
        List.copyOf(links).forEach(link -> link.relayEnded(seen));
        links.clear();
        scheduler.relayEnded();
        admins.forEach(SimUser::relayEnded);
        later(random.nextInt(15_000), this::start);
    }

    // ---- the end

    /** The faults end. Some schedulers do not stay until the end. */
    void heal() {
        if (random.nextInt(3) == 0) {
            scheduler.leaveForGood();
        }
    }

    /** Whether the users know what the log says, and the daemons have the stream of the scheduler as long as it is there. */
    boolean agrees() {
        return streams() == (scheduler.isGone() ? 0 : 1)
                && (scheduler.isGone() || scheduler.knows(cluster.witness()))
                && admins.stream().allMatch(SimUserAdmin::isIdle);
    }

    /** Returns how many streams of users the daemons have. */
    private long streams() {
        return cluster.daemons().stream()
                .map(SimDaemon::core)
                .filter(Objects::nonNull)
                .flatMap(core -> core.streams().acquires().streams().stream())
                .filter(stream -> users().contains(stream.holder().user()))
                .count();
    }

    void close() {
        if (machine != null) {
            machine.kill();
        }
    }

    long done() {
        return admins.stream().mapToLong(each -> each.done).sum();
    }

    @Override
    public String toString() {
        return (relay == null ? "down, " : "") + streams() + " streams, " + scheduler + ", " + admins;
    }
}
