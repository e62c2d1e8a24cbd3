package io.muster.daemon.etcd;

import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalLines;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Archive;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.ledger.Role;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The ledger on etcd. The thread {@code ledger} follows the log while another daemon leads, tries to become leader while there is none, and
 * writes the batches of this daemon while this daemon leads. The thread reads the log a few times a second, in one transaction with the keys
 * of leader and head. A read that succeeds proves that etcd has a quorum, and leaves no gap, as a watch might.
 */
public final class EtcdLedger implements Ledger {
    /** The file in the state directory that names the ledger of which the directory is a copy. */
    public static final String COPY = LocalCopy.FILE;

    private static final String UNREACHABLE = "etcd cannot be reached: ";
    private static final long POLL_MILLIS = 100;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final EtcdSettings settings;
    private final LocalCopy local;
    private final LedgerListener listener;
    private final Executor completions;
    private final Store store;
    private final Follower follower;
    private final Tenure tenure;
    private final Candidacy candidacy;
    private final Snapshotter snapshotter;
    private final Machine machine;
    private final Thread thread;

    private final Requests requests;
    private volatile Status status = new Status(Condition.WRITABLE, "");
    private volatile Level level = Level.ONE;
    private volatile boolean closing;
    private volatile @Nullable Writer writer;
    private volatile @Nullable Leader shown;
    private @Nullable RoleActions actions;

    // Used by the thread ledger only.
    private final Deque<Batch> waiting = new ArrayDeque<>();
    private boolean shownBefore;
    private boolean handedOver;
    private int terms;

    /**
     * @param journal the journal of this daemon, which becomes the local copy
     * @param disk the state directory of the journal
     * @param lastEvent the {@linkplain io.muster.daemon.journal.JournalRecord#fingerprint fingerprint} of the last event that the
     *     journal replayed; 0 if it replayed none
     * @param completions runs the callbacks of batches and snapshots, in order
     * @throws IOException if the state directory is not one of a ledger on etcd
     */
    public EtcdLedger(
            EtcdSettings settings,
            Journal journal,
            Disk disk,
            long lastEvent,
            LedgerListener listener,
            Executor completions)
            throws IOException {
        this(
                settings,
                new LocalCopy(journal, disk, lastEvent, listener, settings.machine()),
                listener,
                completions,
                first -> new EtcdGateway(settings.access(), first),
                store -> store);
    }

    /**
     * @param etcds connects to etcd, first to the member with this number
     * @param stores replaces the store that reads and writes etcd; tests use a store with deliberate faults
     */
    EtcdLedger(
            EtcdSettings settings,
            LocalCopy local,
            LedgerListener listener,
            Executor completions,
            IntFunction<Etcd> etcds,
            UnaryOperator<Store> stores) {
        this.settings = settings;
        this.listener = listener;
        this.completions = completions;
        Keys keys = new Keys(settings.prefix());
        int first = Math.floorMod(settings.self().boot().hashCode(), 97);
        this.local = local;
        this.store = stores.apply(new Store(etcds.apply(first), keys, settings.machine()));
        this.snapshotter =
                new Snapshotter(new Store(etcds.apply(first + 2), keys, settings.machine()), local, listener, settings);
        this.follower = new Follower(store, local, snapshotter::reached, settings);
        this.tenure = new Tenure(new Store(etcds.apply(first + 1), keys, settings.machine()), settings, this::listen);
        this.candidacy = new Candidacy(tenure, settings);
        this.machine = settings.machine();
        this.requests = new Requests(machine);
        this.thread = machine.thread("ledger", this::run);
    }

    /** Begins to follow; until then the ledger has the state of the local copy. */
    public void begin(RoleActions listener) {
        actions = listener;
        level = listener.level();
        tenure.start();
        thread.start();
    }

    /** Lets this daemon try to lead; until then it only follows. */
    public void allowLead() {
        candidacy.allow();
    }

    private RoleActions actions() {
        return Objects.requireNonNull(actions, "the ledger has not begun");
    }

    @Override
    public long durableSeq() {
        Writer leading = writer;
        return leading == null ? follower.seq() : leading.head().seq();
    }

    @Override
    public long snapshotSeq() {
        return local.snapshotSeq();
    }

    @Override
    public long bytes() {
        return local.bytes();
    }

    @Override
    public Status status() {
        return status;
    }

    @Override
    public Archive archive() {
        return local.archive();
    }

    @Override
    public Role role() {
        double age = Math.max(0, machine.nanos() - heardAt()) / 1e9;
        return new Role(term(), shown, store.roster(), follower.lag(), age);
    }

    @Override
    public List<Leader> members() throws IOException {
        return requests.ask(
                () -> store.view(Long.MAX_VALUE - 1, 1, Store.ATTEMPT_MILLIS).members());
    }

    private long heardAt() {
        Writer leading = writer;
        return leading == null ? follower.heardAt() : Math.max(leading.ledAt(), follower.heardAt());
    }

    /** The term in which this daemon leads; 0 if it does not. */
    long term() {
        Writer leading = writer;
        return leading == null ? 0 : leading.term();
    }

    @Override
    public @Nullable String refusal(byte[] event) {
        return local.refusal(event);
    }

    @Override
    public void submit(Batch batch) {
        requests.add(() -> waiting.add(batch));
    }

    @Override
    public void raise(Level to) {
        level = to; // at once: the snapshot that follows has this level
        local.raise(to);
    }

    @Override
    public void handOver() {
        requests.addLate(() -> {
            Writer leading = writer;
            handedOver = store.handOver(term(), settings.self());
            if (handedOver && leading != null) {
                follower.resume(leading.head(), leading.ledAt());
                writer = null; // without a call of stand(), which is for a daemon that goes on
            }
        });
    }

    @Override
    public void snapshot(long seq, byte[] state, Consumer<Outcome> done) {
        snapshotter.take(seq, state, level, term(), outcome -> completions.execute(() -> done.accept(outcome)));
    }

    @Override
    public void probe() {
        if (!requests.isClosed()) {
            requests.addLate(() -> {
                local.retry();
                Writer leading = writer;
                if (leading != null && status.condition() == Condition.READ_ONLY && leading.probe()) {
                    become(Condition.WRITABLE, "");
                }
            });
        }
    }

    private void run() {
        boolean again = false;
        while (!closing) {
            requests.run(again || (!handedOver && !waiting.isEmpty()) ? 0 : POLL_MILLIS);
            again = !handedOver && attempt();
        }
        finish();
    }

    /** @return whether there is more to do at once */
    private boolean attempt() {
        try {
            Writer leading = writer;
            return leading == null ? follow() : lead(leading);
        } catch (EtcdException e) {
            unreachable(e.sentence());
        } catch (ForeignException e) {
            foreign(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            become(Condition.READ_ONLY, String.valueOf(e.getMessage()));
            if (writer == null) {
                store.resign(settings.self());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody may interrupt the ledger", e);
        } catch (RuntimeException | Error bug) {
            listener.broken(bug);
            step();
            become(Condition.BROKEN, "a bug made the ledger fail; restart the daemon: " + bug);
        }
        machine.park(RETRY_NANOS);
        return false;
    }

    private void unreachable(String reason) {
        failWaiting(UNREACHABLE + reason);
        boolean known = status.reason().startsWith(UNREACHABLE); // otherwise the log would get a line for each attempt
        if (!known && machine.nanos() - heardAt() > settings.ttl().toNanos()) {
            become(Condition.READ_ONLY, UNREACHABLE + reason);
        }
    }

    /** Stops leading, and reports the fault, because the contents of etcd do not continue the state of this daemon. */
    private void foreign(String reason) {
        step();
        failWaiting(reason);
        become(Condition.READ_ONLY, reason);
        store.resign(settings.self());
    }

    private boolean follow() throws IOException, InterruptedException {
        failWaiting("this daemon does not lead");
        Store.View view = follower.read(actions());
        if (view == null) {
            return true; // there is more to read
        }
        String obstacle = tenure.obstacle(view.leader() == null);
        become(obstacle.isEmpty() ? Condition.WRITABLE : Condition.READ_ONLY, obstacle);
        Etcd.Entry key = view.leader();
        if (key == null) {
            show(null);
            return status.condition() != Condition.BROKEN && candidacy.campaign(store);
        }
        Leader leader = store.leader(key.text());
        if (!leader.isSame(settings.self())) {
            candidacy.look(view, actions());
            show(leader);
            return false;
        }
        if (candidacy.isAbandoned(view.term()) || status.condition() == Condition.BROKEN) {
            store.resign(view.term());
            return false;
        }
        if (candidacy.isConfirmed() && waiting.isEmpty()) {
            begin(view, key.lease());
            return true;
        }
        return false;
    }

    private void begin(Store.View view, long lease) {
        String nonce = settings.self().boot().substring(0, 6) + Integer.toString(++terms, 36);
        Writer next = new Writer(store, view.term(), view.head(), lease, nonce, settings.patience());
        next.led(view.asked());
        level = actions().level();
        writer = next;
        tenure.look();
        shown = settings.self();
        shownBefore = true;
        actions().lead();
    }

    private void show(@Nullable Leader leader) {
        if (!shownBefore || !Objects.equals(leader, shown)) {
            shownBefore = true;
            shown = leader;
            actions().stand(leader, null);
        }
    }

    private boolean lead(Writer leading) throws IOException, InterruptedException {
        leading.tell(actions());
        boolean question = isNothingToWrite();
        if (!question && !waiting.isEmpty()) {
            commit(leading);
            return true;
        }
        long look = Math.min(settings.ttl().toNanos() / 4, LOOK_NANOS);
        if (!question && machine.nanos() - leading.ledAt() <= look) {
            follower.refill(leading.head().seq());
        } else if (!leading.lasts()) {
            step();
        } else if (question) {
            Batches.all(waiting).succeed(completions);
        }
        return question;
    }

    /** Whether only batches without events wait: they need the confirmation that no other daemon has written. */
    private boolean isNothingToWrite() {
        return !waiting.isEmpty() && waiting.stream().allMatch(batch -> batch.size() == 0);
    }

    /** Stops leading. */
    private void step() {
        Writer leading = writer;
        if (leading == null) {
            return;
        }
        follower.resume(leading.head(), leading.ledAt());
        writer = null;
        candidacy.ended();
        shown = null;
        shownBefore = true;
        actions().stand(null, () -> requests.addLate(candidacy::confirmed));
    }

    /** Writes one group of the batches that wait. */
    private void commit(Writer leading) throws ForeignException {
        long start = machine.nanos();
        Batches pending = Batches.of(waiting, leading.head().seq() + 1, status.reason());
        List<List<byte[]>> commands = pending.commands();
        if (commands.isEmpty()) { // the changes were decided on one that failed
            pending.fail(status.reason(), false, completions);
            return;
        }
        long first = leading.head().seq() + 1;
        byte[] lines = JournalLines.encode(first, commands);
        EventGroup group = leading.next(pending.last(), level, lines);
        long encoded = machine.nanos();
        Writer.Verdict verdict;
        try {
            verdict = leading.write(group);
        } catch (ForeignException | RuntimeException e) {
            pending.fail("the ledger failed: the change may have been made", false, completions);
            throw e;
        }
        if (verdict.kind() == Writer.Kind.DURABLE) {
            local.reached(group.txn(), first);
            local.append(first, group.level(), commands);
            snapshotter.reached(group.txn(), pending.last());
            int events = (int) (pending.last() - first + 1);
            listener.committed(pending.size(), events, lines.length, encoded - start, machine.nanos() - encoded);
            become(Condition.WRITABLE, "");
            pending.succeed(completions);
            return;
        }
        listener.failed(verdict.reason());
        fail(leading, group, pending, verdict);
    }

    private void fail(Writer leading, EventGroup group, Batches pending, Writer.Verdict verdict) {
        if (verdict.kind() == Writer.Kind.ENDED) {
            follower.resolve(group.first(), group.txn(), pending.commands(), durable -> {
                if (durable != null && durable) {
                    pending.succeed(completions);
                } else {
                    String open = durable == null ? ": the change may have been made" : "";
                    pending.fail("this daemon does not lead any more" + open, durable != null, completions);
                }
            });
            step();
            return;
        }
        boolean uncertain = verdict.kind() == Writer.Kind.UNCERTAIN;
        become(uncertain ? Condition.UNCERTAIN : Condition.READ_ONLY, verdict.reason());
        pending.fail(verdict.reason(), false, completions);
        if (uncertain) {
            candidacy.abandon(leading.term());
            step();
        }
    }

    /** Fails the waiting batches, which are certainly not written, because this daemon may not lead. */
    private void failWaiting(String reason) {
        follower.loseHope();
        Writer leading = writer;
        boolean hopeless = leading == null ? !follower.isOpen() : leading.isSilent() && isNothingToWrite();
        if (hopeless && !waiting.isEmpty()) {
            Batches.all(waiting).fail(reason, true, completions);
        }
    }

    /** Called on the thread lease-clock. */
    private void listen() {
        Writer leading = writer;
        if (leading != null && leading.listen(tenure.lives(leading.lease()))) {
            actions().silent(leading.isSilent());
        }
    }

    private void become(Condition condition, String reason) {
        Status next = new Status(condition, reason);
        if (!next.equals(status) && status.condition() != Condition.BROKEN) { // only a restart ends BROKEN
            status = next;
            listener.condition(condition, reason);
        }
    }

    /** Writes the waiting batches, hands over, and closes everything. */
    private void finish() {
        requests.run(0);
        while (writer != null && !waiting.isEmpty()) {
            attempt();
        }
        follower.giveUp();
        failWaiting("the daemon stops");
        status = new Status(Condition.CLOSED, "the ledger is closed");
        tenure.close();
        snapshotter.close();
        store.close();
    }

    @Override
    public void close() throws IOException {
        if (!requests.close(() -> closing = true)) {
            return;
        }
        if (actions != null) { // else the thread was never started
            machine.join(thread);
        }
        local.close();
    }
}
