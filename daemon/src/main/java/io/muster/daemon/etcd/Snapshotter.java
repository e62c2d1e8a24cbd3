package io.muster.daemon.etcd;

import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Writes snapshots: each daemon to its local copy, and the leader to etcd too, on the thread {@code upload}, while changes go on. A daemon
 * that has lost the lead meanwhile writes nothing to etcd.
 */
final class Snapshotter implements Closeable {
    /** How many of the last transactions are remembered by their last seq; the others are looked up in the log. */
    private static final int REMEMBERED = 1 << 14;

    private static final int PATIENCE_SECONDS = 10;

    private final Store store;
    private final Uploads uploads;
    private final LocalCopy local;
    private final LedgerListener listener;
    private final int every;
    private final ConcurrentSkipListMap<Long, String> written = new ConcurrentSkipListMap<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread upload = new Thread(task, "upload");
        upload.setDaemon(true);
        return upload;
    });

    Snapshotter(Store store, LocalCopy local, LedgerListener listener, int every) {
        this.store = store;
        this.uploads = new Uploads(store);
        this.local = local;
        this.listener = listener;
        this.every = every;
    }

    /** Remembers which transaction wrote an event. */
    void wrote(long last, String txn) {
        written.put(last, txn);
        if (written.size() > REMEMBERED) {
            written.pollFirstEntry();
        }
    }

    /**
     * Writes a snapshot.
     *
     * @param term the term of this daemon; 0 if it does not lead
     */
    void take(long seq, byte[] state, Level level, long term, Consumer<Outcome> done) {
        thread.execute(() -> {
            Outcome outcome = Outcome.DURABLE;
            String txn = "";
            try {
                txn = txnOf(seq);
                if (term != 0) {
                    upload(term, seq, txn, level, state);
                }
            } catch (IOException e) {
                listener.warning("the snapshot at seq " + seq + " was not written to etcd: " + e.getMessage());
            } catch (RuntimeException bug) {
                outcome = Outcome.failed("a bug made the snapshot fail: " + bug);
                listener.broken(bug);
            }
            if (outcome.durable() && !txn.isEmpty()) {
                local.snapshot(seq, state, txn, done);
            } else {
                done.accept(
                        outcome.durable()
                                ? Outcome.failed("the snapshot at seq " + seq
                                        + " was not written: etcd does not tell which transaction it belongs to")
                                : outcome);
            }
        });
    }

    private String txnOf(long seq) throws EtcdException, ForeignException {
        String known = written.get(seq);
        if (known != null) {
            return known;
        }
        Group group = store.groupAt(seq);
        return group == null || group.last() != seq ? "" : group.txn();
    }

    private void upload(long term, long seq, String txn, Level level, byte[] state)
            throws EtcdException, ForeignException {
        Uploads.Ref current = uploads.published().current();
        long since = current == null ? Long.MAX_VALUE : seq - current.seq();
        if (!txn.isEmpty() && since >= every / 2) {
            long start = System.nanoTime();
            double time = System.currentTimeMillis() / 1000.0;
            if (uploads.publish(term, seq, txn, time, level, state)) {
                listener.snapshotted(seq, time, state.length, System.nanoTime() - start);
            }
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                listener.warning("etcd does not answer: the last snapshot is not written to it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        store.close();
    }
}
