package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.Commits;
import io.muster.daemon.core.HandDriven;
import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Brake;
import io.muster.inventory.state.Decision.Rejection.Kind;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges.Mode;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import io.muster.protocol.testing.SchedulerModel;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Response;
import io.muster.testing.NaiveState;
import io.muster.testing.Seeds;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs several admins and schedulers at once, with sockets that are slow or break, on a disk that stalls or fails, and compares them with a
 * model that is simple enough to be obviously correct. Every message is checked when it is received.
 */
class ModelPropsTest {
    private static final int STEPS = 40;
    private static final int RANKS = 8;
    /** The time of the model is constant, and one user makes all its changes: neither decides which changes are allowed. */
    private static final double NOW = 1;

    private static final Principal BY = Principal.DAEMON;

    /** After this time all planned holds have begun; all steps of a test together take less, unless this time passes. */
    private static final Duration SOON = Duration.ofMinutes(1);
    /** Counts forever, as the time of the model is constant. */
    private static final Brake BRAKE = new Brake("nhc*", 0, 3, 1e9);

    private final MemoryDisk memory = new MemoryDisk();
    private final NaiveState model = new NaiveState();
    private final List<Stage.Caller> admins = new ArrayList<>();
    private final List<Stage.Caller> robots = new ArrayList<>();
    private final List<Follower> followers = new ArrayList<>();
    /** The state after each committed event, by seq. */
    private final Map<Long, String> states = new TreeMap<>();
    /** The interval over which the daemon batches updates. */
    private Duration gathering = Duration.ZERO;

    /** A peer that has acquired, and the model of the messages that it was sent. */
    private record Follower(Stage.Caller caller, int matchtag, SchedulerModel knowledge) {
        static Follower of(Stage.Caller caller) {
            return new Follower(caller, caller.send("resource.acquire", null, Header.STREAMING), new SchedulerModel());
        }

        /** @return the number of responses read */
        int read() throws ProtocolException {
            int count = caller.responses.size();
            for (Response response : caller.responses) {
                assertThat(response.errnum()).as(Stage.text(response)).isZero();
                assertThat(response.matchtag()).isEqualTo(matchtag);
                knowledge.receive(Objects.requireNonNull(response.payload()));
            }
            caller.responses.clear();
            return count;
        }
    }

    private record Change(String topic, String payload, NaiveState.Effect effect) {}

    private record Sent(Stage.Caller by, int matchtag, Change change) {
        String answer() {
            return by.responses.stream()
                    .filter(response -> response.matchtag() == matchtag)
                    .map(Stage::text)
                    .findFirst()
                    .orElse("");
        }
    }

    private Change change(Rig rig, Random random) {
        Idset targets = some(random);
        String named = "{\"targets\":\"" + targets + "\",\"reason\":\"because\"";
        boolean yes = random.nextBoolean();
        return switch (random.nextInt(13)) {
            case 12 -> plan(rig, named, targets, yes);
            case 0, 1 ->
                new Change(
                        "drain",
                        named + (yes ? ",\"mode\":\"force-overwrite\"}" : "}"),
                        naive -> naive.drain(
                                targets, "because", yes ? Mode.FORCE_OVERWRITE : Mode.NONE, "admin", 0, NOW, BY));
            case 2, 3 ->
                new Change("undrain", named + "}", naive -> naive.undrain(targets, List.of(), Mode.NONE, null, BY));
            case 4 ->
                new Change(
                        yes ? "exclude" : "include",
                        named + "}",
                        naive -> yes ? naive.exclude(targets) : naive.include(targets, List.of()));
            case 5 ->
                random.nextInt(4) > 0
                        ? new Change("include", named + "}", naive -> naive.include(targets, List.of()))
                        : new Change("shrink", named + "}", naive -> naive.shrink(targets));
            case 6 -> report(random, targets);
            case 7 -> {
                String name = random.nextBoolean() ? "gpu" : "batch";
                yield new Change(
                        "property-" + (yes ? "add" : "remove"),
                        "{\"properties\":{\"" + name + "\":\"" + targets + "\"}}",
                        naive -> naive.edit(yes, Map.of(name, targets)));
            }
            case 8 ->
                new Change(
                        "drain",
                        named + ",\"holder\":\"c\",\"check\":\"nhc\"}",
                        naive -> naive.drainUntilCheck(targets, "c", NOW, BY));
            case 9, 10 -> {
                long attempt = Math.max(1, model.attempts - random.nextInt(3));
                int rank = targets.first();
                String result = "{\"host\":\"node" + rank + "\",\"check\":\"nhc\",\"attempt\":" + attempt;
                yield new Change(
                        "check-result",
                        result + ",\"result\":\"" + (yes ? "ok" : "failed") + "\"}",
                        naive -> naive.checkResult(rank, "c", attempt, yes));
            }
            default -> {
                double when = random.nextInt(3) * 2_000_000_000.0;
                yield new Change("expiration-update", "{\"expiration\":" + when + "}", naive -> naive.expire(when));
            }
        };
    }

    /** Plans a hold that begins when {@link #SOON} has passed, or cancels it. */
    private static Change plan(Rig rig, String named, Idset targets, boolean cancels) {
        if (cancels) {
            return new Change(
                    "undrain",
                    named + ",\"planned\":true}",
                    naive -> naive.undrain(targets, List.of(), Mode.NONE, null, BY, true));
        }
        double from = rig.now() + SOON.toSeconds() - 1;
        Hold wanted = new Hold("admin", null, 0, 0, BY, NOW + 1, 0, Purpose.NONE, 0, null, Extras.NONE);
        return new Change(
                "drain",
                named + ",\"from\":" + new BigDecimal(from).setScale(3, RoundingMode.DOWN) + "}",
                naive -> naive.plan(targets, "because", Mode.NONE, wanted, NOW));
    }

    /** A drain of a program, which its brake may refuse. */
    private static Change braked(Random random) {
        Idset targets = some(random);
        String payload = "{\"targets\":\"" + targets + "\",\"reason\":\"mad\",\"holder\":\"nhc\",\"mode\":\"update\"}";
        return new Change("drain", payload, naive -> {
            NaiveState then = naive.copy();
            Kind fault = then.drain(targets, "mad", Mode.UPDATE, "nhc", 0, NOW, BY);
            int before = held(naive);
            return fault == null && held(then) > before && members(then) > BRAKE.hosts()
                    ? Kind.BRAKED
                    : naive.drain(targets, "mad", Mode.UPDATE, "nhc", 0, NOW, BY);
        });
    }

    private static int held(NaiveState naive) {
        return naive.ranksWhere(rank -> rank.holds.containsKey("nhc")).size();
    }

    private static int members(NaiveState naive) {
        return naive.ranksWhere(rank -> rank.absent.isEmpty() && rank.holds.containsKey("nhc"))
                .size();
    }

    private static Change report(Random random, Idset targets) {
        String topic = List.of("online", "online", "offline", "monitor-force-down", "torpid", "lively")
                .get(random.nextInt(6));
        boolean monitor = topic.equals("monitor-force-down");
        String payload = "{\"" + (monitor ? "ranks" : "targets") + "\":\"" + targets + "\"}";
        return new Change(topic, payload, naive -> naive.report(monitor ? "offline" : topic, targets, NOW));
    }

    private static Idset some(Random random) {
        Idset.Builder builder = Idset.builder();
        for (int i = random.nextInt(3); i >= 0; i--) {
            builder.add(random.nextInt(RANKS));
        }
        return builder.build();
    }

    private enum Weather {
        FAIR,
        STALLED,
        FULL,
        BROKEN
    }

    @Seeds(share = 0.25)
    void peersAreSentDurableChangesOnly(Random random) throws Exception {
        Rig rig = Rig.on(new FaultyDisk(memory), new HandDriven(Rig.START));
        Stage stage = new Stage(rig);
        try (stage) {
            ResourceSet nodes = Rig.nodes("node[0-" + (RANKS - 1) + "]");
            rig.define(nodes);
            model.define(nodes, Liveness.Status.ONLINE, NOW);
            Duration batch = Duration.ofMillis(random.nextInt(2) * 50L);
            rig.acquires.configure(true, batch);
            gathering = batch;
            note(rig);
            for (int i = 0; i < 3; i++) {
                admins.add(stage.join(Stage.admin()));
            }
            rig.inventory.brakes().configure(List.of(BRAKE));
            robots.add(stage.join(Stage.robot()));
            for (int step = 0; step < STEPS; step++) {
                visit(stage, random);
                flight(stage, random);
            }
        }
        replaysToEachState();
    }

    private void note(Rig rig) {
        states.put(rig.inventory.seq(), text(rig.state()));
        rig.inventory.listen(new Commits() {
            @Override
            public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
                states.put(entries.get(entries.size() - 1).seq(), text(state));
            }

            @Override
            public void settled() {}
        });
    }

    private static String text(InventoryState state) {
        return Bytes.wrap(StateJson.toBytes(state)).text();
    }

    /** Lets schedulers acquire, stop reading, read again, cancel, and disconnect. */
    private void visit(Stage stage, Random random) throws ProtocolException {
        boolean onOffer = !model.ranksWhere(rank -> rank.absent.isEmpty()).isEmpty();
        if (onOffer && followers.size() < 4 && random.nextInt(3) == 0) {
            followers.add(Follower.of(stage.join(random.nextBoolean() ? Stage.scheduler() : Stage.owner())));
            stage.rig.settle();
        }
        for (Follower follower : List.copyOf(followers)) {
            switch (random.nextInt(12)) {
                case 0, 1 -> follower.caller.reads = false;
                case 2, 3, 4 -> {
                    follower.read();
                    boolean slept = !follower.caller.reads;
                    follower.caller.readAgain();
                    stage.rig.settle();
                    assertThat(follower.read())
                            .as("one update for all that it missed")
                            .isLessThanOrEqualTo(slept ? 1 : 0);
                }
                case 5 -> {
                    follower.read();
                    follower.caller.session.close();
                    followers.remove(follower);
                }
                default -> {}
            }
        }
        agree();
    }

    /** Sends some commands that may share a write, while the disk works, stalls or fails. */
    private void flight(Stage stage, Random random) throws ProtocolException {
        Rig rig = stage.rig;
        String before = text(rig.state());
        Weather weather = Weather.values()[Math.max(0, random.nextInt(7) - 3)];
        switch (weather) {
            case STALLED -> rig.holdDisk();
            case FULL -> rig.fillDisk();
            case BROKEN ->
                rig.disk.fault((kind, name) -> {
                    if (kind == FaultyDisk.Kind.FORCE) {
                        throw FaultyDisk.broken();
                    }
                    return -1;
                });
            default -> rig.healDisk();
        }
        List<Sent> sent = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            boolean mad = random.nextInt(8) == 0;
            Stage.Caller by = mad ? robots.get(0) : admins.get(random.nextInt(admins.size()));
            Change change = mad ? braked(random) : change(rig, random);
            sent.add(new Sent(by, by.send("resource." + change.topic, change.payload, 0), change));
        }
        boolean breaks = random.nextInt(6) == 0;
        Stage.@Nullable Caller gone = breaks && !robots.contains(sent.get(0).by) ? sent.get(0).by : null;
        if (gone != null) {
            admins.remove(gone);
            admins.add(stage.join(Stage.admin()));
            gone.session.close();
        }
        if (weather == Weather.STALLED) {
            if (writes(sent)) {
                rig.awaitForce();
            }
            rig.core.runReady();
            nobodyHeardAnything(rig, before);
            rig.release();
        }
        settleAll(rig, sent, gone);
        boolean failing = weather == Weather.FULL || weather == Weather.BROKEN;
        for (Sent one : sent) {
            settle(one, one.by == gone, failing);
        }
        if (failing) {
            nobodyHeardAnything(rig, before);
        }
        rig.healDisk();
        rig.journal.probe();
        rig.settle();
        // Updates that were batched are sent together at the end of the batch interval.
        rig.advance(gathering);
        agree();
        if (random.nextInt(4) == 0) {
            rig.advance(SOON);
            rig.advance(gathering);
            model.meetDeadlines(NOW + 1);
            agree();
        }
    }

    /** Returns whether these commands write to the disk, which is the case if they change the model. */
    private boolean writes(List<Sent> sent) {
        NaiveState then = model.copy();
        sent.forEach(one -> one.change.effect.on(then));
        return !then.toString().equals(model.toString());
    }

    /**
     * Checks that no peer has received an update, not even of a change that was undone: a change that is not on disk must not be visible.
     */
    private void nobodyHeardAnything(Rig rig, String before) throws ProtocolException {
        assertThat(text(rig.state())).as("what is seen").isEqualTo(before);
        for (Follower follower : followers) {
            assertThat(follower.read()).as("updates of what is not durable").isZero();
        }
        agree();
    }

    /**
     * Settles until all answers have arrived. A refusal that was decided again may wait for another change, as often as changes before it
     * fail.
     */
    private static void settleAll(Rig rig, List<Sent> sent, Stage.@Nullable Caller gone) {
        rig.settle();
        for (Sent one : sent) {
            if (one.by != gone && one.answer().isEmpty()) {
                rig.settle();
            }
        }
    }

    /** Checks an answer against the model. Answers arrive in the order of the decisions, so the model is in the same state. */
    private void settle(Sent sent, boolean gone, boolean failing) {
        String answer = sent.answer();
        NaiveState then = failing ? model.copy() : model;
        boolean allowed = sent.change.effect.on(then) == null;
        if (gone) {
            return;
        }
        if (!failing) {
            assertThat(answer.equals("ok") || answer.startsWith("{"))
                    .as("%s is allowed, and the answer is \"%s\"", sent.change, answer)
                    .isEqualTo(allowed);
        } else if (!allowed || !then.toString().equals(model.toString())) {
            assertThat(answer).as("%s", sent.change).startsWith(allowed ? "EROFS" : "E");
        }
    }

    /** Every scheduler that reads has the same knowledge as the model about the ranks that it was offered. */
    private void agree() throws ProtocolException {
        for (Follower follower : followers) {
            follower.read();
            if (follower.caller.reads) {
                follower.knowledge.assertKnows(
                        model.ranksWhere(NaiveState.Rank::isUp), model.properties(), model.expiration());
            }
        }
    }

    /** Each prefix of the journal that ends with a command results in the state that was visible at that time. */
    private void replaysToEachState() throws IOException {
        Map<Long, String> replayed = new TreeMap<>();
        Replay replay = new Replay() {
            private InventoryState state = InventoryState.empty();

            @Override
            public void snapshot(long seq, double timestamp, ObjectNode snapshot) {
                throw new AssertionError("nobody took a snapshot");
            }

            @Override
            public void event(JournalRecord record) {
                Entry entry = Entry.parse(record.event());
                state = entry.applyTo(state);
                replayed.put(record.seq(), text(state));
            }
        };
        HandDriven core = new HandDriven(Rig.START);
        Journal.open(new FaultyDisk(memory), JournalSettings.DEFAULT, replay, new LedgerListener() {}, core, core)
                .close();
        assertThat(replayed).containsAllEntriesOf(states);
        assertThat(replayed.keySet().stream().max(Long::compare))
                .isEqualTo(states.keySet().stream().max(Long::compare));
    }
}
