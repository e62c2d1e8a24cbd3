package io.muster.daemon.journal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Uses a journal as the core does: numbers events, counts only durable events as done, and resets its sequence number after a failure. */
final class Client implements Replay, LedgerListener {
    static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(1_700_000_000));

    /** All durable events, as {@code seq name}: the state of this test. */
    final List<String> durable = new ArrayList<>();
    /** Names of events whose batch failed. */
    final List<String> refused = new ArrayList<>();

    final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
    int cut;
    final List<Outcome> outcomes = Collections.synchronizedList(new ArrayList<>());
    final List<Ledger.Status> conditions = Collections.synchronizedList(new ArrayList<>());
    final List<Throwable> bugs = Collections.synchronizedList(new ArrayList<>());
    private final Disk disk;
    private long next;
    private @Nullable Journal opened;

    private Client(Disk disk) {
        this.disk = disk;
    }

    static Client open(Disk disk) throws IOException {
        return open(disk, JournalSettings.DEFAULT);
    }

    /** Opens a journal that calls back on its own thread, so that callbacks run in order. */
    static Client open(Disk disk, JournalSettings settings) throws IOException {
        return open(disk, settings, CLOCK);
    }

    static Client open(Disk disk, JournalSettings settings, InstantSource clock) throws IOException {
        Client client = new Client(disk);
        client.opened = Journal.open(disk, settings, client, client, Runnable::run, clock);
        client.next = client.journal().firstSeq();
        return client;
    }

    /** Returns the events that a start recovers. */
    static List<String> recovered(Disk disk) throws IOException {
        Client client = open(disk);
        client.close();
        return client.durable;
    }

    Journal journal() {
        return Objects.requireNonNull(opened);
    }

    static byte[] event(String name) {
        return ("{\"timestamp\":1700000000.123456,\"name\":\"" + name + "\",\"context\":{\"a b\":[1]}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Submits one command with events of these names. */
    synchronized void submit(String... names) {
        long first = next;
        next += names.length;
        List<byte[]> events = new ArrayList<>();
        for (String name : names) {
            events.add(event(name));
        }
        if (disk instanceof MemoryDisk memory) {
            memory.mark("submitted", next - 1);
        }
        journal().submit(new Batch(first, events, outcome -> done(first, List.of(names), outcome)));
    }

    private synchronized void done(long first, List<String> names, Outcome outcome) {
        outcomes.add(outcome);
        if (outcome.durable()) {
            for (int i = 0; i < names.size(); i++) {
                durable.add(first + i + " " + names.get(i));
            }
            if (disk instanceof MemoryDisk memory) {
                memory.mark("acknowledged", first + names.size() - 1);
            }
        } else {
            refused.addAll(names);
        }
        if (outcome.kind() == Outcome.Kind.FAILED) {
            next = journal().durableSeq() + 1;
        }
    }

    @Override
    public void cut(int files) {
        cut += files;
    }

    synchronized void snapshot() {
        snapshot(durable.size(), String.join(",", durable));
    }

    private void snapshot(long seq, String state) {
        journal().snapshot(seq, ("{\"events\":\"" + state + "\"}").getBytes(StandardCharsets.UTF_8), outcomes::add);
    }

    /** Waits until all batches submitted so far have their outcome. */
    void settle() {
        CountDownLatch settled = new CountDownLatch(1);
        journal().snapshot(Long.MAX_VALUE, new byte[0], refusedAlways -> settled.countDown());
        await(settled);
    }

    /** Waits with a limit, so that a test fails rather than hangs. */
    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(120, TimeUnit.SECONDS)) {
                throw new AssertionError("waited for nothing");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void close() throws IOException {
        journal().close();
    }

    @Override
    public void snapshot(long seq, double timestamp, ObjectNode state) {
        String events = state.path("events").textValue();
        if (!events.isEmpty()) {
            durable.addAll(List.of(events.split(",")));
        }
    }

    @Override
    public void event(JournalRecord event) {
        durable.add(event.seq() + " " + event.name());
    }

    @Override
    public void warning(String sentence) {
        warnings.add(sentence);
    }

    @Override
    public void condition(Condition condition, String reason) {
        conditions.add(new Ledger.Status(condition, reason));
    }

    @Override
    public void broken(Throwable bug) {
        bugs.add(bug);
    }
}
