package io.muster.daemon.etcd;

import io.muster.daemon.etcd.Etcd.Compare;
import io.muster.daemon.etcd.Etcd.Entry;
import io.muster.daemon.etcd.Etcd.Op;
import io.muster.daemon.etcd.Etcd.Result;
import io.muster.daemon.etcd.EtcdException.Fate;
import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of three members of etcd, as clients see it: one order of transactions, leases that end, a quota, members that are slow or dead,
 * answers that are lost after the commit, times without a leader.
 */
public final class EtcdModel {
    static final int MEMBERS = 3;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1000 * MILLI;
    private static final int SHOWN = 160;

    private final Simulation simulation;
    private NavigableMap<String, Entry> keys = new TreeMap<>();
    private final Map<Long, Lease> leases = new TreeMap<>();
    private long revision = 1;
    private long leasesMade = 7_000;
    private final boolean[] dead = new boolean[MEMBERS];
    private final boolean[] slow = new boolean[MEMBERS];
    private long leaderlessUntil;
    /** Counts the restores: requests to the cluster before are lost. */
    private long incarnation;

    private boolean full;
    /** When a full etcd stops to carry out requests. */
    private long alarm;

    private long timesFull;

    private BiConsumer<String, byte[]> onPut = (key, value) -> {};
    private Runnable onChange = () -> {};
    private @Nullable Trap trap;

    /** What happens when a process sends a write of a key. */
    private record Trap(SimMachine process, String key, Runnable action) {
        boolean isAt(Op op) {
            return op instanceof Op.Put put
                    && (key.endsWith("/")
                            ? put.key().startsWith(key)
                            : put.key().equals(key));
        }
    }

    private static final class Lease {
        private final long ttl;
        private long end;

        Lease(long ttl, long end) {
            this.ttl = ttl;
            this.end = end;
        }
    }

    /** What a backup has: the keys, the leases with their lengths, the revision. */
    public static final class Backup {
        private final NavigableMap<String, Entry> keys;
        private final Map<Long, Long> leases = new TreeMap<>();
        private final long revision;

        private Backup(NavigableMap<String, Entry> keys, long revision) {
            this.keys = new TreeMap<>(keys);
            this.revision = revision;
        }
    }

    public EtcdModel(Simulation simulation) {
        this.simulation = simulation;
    }

    /** @param listener is given each key and value when it is committed */
    public void onPut(BiConsumer<String, byte[]> listener) {
        onPut = listener;
    }

    /** @param listener is called when keys were deleted, or a snapshot was published */
    public void onChange(Runnable listener) {
        onChange = listener;
    }

    // ---- faults

    /** Has something happen as soon as a process sends its next write of a key: of any below it, if the key ends with a slash. */
    public void trap(SimMachine process, String key, Runnable action) {
        trap = new Trap(process, key, action);
    }

    public void noTrap() {
        trap = null;
    }

    private void sends(SimMachine process, List<Op> then) {
        Trap set = trap;
        if (set != null && set.process == process && then.stream().anyMatch(set::isAt)) {
            trap = null;
            simulation.after(0, set.action);
        }
    }

    @Override
    public String toString() {
        return "etcd" + (full ? " is full," : "") + " dead " + Arrays.toString(dead) + ", slow "
                + Arrays.toString(slow);
    }

    public void kill(int member) {
        dead[member] = true;
        elect();
    }

    public void start(int member) {
        dead[member] = false;
    }

    public void slow(int member, boolean now) {
        slow[member] = now;
    }

    public void full(boolean now) {
        if (now && !full) {
            alarm = simulation.now() + MILLI * simulation.choices().nextInt(2000);
            timesFull++;
        }
        full = now;
    }

    /** The cluster elects another leader, which takes some time, and extends all leases. */
    public void elect() {
        leaderlessUntil = simulation.now() + MILLI * (50L + simulation.choices().nextInt(1500));
        leases.values().forEach(lease -> lease.end = Math.max(lease.end, leaderlessUntil + lease.ttl));
    }

    public Backup backup() {
        expire();
        Backup made = new Backup(keys, revision);
        leases.forEach((id, lease) -> made.leases.put(id, lease.ttl));
        return made;
    }

    /** The members end, and start with the contents of a backup: without it, as a new cluster. Revisions are given out again. */
    public void restore(@Nullable Backup backup) {
        keys = backup == null ? new TreeMap<>() : new TreeMap<>(backup.keys);
        revision = backup == null ? 1 : backup.revision;
        incarnation++;
        leases.clear();
        if (backup != null) {
            backup.leases.forEach((id, ttl) -> leases.put(id, new Lease(ttl, simulation.now() + ttl)));
        }
        elect();
        leaderlessUntil += SECOND * simulation.choices().nextInt(12);
    }

    private boolean serves() {
        int alive = 0;
        for (boolean each : dead) {
            alive += each ? 0 : 1;
        }
        return alive > MEMBERS / 2 && simulation.now() >= leaderlessUntil;
    }

    // ---- the state

    private void expire() {
        leases.entrySet().removeIf(each -> {
            boolean over = each.getValue().end < simulation.now();
            if (over) {
                end(each.getKey());
            }
            return over;
        });
    }

    private void end(long lease) {
        if (keys.values().removeIf(entry -> entry.lease() == lease)) {
            revision++;
        }
    }

    private Result transact(List<Compare> compare, List<Op> then, List<Op> otherwise) throws EtcdException {
        expire();
        boolean holds = true;
        for (Compare condition : compare) {
            Entry entry = keys.get(condition.key());
            holds &= (entry == null ? 0 : entry.modRevision()) == condition.modRevision();
        }
        List<Op> branch = holds ? then : otherwise;
        boolean writes = false;
        boolean changes = false;
        for (Op op : branch) {
            writes |= !(op instanceof Op.Get);
            changes |= op instanceof Op.Delete
                    || (op instanceof Op.Put put && put.key().endsWith("snapshot"));
            if (op instanceof Op.Put put && put.lease() != 0 && !leases.containsKey(put.lease())) {
                throw new EtcdException(Fate.REFUSED, "etcdserver: requested lease not found");
            }
        }
        revision += writes ? 1 : 0;
        List<List<Entry>> found = new ArrayList<>();
        for (Op op : branch) {
            if (op instanceof Op.Put put) {
                keys.put(put.key(), new Entry(put.key(), put.value().clone(), revision, put.lease()));
                onPut.accept(put.key(), put.value());
            } else if (op instanceof Op.Delete delete) {
                range(delete.key(), delete.end()).clear();
            } else if (op instanceof Op.Get get) {
                found.add(read(get));
            }
        }
        if (changes) {
            onChange.run();
        }
        return new Result(holds, revision, found);
    }

    /** Says what a transaction has changed in etcd; "" if it only reads. */
    private static String described(SimMachine by, Result result, List<Op> then) {
        StringBuilder text = new StringBuilder();
        for (Op op : then) {
            if (op instanceof Op.Put put) {
                String value = new String(put.value(), StandardCharsets.UTF_8);
                String line = value.lines().findFirst().orElse("");
                text.append(" put ").append(put.key()).append(' ').append(line, 0, Math.min(line.length(), SHOWN));
            } else if (op instanceof Op.Delete delete) {
                text.append(" delete ").append(delete.key()).append(' ').append(delete.end());
            }
        }
        String outcome = result.succeeded() ? " etcd makes revision " + result.revision() : " etcd refuses";
        return text.isEmpty() ? "" : by + outcome + text;
    }

    /** Returns the revision in which a key was last put; 0 if there is no such key. */
    public long revision(String key) {
        Entry entry = keys.get(key);
        return entry == null ? 0 : entry.modRevision();
    }

    private NavigableMap<String, Entry> range(String key, String end) {
        return end.isEmpty() ? keys.subMap(key, true, key, true) : keys.subMap(key, true, end, false);
    }

    private List<Entry> read(Op.Get get) {
        if (get.end().isEmpty() && !get.keysOnly()) {
            Entry entry = keys.get(get.key());
            return entry == null ? List.of() : List.of(entry);
        }
        NavigableMap<String, Entry> all = range(get.key(), get.end());
        List<Entry> found = new ArrayList<>();
        for (Entry entry : (get.last() ? all.descendingMap() : all).values()) {
            if (get.limit() > 0 && found.size() == get.limit()) {
                break;
            }
            found.add(get.keysOnly() ? new Entry(entry.key(), new byte[0], entry.modRevision(), entry.lease()) : entry);
        }
        return found;
    }

    public @Nullable String text(String key) {
        Entry entry = keys.get(key);
        return entry == null ? null : new String(entry.value(), StandardCharsets.UTF_8);
    }

    /** What etcd answers: a result, or why there is none. Exceptions in a future would be wrapped twice, each time with a stack trace. */
    private record Answer<T>(@Nullable T result, @Nullable EtcdException refusal) {
        T value() throws EtcdException {
            if (refusal != null) {
                throw refusal;
            }
            return Objects.requireNonNull(result);
        }
    }

    /** Work of etcd that may be refused. */
    private interface Work<T> {
        T run() throws EtcdException;
    }

    /**
     * Returns a client of one thread of a process.
     *
     * @param isCut whether the process cannot reach etcd now
     */
    public Etcd client(SimMachine machine, int first, Supplier<Boolean> isCut) {
        return new Client(machine, first, isCut);
    }

    private final class Client implements Etcd {
        private final SimMachine machine;
        private final Supplier<Boolean> isCut;
        private int at;
        /** What {@code timesFull} was when etcd last said that it is full. */
        private long knownFull;

        Client(SimMachine machine, int first, Supplier<Boolean> isCut) {
            this.machine = machine;
            this.isCut = isCut;
            this.at = Math.floorMod(first, MEMBERS);
        }

        private <T> T call(Work<T> work, int timeoutMillis) throws EtcdException {
            long timeout = MILLI * timeoutMillis;
            int member = at;
            if (dead[member] && !isCut.get()) {
                machine.park(MILLI);
                moveOn();
                throw new EtcdException(Fate.NOT_SENT, "connection refused");
            }
            CompletableFuture<Answer<T>> future = new CompletableFuture<>();
            boolean lost = simulation.choices().nextInt(200) == 0;
            if (!isCut.get() || simulation.choices().nextInt(4) == 0) {
                send(work, member, lost, future);
            }
            try {
                return machine.get(future, timeout).value();
            } catch (TimeoutException e) {
                moveOn();
                throw new EtcdException(Fate.UNKNOWN, "no answer in time");
            } catch (EtcdException e) {
                if (e.fate() == Fate.UNKNOWN) {
                    moveOn();
                }
                throw e;
            } catch (ExecutionException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void moveOn() {
            at = (at + 1) % MEMBERS;
        }

        /** A request may be carried out long after its client has given up, or has got an error. */
        private <T> void send(Work<T> work, int member, boolean lost, CompletableFuture<Answer<T>> future) {
            long sentTo = incarnation;
            simulation.after(delay(member), () -> {
                if (dead[member] || incarnation != sentTo) {
                    mayFail("connection reset", future);
                    return;
                }
                if (!serves()) {
                    mayFail("etcdserver: leader changed", future);
                    if (simulation.choices().nextBoolean()) {
                        send(work, member, lost, future); // waits for a leader
                    }
                    return;
                }
                Answer<T> answer = answer(work);
                if (!lost) {
                    simulation.after(delay(member), () -> {
                        if (dead[member]) {
                            mayFail("connection reset", future);
                        }
                        if (!isCut.get() && incarnation == sentTo) {
                            future.complete(answer);
                        }
                    });
                }
            });
        }

        private <T> Answer<T> answer(Work<T> work) {
            try {
                return new Answer<>(work.run(), null);
            } catch (EtcdException e) {
                return new Answer<>(null, e);
            }
        }

        /**
         * Does work that may take space. etcd carries out what was under way when it became full, and answers as if it had not. Here this is
         * the first request of each client before the alarm.
         */
        private <T> T withinQuota(boolean takesSpace, Work<T> work) throws EtcdException {
            EtcdException over = takesSpace && full
                    ? new EtcdException(Fate.NO_SPACE, "etcdserver: mvcc: database space exceeded")
                    : null;
            if (over != null && (simulation.now() > alarm || knownFull == timesFull)) {
                throw over;
            }
            T result = work.run();
            if (over != null) {
                knownFull = timesFull;
                throw over;
            }
            return result;
        }

        /** The client gets an error at once, or learns nothing. The error does not say whether the request is carried out. */
        private <T> void mayFail(String sentence, CompletableFuture<Answer<T>> future) {
            if (!isCut.get() && simulation.choices().nextBoolean()) {
                future.complete(new Answer<>(null, new EtcdException(Fate.UNKNOWN, sentence)));
            }
        }

        private long delay(int member) {
            long usual = 100_000L + simulation.choices().nextInt(400_000);
            int luck = simulation.choices().nextInt(300);
            long tail = luck == 0 ? MILLI * simulation.choices().nextInt(2000) : luck < 10 ? 20 * MILLI : 0;
            return usual + tail + (slow[member] ? MILLI * simulation.choices().nextInt(800) : 0);
        }

        @Override
        public Result transact(List<Compare> compare, List<Op> then, List<Op> otherwise, int timeoutMillis)
                throws EtcdException {
            sends(machine, then);
            boolean puts = Stream.concat(then.stream(), otherwise.stream()).anyMatch(Op.Put.class::isInstance);
            return call(
                    () -> withinQuota(puts, () -> {
                        Result result = EtcdModel.this.transact(compare, then, otherwise);
                        simulation.note(() -> described(machine, result, then));
                        return result;
                    }),
                    timeoutMillis);
        }

        @Override
        public long grant(long ttlSeconds, int timeoutMillis) throws EtcdException {
            return call(
                    () -> withinQuota(true, () -> {
                        long ttl = ttlSeconds * SECOND;
                        leases.put(++leasesMade, new EtcdModel.Lease(ttl, simulation.now() + ttl));
                        return leasesMade;
                    }),
                    timeoutMillis);
        }

        @Override
        public long keepAlive(long lease, int timeoutMillis) throws EtcdException {
            return call(
                    () -> {
                        expire();
                        EtcdModel.Lease kept = leases.get(lease);
                        if (kept == null) {
                            return 0L;
                        }
                        kept.end = simulation.now() + kept.ttl;
                        return kept.ttl / SECOND;
                    },
                    timeoutMillis);
        }

        @Override
        public void revoke(long lease, int timeoutMillis) throws EtcdException {
            boolean unused = call(
                    () -> {
                        leases.remove(lease);
                        end(lease);
                        return true;
                    },
                    timeoutMillis);
        }

        @Override
        public void compact(long before, int timeoutMillis) throws EtcdException {
            boolean unused = call(() -> true, timeoutMillis);
        }

        @Override
        public Etcd.Status status(int timeoutMillis) throws EtcdException {
            return call(() -> new Etcd.Status("3.5.21", 1 << 20), timeoutMillis);
        }

        @Override
        public void nearLeader() {}

        @Override
        public void close() {}
    }
}
