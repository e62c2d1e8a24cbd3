package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Archive;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The copy of the ledger in the files of this daemon's own journal. It follows etcd, so a failure of the disk stops no change: the copy is
 * then behind until {@link EtcdLedger} has read from etcd what is missing. The file {@code ledger.json} names the ledger, and the terms of
 * the events: each term before the copy has an event of this term. The thread {@code copy} passes everything to the journal, in order.
 */
final class LocalCopy implements Closeable {
    static final String FILE = "ledger.json";
    private static final int PATIENCE_SECONDS = 60;
    /** How many bytes of events wait for a slow disk. Beyond it, the copy stays behind and reads the events from etcd later. */
    static final long MOST_QUEUED = 64 << 20;

    /** One snapshot is written and one waits; each is a whole state, so no more of them wait for a disk that hangs. */
    private static final int MOST_SNAPSHOTS = 2;

    /** How long a stop waits for the disk: less than the daemon waits for the ledger. */
    private static final int STOP_SECONDS = 8;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Journal journal;
    private final Disk disk;
    private final long lastEvent;
    private final LedgerListener listener;
    private final Machine machine;
    private final ExecutorService thread;
    private final AtomicInteger snapshots = new AtomicInteger();

    private String id = "";
    /** The terms of the events that this daemon has applied. Set by the thread {@code ledger}. */
    private volatile Terms terms = Terms.NONE;
    /** The terms in the file. */
    private Terms recorded = Terms.NONE;
    /** The last seq that was handed to the journal. */
    private volatile long last;

    private volatile boolean behind;
    /** The bytes of the events that wait for the disk. */
    private final AtomicLong queued = new AtomicLong();

    /** @param lastEvent the {@linkplain JournalRecord#fingerprint fingerprint} of the last event that the journal replayed; 0 if it replayed none */
    LocalCopy(Journal journal, Disk disk, long lastEvent, LedgerListener listener, Machine machine) throws IOException {
        this.journal = journal;
        this.disk = disk;
        this.lastEvent = lastEvent;
        this.listener = listener;
        this.machine = machine;
        this.last = journal.durableSeq();
        try (Disk.File file = disk.open(FILE, Disk.Access.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
            file.read(bytes, 0);
            JsonNode json = JSON.readTree(bytes.array());
            id = json.path("id").asText();
            recorded = Terms.parse(json.path("terms"));
            terms = recorded.until(last); // a term may be recorded whose events were not
        } catch (NoSuchFileException none) {
            // a new state directory, or the directory of a file ledger
        }
        thread = machine.worker("copy", Integer.MAX_VALUE);
    }

    /** The id of the ledger of which this is a copy; "" if it is none yet. */
    String id() {
        return id;
    }

    /** The last seq of the copy, including the events that are about to be written to the copy. */
    long last() {
        return last;
    }

    /** The terms of the events that this daemon has applied, as far as they are known. */
    Terms terms() {
        return terms;
    }

    /** Must be called before the events of a transaction are appended. */
    void reached(String txn, long first) {
        terms = terms.with(txn, first);
    }

    /** Replaces the terms by those of a snapshot. */
    void reached(Terms later) {
        terms = later;
    }

    /** Whether this is the last event that the journal replayed, as far as it is known. */
    boolean endedWith(JournalRecord event) {
        long fingerprint = event.fingerprint();
        return fingerprint == 0 || lastEvent == 0 || fingerprint == lastEvent;
    }

    /** Makes this the copy of another ledger with the same events. */
    void renew(String ledger, Terms others) throws IOException {
        reached(others);
        adopt(ledger);
    }

    synchronized void adopt(String ledger) throws IOException {
        id = ledger;
        write(terms);
    }

    /** Writes the terms to the file, unless it has them. */
    private synchronized void record(Terms all) throws IOException {
        if (!all.equals(recorded)) {
            write(all);
        }
    }

    private void write(Terms all) throws IOException {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("id", id);
        json.set("terms", all.toJson());
        String beside = FILE + ".tmp";
        try (Disk.File file = disk.open(beside, Disk.Access.CREATE)) {
            file.write(ByteBuffer.wrap((json + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            file.force(true);
        }
        disk.rename(beside, FILE);
        disk.forceDirectory("");
        recorded = all;
    }

    /** Whether events are missing at the end of the copy, because the disk refused them. */
    boolean isBehind() {
        return behind;
    }

    /** @param level the level in which the events are written */
    void append(long first, Level level, List<List<byte[]>> commands) {
        long seq = first;
        for (List<byte[]> command : commands) {
            if (seq == last + 1 && !behind) {
                submit(seq, level, command);
            }
            seq += command.size();
        }
    }

    private void submit(long seq, Level level, List<byte[]> command) {
        long bytes = command.stream().mapToLong(event -> event.length).sum();
        if (queued.get() > 0 && queued.get() + bytes > MOST_QUEUED) {
            stayBehind("the disk is slower than the changes");
            return;
        }
        queued.addAndGet(bytes);
        last = seq + command.size() - 1;
        Consumer<Outcome> done = outcome -> {
            queued.addAndGet(-bytes);
            if (!outcome.durable()) {
                stayBehind(outcome.reason());
            }
        };
        Batch batch = new Batch(seq, command, done);
        inOrder(done, () -> {
            if (seq == 1) {
                journal.begin(level, batch);
            } else {
                journal.submit(batch);
            }
        });
    }

    /**
     * Runs a task on the thread {@code copy} when the file has the present terms.
     *
     * @param done receives the failure if the file cannot be written
     */
    private void inOrder(Consumer<Outcome> done, Runnable task) {
        Terms present = terms;
        try {
            thread.execute(() -> {
                try {
                    record(present);
                } catch (IOException e) {
                    done.accept(Outcome.failed(String.valueOf(e.getMessage())));
                    return;
                }
                task.run();
            });
        } catch (RejectedExecutionException closed) {
            done.accept(Outcome.failed("the daemon stops"));
        }
    }

    private void stayBehind(String reason) {
        if (!behind) {
            behind = true;
            listener.warning("the local copy of the ledger stays behind: " + reason);
        }
    }

    /** The events as they were submitted by the daemon that wrote them. */
    static List<List<byte[]>> lines(List<List<JournalRecord>> commands) throws ForeignException {
        List<List<byte[]>> lines = new ArrayList<>();
        for (List<JournalRecord> command : commands) {
            List<byte[]> events = new ArrayList<>();
            for (JournalRecord record : command) {
                byte[] event = record.submitted();
                if (event == null) {
                    throw new ForeignException("event " + record.seq() + " in etcd was not written by Muster");
                }
                events.add(event);
            }
            lines.add(events);
        }
        return lines;
    }

    /** Tries again after the disk failed: the copy continues after the last event that it has. */
    void retry() {
        journal.probe();
        if (behind && queued.get() == 0 && journal.status().condition() == Condition.WRITABLE) {
            last = journal.durableSeq();
            behind = false;
        }
    }

    /** Continues from a later state. If the disk refuses the state, the copy stays behind. */
    void rebase(long seq, byte[] state) throws InterruptedException {
        CompletableFuture<Outcome> done = new CompletableFuture<>();
        inOrder(done::complete, () -> journal.rebase(seq, state, done::complete));
        try {
            Outcome outcome = machine.get(done, TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
            if (outcome.durable()) {
                last = seq;
                behind = false;
            } else {
                stayBehind(outcome.reason());
            }
        } catch (ExecutionException | TimeoutException e) {
            stayBehind("the disk does not take the snapshot of the ledger");
        }
    }

    void snapshot(long seq, byte[] state, Consumer<Outcome> done) {
        if (snapshots.incrementAndGet() > MOST_SNAPSHOTS) {
            snapshots.decrementAndGet();
            done.accept(Outcome.failed(
                    "the snapshot at seq " + seq + " was not written: the disk has not written earlier ones yet"));
            return;
        }
        Consumer<Outcome> counted = outcome -> {
            snapshots.decrementAndGet();
            done.accept(outcome);
        };
        inOrder(counted, () -> journal.snapshot(seq, state, counted));
    }

    @Nullable
    String refusal(byte[] event) {
        return journal.refusal(event);
    }

    void raise(Level level) {
        journal.raise(level);
    }

    long durableSeq() {
        return journal.durableSeq();
    }

    long snapshotSeq() {
        return journal.snapshotSeq();
    }

    long bytes() {
        return journal.bytes();
    }

    /** The past in the files. A reader waits until the copy has all events that etcd has. */
    Archive archive() {
        Archive files = journal.archive();
        return new Archive() {
            @Override
            public Reading open(Selection selection) throws IOException {
                await(selection.lastSeq());
                return files.open(selection);
            }

            @Override
            public boolean prepare() throws IOException {
                return files.prepare();
            }

            @Override
            public List<Part> parts() throws IOException {
                return files.parts();
            }

            @Override
            public @Nullable ByteBuffer sums(Part part) {
                return files.sums(part);
            }

            @Override
            public void keepSums(Part part, ByteBuffer sums) {
                files.keepSums(part, sums);
            }
        };
    }

    private void await(long seq) {
        long end = machine.nanos() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (journal.durableSeq() < seq && !behind && machine.nanos() < end) {
            machine.park(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @Override
    public void close() throws IOException {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                listener.warning("the disk does not answer: the last events are not written to it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        journal.close();
    }
}
