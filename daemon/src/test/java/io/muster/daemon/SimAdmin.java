package io.muster.daemon;

import io.muster.daemon.core.Answer;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.Once;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An admin that makes one change after the other, and sends a change again, with its id, at whatever daemon, until an answer says what came
 * of it.
 */
final class SimAdmin {
    private static final long MILLI = 1_000_000;
    /** What a daemon says if the change may be in the log although it was not answered as done. */
    static final Pattern UNKNOWN = Pattern.compile("the change may (have been made|exist)");

    private final SimCluster cluster;
    private final SplittableRandom random;
    private final Principal by;
    private final int number;
    private long count;
    private @Nullable Change open;
    /** The ids of changes that were refused, so that the log must never have them. */
    final Set<UUID> refused = new HashSet<>();

    long done;

    /** A change whose outcome is not known yet. */
    private static final class Change {
        private final UUID id;
        private final Command command;
        private final boolean writes;
        private final boolean timed;
        /** The seq of the last change that was answered to anybody before this one was first sent. */
        private final long floor;
        /** The age of the contents of etcd when the change was made. */
        private final long age;

        private int tries;
        /** How many answers said that the attempt has not made the change and never will. */
        private int unmade;

        Change(UUID id, Command command, boolean writes, boolean timed, long floor, long age) {
            this.id = id;
            this.command = command;
            this.writes = writes;
            this.timed = timed;
            this.floor = floor;
            this.age = age;
        }
    }

    SimAdmin(SimCluster cluster, int number) {
        this.cluster = cluster;
        this.number = number;
        this.random = cluster.simulation().choices().split();
        this.by = new Principal(1000 + number, "admin" + number, 7);
    }

    void start() {
        later(MILLI * random.nextInt(100), this::begin);
    }

    private void later(long nanos, Runnable action) {
        cluster.simulation().after(nanos, action);
    }

    private void begin() {
        if (!cluster.isBusy()) {
            later(100 * MILLI, this::begin);
            return;
        }
        count++;
        if (random.nextInt(5) == 0) {
            read();
            return;
        }
        open = next();
        send();
    }

    private Change next() {
        String rank = target();
        String text = "admin" + number + " change " + count;
        UUID id = new UUID(random.nextLong(), random.nextLong());
        int kind = random.nextInt(10);
        boolean writes = false;
        Command command;
        if (kind < 5) {
            command = new HoldChanges.Drain(rank, text, HoldChanges.Mode.OVERWRITE, Hold.SHARED, 0);
            writes = true;
        } else if (kind < 7) {
            command = new HoldChanges.Undrain(rank, text, HoldChanges.Mode.NONE, null);
        } else if (kind < 8) {
            double time = cluster.wallSeconds() + 2 + random.nextInt(60);
            writes = true;
            command = count % 2 == 0
                    ? new HoldChanges.Drain(rank, text, HoldChanges.Mode.OVERWRITE, "timed" + number, time)
                    : new HoldChanges.Drain(
                            rank,
                            text,
                            HoldChanges.Mode.OVERWRITE,
                            "planned" + number,
                            time,
                            0,
                            count % 20,
                            Purpose.NONE);
        } else if (random.nextInt(3) == 0) {
            command = other(rank, text);
        } else {
            LivenessChange change = random.nextBoolean() ? LivenessChange.OFFLINE : LivenessChange.ONLINE;
            command = new LivenessChanges.SetLiveness(change, rank, text);
        }
        boolean timed = kind == 7 || (command instanceof DefinitionChanges.SetExpiration);
        return new Change(id, new Once(command, ChangeId.of(id, text)), writes, timed, cluster.floor(), cluster.age());
    }

    /** A rank or a host, which may not exist: an R may have other hosts, and other ranks for them. */
    private String target() {
        int number = random.nextInt(SimCluster.RANKS + 1);
        return random.nextBoolean() ? Integer.toString(number) : "node" + number;
    }

    private Command other(String target, String text) {
        return switch (random.nextInt(6)) {
            case 0 -> new MembershipChanges.Exclude(target, text);
            case 1 -> new MembershipChanges.Shrink(target, text);
            case 2, 3 -> new MembershipChanges.Include(target, text);
            case 4 ->
                new DefinitionChanges.ChangeProperties(
                        random.nextBoolean(), new TreeMap<>(Map.of("p" + random.nextInt(3), target)), Set.of());
            default -> new DefinitionChanges.SetExpiration(Math.rint(cluster.wallSeconds()) + 1e6);
        };
    }

    private void send() {
        Change sent = open;
        if (sent == null) {
            return;
        }
        int attempt = ++sent.tries;
        long floor = cluster.floor();
        SimDaemon to = cluster.someDaemon(random);
        note(() -> "sends " + to.name + " " + sent.command + ", attempt " + attempt);
        to.ask(
                cluster.delay(random),
                (core, process) -> core.inventory().submit(sent.command, by, answer -> {
                    if (answer instanceof Answer.Done done && !done.entries().isEmpty()) {
                        cluster.checkScheduler(to, done.entries().get(0).seq());
                    }
                    to.answer(process, cluster.delay(random), () -> {
                        if (sent.tries == attempt) { // the connection of an earlier attempt is closed
                            answered(sent, answer, to, floor);
                        }
                    });
                }));
        boolean isPatient = number < 2 && cluster.isBusy(); // two admins wait for the end of the ledger's patience
        later(MILLI * (1500 + random.nextInt(isPatient ? 40_000 : 2000)), () -> {
            if (open == sent && sent.tries == attempt) {
                cluster.forget(to);
                send();
            }
        });
    }

    /** @param floor the seq of the last change that was answered to anybody before this attempt was sent */
    private void answered(Change change, Answer answer, SimDaemon from, long floor) {
        SimWitness witness = cluster.witness();
        long seq = witness.seqOf(change.id);
        note(() ->
                "is answered by " + from.name + ": " + (answer instanceof Answer.Done done ? done.entries() : answer));
        if (change.age != cluster.age() && !(answer instanceof Answer.Failed)) {
            finish(change); // etcd has lost events meanwhile, perhaps that of this change
        } else if (answer instanceof Answer.Done done) {
            boolean wrote = !done.entries().isEmpty();
            SimWitness.require(
                    !wrote || seq > 0,
                    () -> "change " + change.id + " was answered by " + from.name + ", and the log lacks it");
            SimWitness.require(
                    !change.writes || seq > 0,
                    () -> "change " + change.id + " of " + from.name + " is done, and not in the log");
            SimWitness.require(
                    seq == 0 || seq > change.floor,
                    () -> "change " + change.id + " is at " + seq + ", but was sent after the answer to "
                            + change.floor);
            SimWitness.require(
                    wrote || isRight(change, floor, decision -> decision.rejection() == null),
                    () -> "nothing had to change for " + change.id + ", says " + from.name
                            + ", which was never so after " + floor);
            cluster.answered(seq);
            finish(change);
        } else if (answer instanceof Answer.Rejected rejected) {
            SimWitness.require(
                    seq == 0, () -> "change " + change.id + " is refused, and in the log at " + seq + ": " + rejected);
            SimWitness.require(
                    isRight(change, floor, decision -> decision.rejection() != null),
                    () -> "change " + change.id + " is refused by " + from.name + ", which was never right after "
                            + floor + ": " + rejected);
            refused.add(change.id);
            finish(change);
        } else if (open == change) {
            cluster.forget(from);
            change.unmade += isUnmade(answer) ? 1 : 0;
            SimWitness.require(
                    change.unmade < change.tries || seq == 0 || change.age != cluster.age(),
                    () -> "change " + change.id + " is in the log at " + seq + ", after " + answer);
            if (change.unmade == change.tries
                    && random.nextInt(4) == 0) { // no attempt is made, so the change never happens
                refused.add(change.id);
                finish(change);
                return;
            }
            int attempt = change.tries;
            later(MILLI * (50 + random.nextInt(500)), () -> {
                if (open == change && change.tries == attempt) {
                    send();
                }
            });
        }
    }

    /** Returns whether a change that writes nothing has such a decision in one of the states after an event. */
    private boolean isRight(Change change, long after, Predicate<Decision> answer) {
        SimWitness witness = cluster.witness();
        boolean right = change.timed; // depends on the time of the daemon too
        for (long seq = after; seq <= witness.lastSeq() && !right; seq++) {
            Decision decision = change.command.decide(witness.at(seq), cluster.wallSeconds(), by);
            right = decision.events().isEmpty() && answer.test(decision);
        }
        return right;
    }

    private static boolean isUnmade(Answer answer) {
        return answer instanceof Answer.Failed failed
                && !UNKNOWN.matcher(failed.text()).find();
    }

    private void note(Supplier<String> what) {
        cluster.simulation().note(() -> by.user() + " " + what.get());
    }

    private void finish(Change change) {
        if (open == change) {
            open = null;
            done++;
            later(MILLI * random.nextInt(cluster.thinkMillis()), this::begin);
        }
    }

    /** Confirms at a daemon, and checks that it has every change that was answered to anybody before. */
    private void read() {
        long floor = cluster.floor();
        long age = cluster.age();
        SimDaemon to = random.nextInt(3) == 0 ? cluster.anyDaemon(random) : cluster.someDaemon(random);
        to.ask(
                cluster.delay(random),
                (core, process) -> core.inventory().submit(new Command.Confirm(), by, answer -> {
                    if (answer instanceof Answer.Done) {
                        SimWitness.require(
                                age != cluster.age() || core.inventory().seq() >= floor,
                                to.name + " confirms the state at "
                                        + core.inventory().seq() + " after the answer to " + floor);
                        if (age == cluster.age()) {
                            cluster.answered(core.inventory().seq());
                        }
                    }
                }));
        later(MILLI * random.nextInt(cluster.thinkMillis()), this::begin);
    }

    boolean isIdle() {
        return open == null;
    }

    void check() {
        refused.forEach(id -> SimWitness.require(
                cluster.witness().seqOf(id) == 0, "change " + id + " was refused, and is in the log"));
    }

    List<String> state() {
        Change waiting = open;
        return waiting == null
                ? List.of()
                : List.of(by.user() + " waits for " + waiting.id + ", tried " + waiting.tries);
    }
}
