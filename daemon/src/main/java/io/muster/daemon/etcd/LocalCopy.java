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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The copy of the ledger in the files of this daemon's own journal. It follows etcd, so a failure of the disk stops no change: the copy is
 * then behind until {@link EtcdLedger} has read from etcd what is missing. The file {@code ledger.json} names the ledger.
 */
final class LocalCopy implements Closeable {
    static final String FILE = "ledger.json";
    private static final int PATIENCE_SECONDS = 60;
    /** How many bytes of events wait for a slow disk. Beyond it, the copy stays behind and reads the events from etcd later. */
    static final long MOST_QUEUED = 64 << 20;

    /** How many snapshots of the copy are remembered with their transactions: the current one and the one before. */
    private static final int MARKS = 2;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Journal journal;
    private final Disk disk;
    private final long lastEvent;
    private final LedgerListener listener;
    /** Replaced as a whole, so that a reader does not wait for the disk. */
    private volatile List<Mark> marks = List.of();

    private String id = "";
    /** The last seq that was handed to the journal. */
    private volatile long last;

    private volatile boolean behind;
    /** The bytes of the events that wait for the disk. */
    private final AtomicLong queued = new AtomicLong();

    /** The transaction that wrote the event with this seq. */
    private record Mark(long seq, String txn) {}

    /** @param lastEvent the {@linkplain JournalRecord#fingerprint fingerprint} of the last event that the journal replayed; 0 if it replayed none */
    LocalCopy(Journal journal, Disk disk, long lastEvent, LedgerListener listener) throws IOException {
        this.journal = journal;
        this.disk = disk;
        this.lastEvent = lastEvent;
        this.listener = listener;
        this.last = journal.durableSeq();
        try (Disk.File file = disk.open(FILE, Disk.Access.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
            file.read(bytes, 0);
            JsonNode json = JSON.readTree(bytes.array());
            id = json.path("id").asText();
            List<Mark> found = new ArrayList<>();
            json.path("marks")
                    .forEach(mark -> found.add(
                            new Mark(mark.path("seq").asLong(), mark.path("txn").asText())));
            marks = List.copyOf(found);
        } catch (NoSuchFileException none) {
            // a new state directory, or the directory of a file ledger
        }
    }

    /** The id of the ledger of which this is a copy; "" if it is none yet. */
    String id() {
        return id;
    }

    /** The last seq of the copy, including the events that are about to be written to the copy. */
    long last() {
        return last;
    }

    /** The transaction that wrote an event at which a snapshot of the copy ends; "" if it is not known. */
    String txnOf(long seq) {
        return marks.stream()
                .filter(mark -> mark.seq == seq)
                .map(Mark::txn)
                .findFirst()
                .orElse("");
    }

    /** Whether this is the last event that the journal replayed, as far as it is known. */
    boolean endedWith(JournalRecord event) {
        long fingerprint = event.fingerprint();
        return fingerprint == 0 || lastEvent == 0 || fingerprint == lastEvent;
    }

    /** Makes this the copy of another ledger with the same events. */
    synchronized void renew(String ledger) throws IOException {
        marks = List.of();
        adopt(ledger);
    }

    synchronized void adopt(String ledger) throws IOException {
        id = ledger;
        write();
    }

    /** Remembers the transaction of a seq, before a snapshot at this seq is written. */
    synchronized void mark(long seq, String txn) throws IOException {
        List<Mark> next = new ArrayList<>(marks);
        next.removeIf(mark -> mark.seq == seq);
        next.add(new Mark(seq, txn));
        while (next.size() > MARKS + 1) {
            next.remove(0);
        }
        marks = List.copyOf(next);
        write();
    }

    private void write() throws IOException {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("id", id);
        marks.forEach(
                mark -> json.withArray("marks").addObject().put("seq", mark.seq).put("txn", mark.txn));
        String beside = FILE + ".tmp";
        try (Disk.File file = disk.open(beside, Disk.Access.CREATE)) {
            file.write(ByteBuffer.wrap((json + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            file.force(true);
        }
        disk.rename(beside, FILE);
        disk.forceDirectory("");
    }

    /** Whether events are missing at the end of the copy, because the disk refused them. */
    boolean isBehind() {
        return behind;
    }

    void append(long first, List<List<byte[]>> commands) {
        long seq = first;
        for (List<byte[]> command : commands) {
            if (seq == last + 1 && !behind) {
                submit(seq, command);
            }
            seq += command.size();
        }
    }

    private void submit(long seq, List<byte[]> command) {
        long bytes = command.stream().mapToLong(event -> event.length).sum();
        if (queued.get() > 0 && queued.get() + bytes > MOST_QUEUED) {
            stayBehind("the disk is slower than the changes");
            return;
        }
        queued.addAndGet(bytes);
        last = seq + command.size() - 1;
        journal.submit(new Batch(seq, command, outcome -> {
            queued.addAndGet(-bytes);
            if (!outcome.durable()) {
                stayBehind(outcome.reason());
            }
        }));
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
    void rebase(long seq, byte[] state, String txn) throws InterruptedException {
        CompletableFuture<Outcome> done = new CompletableFuture<>();
        try {
            mark(seq, txn);
            journal.rebase(seq, state, done::complete);
            Outcome outcome = done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (outcome.durable()) {
                last = seq;
                behind = false;
            } else {
                stayBehind(outcome.reason());
            }
        } catch (IOException e) {
            stayBehind(String.valueOf(e.getMessage()));
        } catch (ExecutionException | TimeoutException e) {
            stayBehind("the disk does not take the snapshot of the ledger");
        }
    }

    void snapshot(long seq, byte[] state, String txn, Consumer<Outcome> done) {
        try {
            mark(seq, txn);
            journal.snapshot(seq, state, done);
        } catch (IOException e) {
            done.accept(Outcome.failed("the snapshot at seq " + seq + " cannot be written: " + e.getMessage()));
        }
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
        };
    }

    private void await(long seq) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (journal.durableSeq() < seq && !behind && System.nanoTime() < end) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @Override
    public void close() throws IOException {
        journal.close();
    }
}
