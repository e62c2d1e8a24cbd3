package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.etcd.EtcdModel;
import io.muster.daemon.etcd.SimLedger;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.Role;
import io.muster.daemon.machine.Simulation;
import io.muster.inventory.state.StateJson;
import io.muster.protocol.acquire.Owner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Three daemons that share a ledger, etcd, admins and a scheduler, in one thread and by one seed. */
final class SimCluster {
    static final int RANKS = 16;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1000 * MILLI;
    /** How long the cluster may take to be well after the last fault. */
    private static final long RECOVERY = 180 * SECOND;

    private final Simulation simulation;
    private final SplittableRandom random;
    private final EtcdModel etcd;
    private final SimWitness witness = new SimWitness();
    private final List<SimDaemon> daemons = new ArrayList<>();
    private final List<SimAdmin> admins = new ArrayList<>();
    private final SimScheduler scheduler;
    private @Nullable SimDaemon believed;
    private long floor;
    private boolean busy = true;
    private long faults;
    private final int thinkMillis;

    SimCluster(long seed, Config config, Telemetry telemetry) {
        simulation = new Simulation(seed);
        random = simulation.choices().split();
        etcd = new EtcdModel(simulation);
        etcd.onPut(this::put);
        thinkMillis = 10 + random.nextInt(random.nextInt(4) == 0 ? 3000 : 150);
        for (String name : new String[] {"a", "b", "c"}) {
            daemons.add(new SimDaemon(name, simulation, etcd, config, telemetry));
        }
        Duration ttl = Duration.ofSeconds(random.nextInt(3) == 0 ? 10 : 2);
        daemons.forEach(each -> each.ttl = ttl);
        for (int i = 0; i < 4; i++) {
            admins.add(new SimAdmin(this, i));
        }
        scheduler = new SimScheduler(this, random.nextBoolean() ? new Owner("flux", 30) : null);
    }

    private void put(String key, byte[] value) {
        String leader = SimLedger.PREFIX + "leader";
        witness.put(key, value, etcd.revision(leader));
        if (key.equals(leader)) {
            String name =
                    Leader.parse(new String(value, StandardCharsets.UTF_8)).member();
            simulation.after(100 * MILLI, () -> elected(name, etcd.revision(leader)));
        }
    }

    /** Checks that no other daemon serves a scheduler, soon after a daemon was elected. */
    private void elected(String leader, long revision) {
        for (SimDaemon each : daemons) {
            Core core = each.core();
            boolean lasts = revision == etcd.revision(SimLedger.PREFIX + "leader");
            SimWitness.require(
                    !lasts
                            || each.name.equals(leader)
                            || core == null
                            || !each.isAwake()
                            || core.acquires().size() == 0,
                    each.name + " serves a scheduler, and " + leader + " leads");
        }
    }

    // ---- what the clients use

    Simulation simulation() {
        return simulation;
    }

    SimWitness witness() {
        return witness;
    }

    boolean isBusy() {
        return busy;
    }

    int thinkMillis() {
        return thinkMillis;
    }

    long delay(SplittableRandom of) {
        return 50_000 + of.nextInt(200_000) + (of.nextInt(200) == 0 ? MILLI * of.nextInt(1000) : 0);
    }

    double wallSeconds() {
        return 1_700_000_000 + simulation.now() / 1e9;
    }

    SimDaemon someDaemon(SplittableRandom by) {
        SimDaemon known = believed;
        if (known == null || by.nextInt(20) == 0) {
            known = anyDaemon(by);
            believed = known;
        }
        return known;
    }

    SimDaemon anyDaemon(SplittableRandom by) {
        return daemons.get(by.nextInt(daemons.size()));
    }

    /** Checks, before a change is answered, that the scheduler of the daemon was sent it. */
    void checkScheduler(SimDaemon daemon, long seq) {
        scheduler.checkSent(daemon, seq);
    }

    void forget(SimDaemon daemon) {
        believed = believed == daemon ? null : believed;
    }

    long floor() {
        return floor;
    }

    void answered(long seq) {
        floor = Math.max(floor, seq);
    }

    // ---- the run

    /** Runs with faults until a number of them has happened, then until all is quiet, and checks everything. */
    void run(int most) {
        daemons.forEach(SimDaemon::start);
        admins.forEach(SimAdmin::start);
        scheduler.start();
        simulation.runUntil(simulation.now() + 20 * SECOND);
        while (faults < most) {
            simulation.runUntil(simulation.now() + MILLI * (100 + random.nextInt(4000)));
            fault();
        }
        heal();
    }

    private void fault() {
        faults++;
        SimDaemon one = daemons.get(random.nextInt(daemons.size()));
        simulation.trace(faults);
        switch (random.nextInt(15)) {
            case 0, 1 -> down(one::kill, one);
            case 2 -> down(one::powerLost, one);
            case 3 -> {
                one.pause();
                after(20, one::proceed);
            }
            case 4, 5 -> {
                one.cutFromEtcd = true;
                after(25, () -> one.cutFromEtcd = false);
            }
            case 6 -> {
                one.cutFromClients = true;
                after(10, () -> one.cutFromClients = false);
            }
            case 7 -> {
                one.disk.fault((kind, name) -> {
                    if (kind.equals("write") && random.nextInt(3) == 0) {
                        return random.nextInt(40);
                    } else if (kind.equals("force") && random.nextInt(3) == 0) {
                        throw new IOException("Input/output error");
                    }
                    return -1;
                });
                after(10, () -> one.disk.fault((kind, name) -> -1));
            }
            case 8 -> {
                int member = random.nextInt(3);
                etcd.kill(member);
                after(8, () -> etcd.start(member));
            }
            case 9 -> etcd.elect();
            case 10 -> {
                int member = random.nextInt(3);
                etcd.slow(member, true);
                after(10, () -> etcd.slow(member, false));
            }
            case 11 -> {
                etcd.full(true);
                after(5, () -> etcd.full(false));
            }
            case 12, 13 -> one.starve(MILLI * random.nextInt(3000));
            default -> {
                long jump = SECOND * (random.nextInt(80) - 40);
                one.ahead += jump;
                after(30, () -> one.ahead -= jump);
            }
        }
        simulation.note(() -> "fault " + faults + ": " + daemons + " " + etcd);
    }

    private void down(Runnable how, SimDaemon daemon) {
        if (daemon.isRunning()) {
            how.run();
            simulation.after(MILLI * random.nextInt(15_000), () -> {
                if (!daemon.isRunning()) {
                    daemon.start();
                }
            });
        }
    }

    private void after(int mostSeconds, Runnable action) {
        simulation.after(MILLI * random.nextInt(1000 * mostSeconds), action);
    }

    private void heal() {
        simulation.runUntil(simulation.now() + 31 * SECOND); // every fault has ended
        long end = simulation.now() + RECOVERY;
        busy = false;
        while (!isWell()) {
            SimWitness.require(simulation.now() < end, "the cluster is not well again: " + describe());
            simulation.runUntil(simulation.now() + SECOND);
        }
        do {
            simulation.runUntil(simulation.now() + 5 * SECOND);
        } while (!isWell());
        check();
    }

    private boolean isWell() {
        return leader() != null
                && admins.stream().allMatch(SimAdmin::isIdle)
                && daemons.stream().allMatch(each -> each.core() != null && isCurrent(each));
    }

    private boolean isCurrent(SimDaemon daemon) {
        EtcdLedger ledger = daemon.ledger();
        return ledger != null && daemon.inventory().seq() == witness.lastSeq();
    }

    private @Nullable SimDaemon leader() {
        SimDaemon found = null;
        for (SimDaemon each : daemons) {
            EtcdLedger ledger = each.ledger();
            Role role = ledger == null ? null : ledger.role();
            if (role != null && role.term() != 0) {
                found = each;
            }
        }
        return found;
    }

    private String describe() {
        StringBuilder text = new StringBuilder("witness at " + witness.lastSeq());
        for (SimDaemon each : daemons) {
            EtcdLedger ledger = each.ledger();
            text.append("; ").append(each.name);
            text.append(
                    each.core() == null
                            ? " starts " + each.refusal
                            : " at " + each.inventory().seq());
            text.append(ledger == null ? "" : " " + ledger.status() + " " + ledger.role());
        }
        admins.forEach(admin -> text.append("; ").append(admin.state()));
        return text.toString();
    }

    private void check() {
        byte[] expected = StateJson.toBytes(witness.state());
        for (SimDaemon each : daemons) {
            Inventory inventory = each.inventory();
            SimWitness.require(
                    Arrays.equals(StateJson.toBytes(inventory.state()), expected),
                    each.name + " has another state than the log");
        }
        SimDaemon leader = leader();
        if (leader == null) {
            throw new AssertionError("nobody leads: " + describe());
        }
        scheduler.check(leader);
        admins.forEach(SimAdmin::check);
    }

    /** Ends all processes. */
    void close() {
        daemons.forEach(SimDaemon::kill);
    }

    long faults() {
        return faults;
    }

    long changes() {
        return admins.stream().mapToLong(admin -> admin.done).sum();
    }

    long messages() {
        return scheduler.messages;
    }
}
