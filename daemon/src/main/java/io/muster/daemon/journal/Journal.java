package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LockedException;
import io.muster.daemon.ledger.Archive;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes batches of events durable, in order, on the thread {@code journal}. This thread takes all batches that wait, writes
 * them, forces them once, and then reports the outcomes on the executor that was given to {@link #open}. The queue is not
 * bounded here: the submitter limits what it has in flight. Every method may be called from any thread, but all batches must
 * be submitted by one thread.
 */
public final class Journal implements Ledger {
    /** The name of the file that the daemon locks in the state directory. */
    public static final String LOCK = "lock";

    private final Log log;
    private final LedgerListener listener;
    private final Executor completions;
    private final Closeable lock;
    private final Archive archive;
    private final long firstSeq;
    private final long lingerNanos;
    private final Machine machine;
    private final Thread thread;

    private final BlockingQueue<Runnable> requests;
    private volatile Status status = new Status(Condition.WRITABLE, "");
    private volatile long durableSeq;
    private volatile boolean closed;

    // The batches of the next commit. Used by the journal thread only.
    private List<Batch> group = new ArrayList<>();
    private boolean closing;

    private Journal(
            Log log,
            LedgerListener listener,
            Executor completions,
            Closeable lock,
            Archive archive,
            JournalSettings settings) {
        this.log = log;
        this.listener = listener;
        this.completions = completions;
        this.lock = lock;
        this.archive = archive;
        this.firstSeq = log.nextSeq();
        this.durableSeq = log.durableSeq();
        this.lingerNanos = settings.linger().toNanos();
        this.machine = settings.machine();
        this.requests = machine.queue();
        this.thread = machine.thread("journal", this::run);
    }

    /**
     * Locks the state directory, passes its contents to {@code replay} on the calling thread, and opens the journal for
     * appending.
     *
     * @throws LockedException if another daemon has locked the directory
     * @throws CorruptException if the directory has contents that no crash explains; nothing has been changed then
     */
    public static Journal open(
            Disk disk,
            JournalSettings settings,
            Replay replay,
            LedgerListener listener,
            Executor completions,
            InstantSource clock)
            throws IOException {
        Disk.Lock lock = disk.lock(LOCK, clock.instant());
        boolean opened = false;
        try {
            Log log = new Log(disk, lock, settings, replay, listener, clock);
            Journal journal = new Journal(log, listener, completions, lock, new JournalArchive(disk), settings);
            journal.thread.start();
            opened = true;
            return journal;
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    /** Returns the seq with which the first batch must begin. */
    public long firstSeq() {
        return firstSeq;
    }

    @Override
    public long durableSeq() {
        return durableSeq;
    }

    @Override
    public long snapshotSeq() {
        return log.snapshotSeq();
    }

    @Override
    public long bytes() {
        return log.bytes();
    }

    @Override
    public Status status() {
        return status;
    }

    @Override
    public Archive archive() {
        return archive;
    }

    @Override
    public @Nullable String refusal(byte[] event) {
        return Line.room(event) <= Line.LIMIT
                ? null
                : "of " + event.length + " bytes exceeds the journal's line limit of " + Line.LIMIT;
    }

    @Override
    public void submit(Batch batch) {
        for (byte[] event : batch.events()) {
            String refusal = refusal(event);
            if (refusal != null) {
                throw new IllegalArgumentException("an event " + refusal);
            }
        }
        request(() -> group.add(batch));
    }

    /** Submits the first events of another ledger, of which this journal is a copy: its files get the level of these events. */
    public void begin(Level level, Batch batch) {
        request(() -> {
            try {
                log.begins(level);
                group.add(batch);
            } catch (IOException e) {
                List<Outcome> failed = List.of(Outcome.failed(sentence(e)));
                completions.execute(() -> Batch.report(List.of(batch), failed));
            }
        });
    }

    private void request(Runnable request) {
        if (closed) {
            throw new IllegalStateException("the journal is closed");
        }
        requests.add(request);
    }

    @Override
    public void raise(Level level) {
        requests.add(() -> log.raise(level));
    }

    /** Writes a snapshot and begins a new segment. A failure leaves the earlier snapshot and the journal as they are. */
    @Override
    public void snapshot(long seq, byte[] state, Consumer<Outcome> done) {
        requests.add(() -> {
            commit();
            Outcome outcome = written(seq, state);
            completions.execute(() -> done.accept(outcome));
        });
    }

    /**
     * Continues from a later state of the ledger that this journal copies. The events in between are then missing from the
     * journal.
     *
     * @param done called on the thread {@code journal}
     */
    public void rebase(long seq, byte[] state, Consumer<Outcome> done) {
        request(() -> {
            commit();
            Outcome outcome = Outcome.DURABLE;
            try {
                log.rebase(seq, state);
                durableSeq = log.durableSeq();
            } catch (IOException e) {
                outcome = Outcome.failed("the local copy cannot go on from seq " + seq + ": " + sentence(e));
            }
            done.accept(outcome);
        });
    }

    private Outcome written(long seq, byte[] state) {
        if (seq > log.durableSeq()) {
            return Outcome.failed("seq " + seq + " is not durable: " + log.durableSeq() + " is");
        }
        if (seq < log.snapshotSeq()) {
            return Outcome.failed("the snapshot at seq " + seq
                    + " was not written: the files continue from a later one, at seq " + log.snapshotSeq());
        }
        try {
            log.snapshot(seq, state);
            return Outcome.DURABLE;
        } catch (IOException e) {
            return Outcome.failed("the snapshot at seq " + seq + " cannot be written: " + sentence(e));
        }
    }

    /**
     * Tests whether the files are still in place, and whether a disk that failed accepts writes again, without waiting for the next batch.
     */
    @Override
    public void probe() {
        if (!closed) {
            requests.add(() -> {
                commit();
                switch (status.condition()) {
                    case WRITABLE -> tryCheck();
                    case READ_ONLY, UNCERTAIN -> tryProbe();
                    case BROKEN, CLOSED -> {
                        // a probe cannot change these conditions
                    }
                }
            });
        }
    }

    private void tryCheck() {
        try {
            log.check();
        } catch (IOException e) {
            become(Condition.READ_ONLY, sentence(e));
        }
    }

    private void tryProbe() {
        try {
            log.probe();
            durableSeq = log.durableSeq();
            become(Condition.WRITABLE, "");
        } catch (IOException e) {
            // As long as bytes of a failed write remain, the condition stays UNCERTAIN and keeps its first reason.
            if (!log.leftover()) {
                become(Condition.READ_ONLY, sentence(e));
            }
        }
    }

    /** Finishes everything that was submitted before, then closes the files and releases the lock. Nothing may be submitted afterwards. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        request(() -> closing = true);
        closed = true;
        machine.join(thread);
        try (lock) {
            log.close();
        }
    }

    private void run() {
        List<Runnable> taken = new ArrayList<>();
        while (!closing) {
            taken.clear();
            try {
                taken.add(requests.take());
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody may interrupt the journal: it would close its files", e);
            }
            linger();
            requests.drainTo(taken);
            serve(taken);
        }
        status = new Status(Condition.CLOSED, "the journal is closed");
    }

    private void linger() {
        long end = machine.nanos() + lingerNanos;
        for (long left = lingerNanos; left > 0; left = end - machine.nanos()) {
            machine.park(left);
        }
    }

    private void serve(List<Runnable> taken) {
        taken.forEach(this::attempt);
        attempt(this::commit);
        attempt(log::rotateIfLong);
    }

    /** Runs one request so that a bug in it does not cost the other requests their outcome: the journal becomes BROKEN and refuses them. */
    private void attempt(Runnable request) {
        try {
            request.run();
        } catch (RuntimeException | Error bug) {
            broken(bug);
        }
    }

    private void commit() {
        if (group.isEmpty()) {
            return;
        }
        List<Batch> batches = group;
        group = new ArrayList<>();
        Outcome[] outcomes = new Outcome[batches.size()];
        IOException failure = durable(batches, outcomes);
        if (failure != null) {
            takeBack(failure);
        }
        settle(batches, outcomes, failure != null);
        durableSeq = log.durableSeq();
        completions.execute(() -> Batch.report(batches, List.of(outcomes)));
    }

    /**
     * Writes and forces the batches. A batch that depends on the success of this write gets no outcome here; {@link #settle} sets it.
     *
     * @return why the write failed
     */
    private @Nullable IOException durable(List<Batch> batches, @Nullable Outcome[] outcomes) {
        try {
            if (status.condition() == Condition.BROKEN) {
                return new IOException(status.reason());
            }
            long start = machine.nanos();
            int events = 0;
            for (int i = 0; i < outcomes.length; i++) {
                Batch batch = batches.get(i);
                if (batch.firstSeq() != log.nextSeq()) {
                    outcomes[i] = outOfStep(batch);
                } else if (batch.size() > 0) {
                    if (events == 0) {
                        log.begin();
                    }
                    log.append(batch);
                    events += batch.size();
                }
            }
            if (events > 0) {
                force(batches.size(), events, start);
            }
            return null;
        } catch (IOException e) {
            return e;
        } catch (RuntimeException | Error bug) {
            return broken(bug);
        }
    }

    private IOException broken(Throwable bug) {
        become(Condition.BROKEN, "a bug made the journal fail; restart the daemon: " + bug);
        listener.broken(bug);
        return new IOException(status.reason(), bug);
    }

    private void force(int batches, int events, long start) throws IOException {
        log.write();
        int bytes = log.unforced();
        long written = machine.nanos();
        log.force();
        long forced = machine.nanos();
        become(Condition.WRITABLE, "");
        listener.committed(batches, events, bytes, written - start, forced - written);
    }

    private Outcome outOfStep(Batch batch) {
        return Outcome.abandoned("an earlier change could not be made durable: " + status.reason() + " (seq "
                + batch.firstSeq() + " does not follow " + (log.nextSeq() - 1) + ")");
    }

    private void takeBack(IOException failure) {
        if (status.condition() == Condition.BROKEN) {
            return;
        }
        String reason = sentence(failure);
        listener.failed(reason);
        try {
            log.rollback();
            become(Condition.READ_ONLY, reason);
        } catch (IOException e) {
            become(
                    Condition.UNCERTAIN,
                    reason + "; the write could not be undone (" + sentence(e)
                            + "), so the change may exist after a restart");
        } catch (RuntimeException | Error bug) {
            broken(bug);
        }
    }

    /**
     * Sets the outcomes that {@link #durable} left open. After a failure, barriers before the first batch with events are durable, because
     * nothing before them failed; that batch has failed; all batches after it are abandoned.
     */
    private void settle(List<Batch> batches, @Nullable Outcome[] outcomes, boolean failure) {
        Outcome outcome = Outcome.DURABLE;
        for (int i = 0; i < outcomes.length; i++) {
            if (outcomes[i] != null) {
                continue;
            }
            if (!failure || (outcome.durable() && batches.get(i).size() == 0)) {
                outcomes[i] = Outcome.DURABLE;
            } else {
                outcome = outcome.durable() ? Outcome.failed(status.reason()) : Outcome.abandoned(status.reason());
                outcomes[i] = outcome;
            }
        }
    }

    private void become(Condition condition, String reason) {
        Status next = new Status(condition, reason);
        if (!next.equals(status)) {
            status = next;
            listener.condition(condition, reason);
        }
    }

    private static String sentence(IOException e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
