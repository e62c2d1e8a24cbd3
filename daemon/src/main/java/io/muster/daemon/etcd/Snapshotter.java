package io.muster.daemon.etcd;

import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Writes snapshots, while changes continue: each daemon to its local copy, and the leader to etcd too. A daemon that has
 * lost the lead meanwhile writes nothing to etcd.
 */
final class Snapshotter implements Closeable {
    /** How many of the last transactions are remembered. A snapshot is taken a few transactions after its seq at most. */
    private static final int REMEMBERED = 1 << 14;

    private static final int ATTEMPTS = 3;
    private static final long MICROS = 1_000_000;

    /** How long a stop waits for the last snapshot: less than the daemon waits for the ledger. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(8);

    private static final int COMPACT_MILLIS = 10_000;

    private final Store store;
    private final Uploads uploads;
    private final LocalCopy local;
    private final LedgerListener listener;
    private final EtcdSettings settings;
    private final ConcurrentSkipListMap<Long, String> transactions = new ConcurrentSkipListMap<>();
    /** One snapshot is written and one waits; each is a whole state, so no more of them wait for an etcd that hangs. */
    private final ExecutorService thread;

    Snapshotter(Store store, LocalCopy local, LedgerListener listener, EtcdSettings settings) {
        this.store = store;
        this.uploads = new Uploads(store);
        this.local = local;
        this.listener = listener;
        this.settings = settings;
        this.thread = settings.machine().worker("upload", 1);
    }

    /**
     * Remembers which transaction wrote an event, the last of the transaction. The thread {@code ledger} calls this before
     * any other thread can see the event.
     */
    void reached(String txn, long last) {
        transactions.put(last, txn);
        if (transactions.size() > REMEMBERED) {
            transactions.pollFirstEntry();
        }
    }

    /**
     * Writes a snapshot to the local copy, and to etcd. Neither waits for the other.
     *
     * @param term the term of this daemon; 0 if it does not lead
     * @param done receives the outcome for the local copy
     */
    void take(long seq, byte[] state, Level level, long term, Consumer<Outcome> done) {
        String txn = transactions.getOrDefault(seq, "");
        if (txn.isEmpty()) {
            done.accept(Outcome.failed("the snapshot at seq " + seq
                    + " was not written: etcd has not confirmed yet that the ledger ends there"));
            return;
        }
        local.snapshot(seq, state, done);
        Terms terms = local.terms().until(seq);
        try {
            if (term != 0) {
                thread.execute(() -> put(term, seq, txn, terms, level, state));
            }
        } catch (RejectedExecutionException busy) {
            listener.warning("the snapshot at seq " + seq
                    + " was not written to etcd: etcd has not taken earlier ones yet, or the daemon stops");
        }
    }

    private void put(long term, long seq, String txn, Terms terms, Level level, byte[] state) {
        try {
            upload(term, seq, txn, terms, level, state);
        } catch (IOException e) {
            listener.warning("the snapshot at seq " + seq + " was not written to etcd: " + e.getMessage());
        } catch (RuntimeException bug) {
            listener.broken(bug);
        }
    }

    /**
     * A failed attempt is repeated at another member. The next attempt finds out whether the failed one has published the
     * snapshot after all.
     */
    private void upload(long term, long seq, String txn, Terms terms, Level level, byte[] state) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                tryUpload(term, seq, txn, terms, level, state);
                return;
            } catch (EtcdException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void tryUpload(long term, long seq, String txn, Terms terms, Level level, byte[] state)
            throws EtcdException, ForeignException {
        Uploads.Published before = uploads.published();
        Uploads.Ref current = before.current();
        long since = current == null ? Long.MAX_VALUE : seq - current.seq();
        if (since >= settings.snapshotEvery() / 2) {
            long start = settings.machine().nanos();
            Instant now = settings.clock().instant();
            double time =
                    (now.getEpochSecond() * MICROS + now.getNano() / 1000) / (double) MICROS; // as those of events
            if (uploads.publish(term, seq, txn, terms, time, level, state)) {
                listener.snapshotted(seq, time, state.length, settings.machine().nanos() - start);
                if (settings.compact() && current != null) {
                    compact(before.revision());
                }
            }
        }
    }

    /**
     * @param revision the revision in which the previous snapshot was published; programs that read now still find later
     *     revisions
     */
    private void compact(long revision) {
        try {
            store.etcd().compact(revision, COMPACT_MILLIS);
        } catch (EtcdException e) {
            listener.warning("etcd was not compacted: " + e.sentence());
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
                listener.warning("etcd does not answer: the last snapshot is not written to it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        store.close();
    }
}
