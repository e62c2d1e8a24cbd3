package io.muster.daemon;

import io.muster.daemon.etcd.EtcdModel;
import io.muster.daemon.etcd.SimLedger;
import io.muster.daemon.journal.CrashDisk;
import io.muster.daemon.machine.Simulation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The faults of the simulated cluster. {@code -Dmuster.sim.mix=NAME} makes those of a group, or of several, ten times as frequent as the
 * others: process, disk, link, etcd, restore, copy, clock, reload; files, for a ledger of files; relay, which adds a relay with users; and upgrade, in {@link UpgradesTest}.
 */
final class SimFaults {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1000 * MILLI;
    /** How long a fault lasts at most: an orderly stop has four steps of up to 10 s, and up to 15 s later a process starts. */
    static final long LONGEST = 56 * SECOND;

    private static final long LONGEST_PAUSE = 30 * SECOND;

    /** What the keys begin with whose writes a fault meets: of the lead, of events, of the pieces and the name of a snapshot. */
    private static final String[] WRITES = {"leader", "head", "log/", "part/", "snapshot/", "snapshot"};

    private final SimCluster cluster;
    private final Simulation simulation;
    private final EtcdModel etcd;
    private final SplittableRandom random;
    private final List<SimFault> all = new ArrayList<>();
    private final int[] weights;
    /** How often each fault has happened. */
    final Map<String, Integer> counts = new TreeMap<>();

    private @Nullable Backup backup;

    /** A backup of etcd. */
    private record Backup(EtcdModel.Backup contents, long seq, long age) {}

    /**
     * @param upgrade null if all daemons are of this version
     * @param login null if there is no relay
     */
    SimFaults(
            SimCluster cluster,
            EtcdModel etcd,
            SplittableRandom random,
            String mix,
            @Nullable SimUpgrade upgrade,
            @Nullable SimLoginHost login) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.etcd = etcd;
        this.random = random;
        processes();
        disks();
        links();
        clocks();
        if (!cluster.isOnFiles()) {
            etcds();
            contents();
            copies();
        }
        reloads();
        if (upgrade != null) {
            upgrade.faults(this);
        }
        if (login != null) {
            login.faults(this);
        }
        List<String> frequent = List.of(mix.split(" "));
        weights = all.stream()
                .mapToInt(each -> each.weight() * (frequent.contains(each.mix()) ? 10 : 1))
                .toArray();
    }

    void add(String mix, int weight, String name, Consumer<SimDaemon> begin) {
        add(mix, weight, name, daemon -> true, begin);
    }

    void add(String mix, int weight, String name, Predicate<SimDaemon> possible, Consumer<SimDaemon> begin) {
        all.add(new SimFault(name, mix, weight, possible, begin));
    }

    /** Begins one fault. */
    String begin(SimDaemon daemon) {
        while (true) {
            int sum = 0;
            for (int weight : weights) {
                sum += weight;
            }
            int chosen = random.nextInt(sum);
            int at = 0;
            while (chosen >= weights[at]) {
                chosen -= weights[at++];
            }
            SimFault fault = all.get(at);
            if (fault.possible().test(daemon)) {
                fault.begin().accept(daemon);
                counts.merge(fault.name(), 1, Integer::sum);
                return fault.name();
            }
        }
    }

    private void after(int mostSeconds, Runnable end) {
        simulation.after(MILLI * random.nextInt(1000 * mostSeconds), end);
    }

    /** Ends a process, and starts another one later. */
    private void down(SimDaemon daemon, Runnable how) {
        how.run();
        after(15, () -> cluster.start(daemon));
    }

    private void processes() {
        add("process", 20, "kill", SimDaemon::isRunning, one -> down(one, one::kill));
        add("process", 10, "power loss", SimDaemon::isRunning, cluster::powerLost);
        add("process", 10, "orderly stop", one -> one.core() != null, one -> {
            SimDaemon.Run run = one.process();
            if (run != null) {
                run.whenEnded(() -> after(15, () -> cluster.start(one)));
                one.stop();
            }
        });
        add("process", 10, "pause", one -> {
            one.pause();
            after(20, one::proceed);
        });
        add("process", 10, "end or pause at a write", one -> !cluster.isOnFiles() && one.isRunning(), this::atWrite);
        add("process", 20, "starved thread", SimDaemon::isRunning, one -> one.starve(MILLI * random.nextInt(3000)));
        add("process", 3, "second start", one -> one.core() != null, SimDaemon::startTwice);
    }

    /** The process ends, or is stopped for long, as soon as it has sent a write to etcd that belongs to one of its duties. */
    private void atWrite(SimDaemon daemon) {
        SimDaemon.Run run = daemon.process();
        boolean ends = random.nextInt(3) == 0;
        long length = random.nextLong(LONGEST_PAUSE);
        String key = SimLedger.PREFIX + WRITES[random.nextInt(WRITES.length)];
        if (run != null) {
            etcd.trap(run.machine, key, () -> {
                if (ends && daemon.process() == run) {
                    down(daemon, daemon::kill);
                } else if (daemon.process() == run) {
                    daemon.pause();
                    simulation.after(length, daemon::proceed);
                }
            });
        }
    }

    private void disks() {
        add(
                "disk",
                10,
                "failing disk",
                one -> disk(one, 10, (kind, name) -> {
                    if (kind.equals("write") && random.nextInt(3) == 0) {
                        return random.nextInt(40);
                    } else if (kind.equals("force") && random.nextInt(3) == 0) {
                        throw new IOException("Input/output error");
                    }
                    return -1;
                }));
        add(
                "disk",
                3,
                "unreadable disk",
                one -> disk(one, 5, (kind, name) -> {
                    if (random.nextInt(4) == 0) {
                        throw new IOException("Input/output error");
                    }
                    return -1;
                }));
        add(
                "disk",
                5,
                "power loss at a force",
                SimDaemon::isRunning,
                one -> disk(one, 5, (kind, name) -> loseAtForce(one, kind)));
        add(
                "disk",
                5,
                "slow disk",
                one -> disk(one, 15, (kind, name) -> {
                    if (kind.startsWith("force")) {
                        simulation.delay(MILLI * random.nextInt(3000));
                    }
                    return -1;
                }));
    }

    /** The power is lost between a write and its force. */
    private int loseAtForce(SimDaemon daemon, String kind) {
        if (kind.equals("force")) {
            daemon.disk.fault((next, name) -> -1);
            simulation.after(0, () -> cluster.powerLost(daemon));
            simulation.delay(SECOND);
        }
        return -1;
    }

    private void disk(SimDaemon daemon, int mostSeconds, CrashDisk.Fault fault) {
        daemon.disk.fault(fault);
        after(mostSeconds, () -> daemon.disk.fault((kind, name) -> -1));
    }

    private void links() {
        add("link", 10, "cut from clients", one -> {
            one.cutFromClients = true;
            after(10, () -> one.cutFromClients = false);
        });
        add("link", 5, "answers lost", one -> {
            one.answersLost = true;
            after(10, () -> one.answersLost = false);
        });
        add("link", 5, "slow clients", one -> {
            one.linkDelay = MILLI * random.nextInt(2000);
            after(10, () -> one.linkDelay = 0);
        });
    }

    private void etcds() {
        add("link", 20, "cut from etcd", one -> {
            one.cutFromEtcd = true;
            after(25, () -> one.cutFromEtcd = false);
        });
        add("etcd", 10, "member ends", one -> {
            int member = random.nextInt(3);
            etcd.kill(member);
            after(8, () -> etcd.start(member));
        });
        add("etcd", 10, "election", one -> etcd.elect());
        add("etcd", 10, "slow member", one -> {
            int member = random.nextInt(3);
            etcd.slow(member, true);
            after(10, () -> etcd.slow(member, false));
        });
        add("etcd", 10, "full etcd", one -> {
            etcd.full(true);
            after(5, () -> etcd.full(false));
        });
    }

    private void contents() {
        add("restore", 6, "backup", one -> cluster.isIntact(), one -> {
            backup = new Backup(etcd.backup(), cluster.witness().lastSeq(), cluster.age());
        });
        add("restore", 2, "restored etcd", one -> cluster.isIntact() && isOfThisLedger(backup), one -> {
            Backup chosen = backup;
            if (chosen != null) {
                cluster.restore(chosen.contents, chosen.seq);
            }
        });
        add("restore", 1, "wiped etcd", one -> cluster.isIntact(), one -> cluster.restore(null, 0));
    }

    private boolean isOfThisLedger(@Nullable Backup taken) {
        return taken != null && taken.age == cluster.age();
    }

    private void clocks() {
        add("clock", 10, "clock jump", one -> Math.abs(one.ahead) < 60 * SECOND, one -> {
            long jump = SECOND * (random.nextInt(60) - 30);
            one.ahead += jump;
            after(30, () -> one.ahead -= jump);
        });
        add(
                "clock",
                3,
                "clock far away",
                one -> one.core() != null && one.far == 0 && one.inventory().seq() > 0,
                one -> {
                    one.far = SECOND * (random.nextBoolean() ? 1 : -1) * (8 * 86_400 + random.nextInt(400 * 86_400));
                    after(30, () -> one.far = 0);
                });
        add("clock", 5, "clock off by hours", SimFaults::knowsTheTime, one -> {
            one.off = SECOND * (random.nextBoolean() ? 1 : -1) * (1200 + random.nextInt(2 * 86_400));
            after(30, () -> one.off = 0);
        });
        add("clock", 5, "clock drift", one -> !one.drifts(), one -> {
            one.drift(random.nextInt(400) - 200);
            after(30, one::endDrift);
        });
    }

    /** Whether a jump by hours is a jump: a daemon that doubts its clock since its start would take such a clock for corrected. */
    private static boolean knowsTheTime(SimDaemon daemon) {
        return daemon.core() != null
                && daemon.far == 0
                && daemon.inventory().seq() > 0
                && !daemon.inventory().clock().isDoubted();
    }

    private void copies() {
        add(
                "copy",
                3,
                "wiped directory",
                one -> one.isRunning() && one.far == 0,
                one -> down(one, () -> {
                    one.kill();
                    one.wipe();
                }));
        add("copy", 4, "backup of a directory", one -> one.copied = one.disk.image());
        add(
                "copy",
                3,
                "old directory",
                one -> one.isRunning() && one.copied != null && one.far == 0,
                one -> down(one, () -> {
                    one.kill();
                    CrashDisk.Image old = one.copied;
                    if (old != null) {
                        one.disk.restore(old);
                    }
                }));
    }

    private void reloads() {
        add("reload", 4, "reload", one -> one.reload(random.nextInt(one.configurations())));
        add("reload", 4, "reload everywhere", one -> cluster.reload(random.nextInt(one.configurations())));
    }
}
