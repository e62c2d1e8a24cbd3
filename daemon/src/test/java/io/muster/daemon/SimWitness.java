package io.muster.daemon;

import io.muster.daemon.core.Committed;
import io.muster.daemon.etcd.LogReader;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.level.Level;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.SameState;
import io.muster.inventory.state.StateJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The log of the ledger, as it is committed: it decides what happened. Checks each transaction: that it continues the log, that terms do not
 * mix, that time does not go back, that no change is made twice, that no hold ends early, and that planned
 * holds begin once and not early. If etcd is restored or wiped, or an operator
 * puts a copy in its place, the log continues after the event with which the contents of etcd end.
 */
final class SimWitness {
    /** By how many seconds times of events may be ahead: more than clocks are, and a start after a doubt about the clock. */
    private static final double MOST_AHEAD = 120;
    /** The same for times that are behind: a daemon goes by the last time of a leader that could not write its time for minutes. */
    private static final double MOST_BEHIND = 600;

    private static final int MOST_EQUAL = 16;

    private final DoubleSupplier clock;
    private final LogReader reader = new LogReader();
    private final Map<UUID, Long> changes = new HashMap<>();
    private final List<Point> line = new ArrayList<>(List.of(Point.START));
    /** The events that the log does not have any more, with the ones before, for each time when it lost some. */
    private final List<List<Point>> former = new ArrayList<>();

    /** States of daemons, each with the equal state of the log. */
    private final IdentityHashMap<InventoryState, InventoryState> equal = new IdentityHashMap<>();

    private BiConsumer<Entry, InventoryState> watcher = (entry, before) -> {};

    private String lastTxn = "";
    private long lastTerm;
    private boolean importing;
    private long highest;
    private long events;

    /**
     * The log up to an event.
     *
     * @param entry the event; null for the beginning
     */
    record Point(
            double time,
            @Nullable UUID change,
            String txn,
            InventoryState state,
            @Nullable Entry entry) {
        static final Point START = start(Level.ONE);

        static Point start(Level level) {
            return new Point(0, null, "", InventoryState.empty(level), null);
        }

        /** The same, as an import has written it. */
        Point in(String written) {
            return new Point(time, change, written, state, entry);
        }
    }

    /** @param clock the true time in seconds */
    SimWitness(DoubleSupplier clock) {
        this.clock = clock;
    }

    /** Calls {@code each} with each event and the state before it. */
    void watch(BiConsumer<Entry, InventoryState> each) {
        watcher = watcher.andThen(each);
    }

    /** @param leader the term of the daemon that leads; 0 if none does */
    void put(String key, byte[] value, long leader) {
        LogReader.Group group = reader.committed(key, value);
        if (group == null || importing) {
            lastTxn = group == null ? lastTxn : group.txn();
            return;
        }
        require(group.first() == lastSeq() + 1, () -> "the log continues at " + group.first() + " after " + lastSeq());
        require(
                lastTxn.isEmpty() || group.previous().equals(lastTxn),
                () -> "the log continues " + group.previous() + ", not " + lastTxn);
        require(group.term() == leader, () -> "term " + group.term() + " writes in term " + leader);
        require(group.term() >= lastTerm, () -> "term " + group.term() + " writes after term " + lastTerm);
        lastTxn = group.txn();
        lastTerm = group.term();
        begins(group.level());
        group.records().forEach(record -> add(Entry.parse(record.event()), group.txn()));
        require(lastSeq() == group.last(), () -> "the group ends with " + group.last() + ", not " + lastSeq());
        require(
                state().level().includes(group.level()),
                () -> "a group of level " + group.level() + " is in a log of level " + state().level());
    }

    /** The first event, whatever it is, is written in this level. */
    private void begins(Level level) {
        if (lastSeq() == 0) {
            line.set(0, Point.start(level));
        }
    }

    /** A ledger of files says that these are durable. */
    void committed(List<Entry> entries) {
        entries.forEach(entry -> add(entry, ""));
    }

    /** A ledger of files is read at a start: it has everything that it ever said to be durable, and perhaps more. */
    void recovered(Level level, List<Entry> entries, InventoryState state, long seq) {
        begins(level);
        require(seq >= lastSeq(), "the files end with " + seq + ", and " + lastSeq() + " was durable");
        entries.stream().filter(entry -> entry.seq() > lastSeq()).forEach(entry -> add(entry, ""));
        require(has(state, seq), "the files have another state at " + seq + " than the log");
    }

    private void add(Entry entry, String txn) {
        long seq = line.size();
        double lastTime = line.get(line.size() - 1).time;
        double ahead = entry.timestamp() - clock.getAsDouble();
        require(entry.seq() == seq, () -> "event " + entry.seq() + " is in the place of " + seq);
        require(seq > 1 || entry.event() instanceof DefinitionChanges.Defined, "the ledger begins without hosts");
        require(entry.timestamp() >= lastTime, () -> "time goes back from " + lastTime + " to " + entry.timestamp());
        require(
                ahead < MOST_AHEAD && ahead > -MOST_BEHIND,
                () -> "event " + seq + " is at " + entry.timestamp() + ", and it is " + clock.getAsDouble());
        if (entry.event() instanceof HoldChanges.Undrained end && entry.by().equals(Principal.DAEMON)) {
            end.targets().ranks().forEach(rank -> {
                HoldSet holds = state().holds().on(rank);
                Hold ended = holds == null ? null : holds.of(end.holder());
                require(
                        ended != null && ended.until() > 0 && ended.until() <= entry.timestamp(),
                        () -> "a hold on rank " + rank + " ends early, at seq " + seq);
            });
        }
        watcher.accept(entry, state());
        if (entry.event() instanceof HoldChanges.Drained begun && begun.planner() != null) {
            begun.targets().ranks().forEach(rank -> {
                HoldSet plans = state().plans().on(rank);
                Hold plan = plans == null ? null : plans.of(begun.holder());
                require(
                        plan != null && plan.from() == begun.from() && plan.from() <= entry.timestamp(),
                        () -> "a hold on rank " + rank + " begins that is not planned, or begins early, at seq " + seq);
            });
        }
        UUID change = entry.id() == null ? null : entry.id().id();
        made(change, seq);
        InventoryState after = entry.applyTo(state());
        SimRobot.check(state(), entry, after);
        SimPolicies.check(this::point, entry, after);
        line.add(new Point(entry.timestamp(), change, txn, after, entry));
        highest = Math.max(highest, seq);
        events++;
    }

    private void made(@Nullable UUID change, long seq) {
        if (change != null) {
            Long before = changes.put(change, seq);
            require(before == null, () -> "change " + change + " is made twice, at " + before + " and " + seq);
        }
    }

    /** A snapshot is in etcd: who loads it goes by its time. */
    void published(long seq, double time) {
        require(
                seq < line.size(),
                "the snapshot at seq " + seq + " is beyond the log, which ends at " + (line.size() - 1));
        double event = line.get((int) seq).time;
        require(
                time >= event,
                "the snapshot at seq " + seq + " has the time " + time + ", and its last event " + event);
    }

    /** Etcd has only the events up to this one from now on. */
    void restored(long seq) {
        former.add(List.copyOf(line));
        become(line.subList(0, (int) seq + 1));
        lastTerm = 0;
    }

    private void become(List<Point> points) {
        List<Point> kept = List.copyOf(points);
        line.clear();
        line.addAll(kept);
        changes.clear();
        for (int i = 0; i < line.size(); i++) {
            made(line.get(i).change, i);
        }
        lastTxn = line.get(line.size() - 1).txn;
    }

    /** An operator deletes the contents of etcd, and writes a copy into it. */
    void importing() {
        importing = true;
        lastTxn = ""; // a copy that is only a snapshot is no transaction
    }

    /** The contents of etcd are this copy from now on. */
    void imported(InventoryState state, long seq) {
        importing = false;
        former.add(List.copyOf(line));
        for (int i = former.size() - 1; i >= 0; i--) {
            List<Point> points = former.get(i);
            if (points.size() > seq && same(points.get((int) seq).state, state)) {
                List<Point> kept = new ArrayList<>(points.subList(0, (int) seq + 1));
                kept.set(
                        (int) seq,
                        kept.get((int) seq).in(lastTxn)); // what follows a backup of the new contents names it
                become(kept);
                lastTerm = 0;
                return;
            }
        }
        require(false, "the operator imports a state at seq " + seq + " that no log had");
    }

    /** The same states are compared again and again while all is quiet. */
    @SuppressWarnings("ReferenceEquality")
    private boolean same(InventoryState log, InventoryState other) {
        boolean same = equal.get(other) == log || SameState.test(log, other);
        if (same && equal.size() == MOST_EQUAL) {
            equal.clear();
        }
        if (same) {
            equal.put(other, log);
        }
        return same;
    }

    /** Whether the state is that of the log after an event. Before the first event, each daemon has the level of its program. */
    boolean has(InventoryState state, long seq) {
        return seq < line.size()
                && same(seq == 0 ? InventoryState.empty(state.level()) : line.get((int) seq).state, state);
    }

    /** Checks that these events are those of the log. */
    void checkEvents(String where, List<Entry> entries) {
        entries.forEach(entry -> require(
                entry.equals(point(entry.seq()).entry),
                () -> where + " has " + entry + " instead of " + point(entry.seq()).entry));
    }

    /** Returns what the files of a daemon have instead of the log. */
    String difference(Committed files) {
        byte[] has = StateJson.toBytes(files.state());
        byte[] log = StateJson.toBytes(line.get((int) Math.min(files.seq(), lastSeq())).state);
        int at = Math.max(0, Arrays.mismatch(has, log) - 100);
        return "they end with " + files.seq() + " and the log with " + lastSeq() + ", " + text(has, at) + " instead of "
                + text(log, at);
    }

    private static String text(byte[] json, int from) {
        return new String(json, from, Math.min(300, json.length - from), StandardCharsets.UTF_8);
    }

    static void require(boolean condition, String fault) {
        require(condition, () -> fault);
    }

    static void require(boolean condition, Supplier<String> fault) {
        if (!condition) {
            throw new AssertionError(fault.get());
        }
    }

    long lastSeq() {
        return line.size() - 1L;
    }

    /** Whether the log still has every event that it ever had. */
    boolean isWhole() {
        return former.isEmpty() && !importing;
    }

    boolean isImporting() {
        return importing;
    }

    /** The last event that any log had. */
    long highest() {
        return highest;
    }

    InventoryState state() {
        return line.get(line.size() - 1).state;
    }

    Point point(long seq) {
        return line.get(Math.toIntExact(seq));
    }

    InventoryState at(long seq) {
        return line.get(Math.toIntExact(seq)).state;
    }

    long events() {
        return events;
    }

    /** Returns the seq of a change; 0 if the log does not have it. */
    long seqOf(UUID change) {
        return changes.getOrDefault(change, 0L);
    }
}
