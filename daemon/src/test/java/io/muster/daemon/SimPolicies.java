package io.muster.daemon;

import io.muster.daemon.core.Reporter;
import io.muster.daemon.core.Sink;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Liveness.Status;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.axis.Report;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Brake;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.HoldChanges.Mode;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.Policy;
import io.muster.inventory.state.ReportChanges;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The policies in the configuration of each daemon, a reporter whose stream ends now and then, and a person who ends holds of policies. The
 * log shows what each host did before a policy drained it.
 */
final class SimPolicies {
    private static final String HOLDER = "auto-";
    private static final Brake BRAKE = new Brake(HOLDER + "*", 0, 5, 10);
    private static final List<Policy> POLICIES =
            List.of(policy(Policy.When.OFFLINE, 5), policy(Policy.When.TORPID, 3), policy(Policy.When.RETURNED, 2));
    private static final String REPORTER = "bridge";
    /** Ranks that each configured R has. */
    private static final Idset REPORTED = Idset.range(4, 11);

    /** The holders whose holds end by time, or are ended by the robot. */
    private static final Pattern OTHERS = Pattern.compile("(timed|planned|mad).*");

    private static final LivenessChange[] CHANGES = LivenessChange.values();
    private static final long MILLI = 1_000_000;

    private final SimCluster cluster;
    private final SplittableRandom random;
    private final Principal by = new Principal(700, REPORTER, 1);
    private @Nullable Stream open;

    SimPolicies(SimCluster cluster) {
        this.cluster = cluster;
        this.random = cluster.simulation().choices().split();
    }

    private static Policy policy(Policy.When when, double after) {
        return new Policy(when, after, "all", HOLDER + when.word(), when.word(), Purpose.NONE);
    }

    /** Returns what the configuration of each daemon says. */
    static String config() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "[[brake]]\nholder = \"%s\"\nhosts = %d\nwindow = \"%.0fs\"\n",
                BRAKE.holder(),
                BRAKE.hosts(),
                BRAKE.window()));
        POLICIES.forEach(policy -> text.append(String.format(
                Locale.ROOT,
                "[[policy]]\nwhen = \"%s\"\nafter = \"%.0fs\"\nhold = { holder = \"%s\", reason = \"%s\" }\n",
                policy.when().word(),
                policy.after(),
                policy.holder(),
                policy.reason())));
        return text.toString();
    }

    void start() {
        later(1000, this::act);
    }

    private void later(int mostMillis, Runnable action) {
        cluster.simulation().after(MILLI * random.nextInt(mostMillis), action);
    }

    private void act() {
        if (!cluster.isBusy()) {
            return;
        }
        Stream now = open;
        int choice = random.nextInt(20);
        if (now == null || now.isGone()) {
            if (now != null) {
                now.close(); // its request may arrive later
            }
            open = new Stream(cluster.someDaemon(random));
            open.begin();
        } else if (choice == 0) {
            now.close();
        } else if (choice < 3) {
            String rank = Integer.toString(random.nextInt(SimCluster.RANKS));
            send(
                    cluster.someDaemon(random),
                    new HoldChanges.Undrain(
                            rank,
                            null,
                            Mode.OVERWRITE,
                            POLICIES.get(random.nextInt(3)).holder()));
        } else {
            int first = REPORTED.first() + random.nextInt(REPORTED.size());
            Idset ranks = Idset.range(first, Math.min(first + random.nextInt(3), REPORTED.last()));
            LivenessChange change = CHANGES[random.nextInt(CHANGES.length)];
            send(now.daemon, new LivenessChanges.SetLiveness(change, ranks.toString(), "reported"));
        }
        later(3000, this::act);
    }

    /** When all is quiet, one host without a hold fails while all others are online, so that no brake holds the policies back. */
    void exercise() {
        SimDaemon leader = Objects.requireNonNull(cluster.leader());
        set(leader, LivenessChange.ONLINE, free());
        run(60_000);
        Idset healthy = free().intersect(cluster.witness().state().liveness().online());
        if (healthy.isEmpty()) {
            return;
        }
        Policy policy = POLICIES.get(random.nextInt(POLICIES.size()));
        Idset one = Idset.of(healthy.first());
        set(leader, policy.when() == Policy.When.TORPID ? LivenessChange.TORPID : LivenessChange.OFFLINE, one);
        run(3200);
        if (policy.when() == Policy.When.RETURNED) {
            set(leader, LivenessChange.ONLINE, one);
        }
        run(26_800);
        SimWitness.require(
                free().intersect(one).isEmpty(),
                () -> "no policy drains " + one + ", although the policy for "
                        + policy.when().word() + " must");
    }

    /** Returns the ranks without holds that no reporter has left unknown. */
    private Idset free() {
        InventoryState state = cluster.witness().state();
        return state.members()
                .subtract(state.holds().held())
                .subtract(state.liveness().reports().unknown());
    }

    private void set(SimDaemon leader, LivenessChange change, Idset ranks) {
        if (!ranks.isEmpty()) {
            send(leader, new LivenessChanges.SetLiveness(change, ranks.toString(), "exercise"));
        }
    }

    private void run(int millis) {
        cluster.simulation().runUntil(cluster.simulation().now() + MILLI * millis);
    }

    private void send(SimDaemon to, Command command) {
        to.ask(cluster.delay(random), (core, process) -> core.inventory().submit(command, by, answer -> {}));
    }

    /** The stream of the reporter. */
    private final class Stream implements Sink {
        private final SimDaemon daemon;
        private SimDaemon.@Nullable Run process;
        private @Nullable Reporter reporter;
        private boolean over;
        private boolean released;

        Stream(SimDaemon daemon) {
            this.daemon = daemon;
        }

        void begin() {
            Idset online = Idset.range(REPORTED.first(), REPORTED.first() + random.nextInt(REPORTED.size()));
            daemon.ask(cluster.delay(random), (core, at) -> {
                process = at;
                try {
                    reporter = core.streams()
                            .reporters()
                            .open(this, by, new ReportChanges.Register(REPORTER, REPORTED, online, Idset.EMPTY));
                    if (over) { // the reporter has gone meanwhile
                        close();
                    }
                } catch (RpcException refused) {
                    end(refused);
                }
            });
        }

        boolean isGone() {
            return over || process == null || daemon.process() != process;
        }

        /** The connection ends, which the daemon notices as soon as packets reach it again. */
        void close() {
            over = true;
            Reporter ending = reporter;
            if (ending != null && !released && daemon.process() == process) {
                daemon.ask(0, (core, at) -> {
                    released = true;
                    core.streams().reporters().release(ending);
                });
                cluster.simulation().after(5000 * MILLI, this::close); // the daemon may be cut off meanwhile
            }
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public @Nullable RpcException refusal(Bytes payload) {
            return null;
        }

        @Override
        public void send(Bytes payload) {}

        @Override
        public void end(RpcException reason) {
            over = true;
            cluster.forget(daemon);
        }
    }

    /** Whether no policy should have drained a host long ago, and the hosts of a reporter that is gone are unknown. */
    boolean agree(InventoryState state) {
        Report report = state.liveness().reports().of(REPORTER);
        boolean isKnown = report != null && !report.isLapsed();
        Stream now = open;
        return !(isKnown && (now == null || now.isGone())) && !owes(state);
    }

    /**
     * Whether a host is absent for longer than a policy waits, and no brake keeps the policy from draining the host. A host that is back is
     * drained at once or never.
     */
    private boolean owes(InventoryState state) {
        double before = cluster.wallSeconds() - 10;
        Idset.Builder crowd = Idset.builder();
        boolean[] due = {false};
        state.members().forEach(rank -> {
            Absence absence = Absence.of(
                    cluster.witness()::point,
                    cluster.witness().lastSeq(),
                    state.resources().hostOf(rank));
            if (absence != null && (absence.end == 0 || absence.end > before - 2 * BRAKE.window())) {
                crowd.add(rank);
                due[0] |= absence.end == 0
                        && POLICIES.stream()
                                .anyMatch(each ->
                                        absence.fits(each.when()) && before - absence.of(each.when()) >= each.after());
            }
        });
        return due[0] && crowd.build().size() <= BRAKE.room(state, before);
    }

    /**
     * Checks an event of the log: a policy drains hosts without holds that were absent for so long, once for each absence, and not if too
     * many are absent.
     *
     * @param line what happened until each event
     */
    static void check(LongFunction<SimWitness.Point> line, Entry entry, InventoryState after) {
        if (!(entry.event() instanceof HoldChanges.Drained drained && BRAKE.covers(drained.holder()))) {
            return;
        }
        long last = entry.seq() - 1;
        InventoryState before = line.apply(last).state();
        String where = " at seq " + entry.seq();
        SimWitness.require(entry.by().equals(Principal.DAEMON), "somebody else places the hold of a policy" + where);
        Policy policy = POLICIES.stream()
                .filter(each -> each.holder().equals(drained.holder()))
                .findFirst()
                .orElseThrow();
        drained.targets().ranks().forEach(rank -> {
            String host = before.resources().hostOf(rank);
            Absence absence = Absence.of(line, last, host);
            String what = "a policy drains " + host + where;
            if (absence == null) {
                throw new AssertionError(what + ", which is held, not absent, or unknown, or the absence is settled");
            }
            double lasted = (absence.end == 0 ? entry.timestamp() : absence.end) - absence.of(policy.when());
            SimWitness.require(
                    lasted >= policy.after() - 1e-5 && absence.fits(policy.when()),
                    what + " after " + lasted + " s: " + absence);
        });
        Idset.Builder crowd = Idset.builder();
        before.members().subtract(before.liveness().online()).forEach(rank -> {
            if (Absence.of(line, last, before.resources().hostOf(rank)) != null) {
                crowd.add(rank);
            }
        });
        int absent = crowd.build().size();
        int room = BRAKE.room(before, entry.timestamp());
        SimWitness.require(
                absent <= room, "a policy drains although " + absent + " hosts are absent, of " + room + where);
        int count = BRAKE.counted(after, entry.timestamp()).size();
        SimWitness.require(
                count <= BRAKE.hosts(), "the policies have drained " + count + " hosts in the window," + where);
    }

    /**
     * The last absence of a host without holds, about which nothing was done, as the events before show it.
     *
     * @param began when the host was not online any more
     * @param since when it got its present status
     * @param end when it was online again; 0 if it is not
     */
    private record Absence(double began, double since, double end, Status status) {
        boolean fits(Policy.When when) {
            return when.name().equals(status == Status.ONLINE ? "RETURNED" : status.name());
        }

        double of(Policy.When when) {
            return when == Policy.When.RETURNED ? began : since;
        }

        static @Nullable Absence of(LongFunction<SimWitness.Point> line, long last, String host) {
            InventoryState now = line.apply(last).state();
            int rank = now.resources().ranksOf(host).first();
            LivenessState newest = now.liveness().of(rank);
            if (newest == null
                    || now.holds().on(rank) != null
                    || now.liveness().reports().unknown().contains(rank)) {
                return null;
            }
            double since = 0;
            double end = 0;
            double next = 0;
            Status later = newest.status();
            boolean away = later != Status.ONLINE;
            for (long seq = last; seq > 0; seq--) {
                SimWitness.Point at = line.apply(seq);
                Idset ranks = at.state().resources().ranksOf(host);
                LivenessState live =
                        ranks.isEmpty() ? null : at.state().liveness().of(ranks.first());
                if (live == null || isSettled(at.state().holds().on(ranks.first()))) {
                    return null;
                }
                Status status = live.status();
                if (status != later) {
                    since = since == 0 ? next : since;
                    if (away && status == Status.ONLINE) {
                        return new Absence(next, since, end, newest.status());
                    }
                    end = later == Status.ONLINE ? next : end;
                    away = true;
                }
                later = status;
                next = at.time();
            }
            return null;
        }

        /** Whether one of the holds settles the absence when it ends, because it is that of a policy, or a user of the host ends it. */
        private static boolean isSettled(@Nullable HoldSet set) {
            return set != null
                    && set.holds().stream()
                            .anyMatch(hold -> !OTHERS.matcher(hold.holder()).matches());
        }
    }
}
