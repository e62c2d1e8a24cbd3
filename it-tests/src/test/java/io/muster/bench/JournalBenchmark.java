package io.muster.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Compares the journal with its floor: the same write and fdatasync without the journal. Run it on the disk that is to be measured: {@code
 * java -cp ... io.muster.bench.JournalBenchmark /var/lib/muster-bench}
 */
public final class JournalBenchmark {
    private static final int ROUNDS = 5_000;
    private static final int MANY = 300_000;
    private static final int IN_FLIGHT = 1024;
    private static final byte[] EVENT = ("{\"timestamp\":1700000000.123456,\"name\":\"drain\",\"context\":{\"idset\":"
                    + "\"1723\",\"nodelist\":\"node1723\",\"holder\":\"admin\",\"reason\":\"bad dimm\",\"by\":1001}}")
            .getBytes(StandardCharsets.UTF_8);

    private JournalBenchmark() {}

    public static void main(String[] args) throws Exception {
        Path dir = Path.of(args[0]);
        Files.createDirectories(dir);
        for (int i = 0; i < 2; i++) {
            // The first pass warms up; both are printed, for comparison.
            latency(dir.resolve("pass" + i));
            throughput(dir.resolve("many" + i));
        }
    }

    private static double print(String what, long[] nanos) {
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%-36s p50 %7.1f us   p90 %7.1f us   p99 %7.1f us%n",
                what,
                nanos[nanos.length / 2] / 1e3,
                nanos[nanos.length * 9 / 10] / 1e3,
                nanos[nanos.length * 99 / 100] / 1e3);
        return nanos[nanos.length / 2];
    }

    /** The measurements take turns, so that other load on the machine affects all of them alike. */
    private static void latency(Path dir) throws Exception {
        long[] floor = new long[ROUNDS];
        long[] direct = new long[ROUNDS];
        long[] handed = new long[ROUNDS];
        ExecutorService core = Executors.newSingleThreadExecutor();
        Files.createDirectories(dir);
        try (FileChannel channel =
                        FileChannel.open(dir.resolve("floor"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                Journal one = open(dir.resolve("direct"), Runnable::run, new LedgerListener() {});
                Journal two = open(dir.resolve("handed"), core, new LedgerListener() {})) {
            ByteBuffer line = ByteBuffer.allocateDirect(EVENT.length + 40);
            for (int i = 0; i < ROUNDS; i++) {
                pause();
                long start = System.nanoTime();
                channel.write(line.clear());
                channel.force(false);
                floor[i] = System.nanoTime() - start;
                direct[i] = once(one, i + 1);
                handed[i] = once(two, i + 1);
            }
        } finally {
            core.shutdown();
        }
        double least = print("write + fdatasync", floor);
        double ratio = print("journal, answered on its thread", direct) / least;
        double other = print("journal, answered on another thread", handed) / least;
        System.out.printf(Locale.ROOT, "ratios to the floor, p50: %.2f and %.2f%n", ratio, other);
    }

    private static long once(Journal journal, long seq) throws InterruptedException {
        AtomicLong answered = new AtomicLong();
        Semaphore done = new Semaphore(0);
        pause();
        long start = System.nanoTime();
        journal.submit(new Batch(seq, List.of(EVENT), outcome -> {
            answered.set(System.nanoTime());
            done.release();
        }));
        done.acquire();
        return answered.get() - start;
    }

    /** Pauses as long as between changes that a person makes, so that the journal thread sleeps in between. */
    private static void pause() {
        LockSupport.parkNanos(50_000);
    }

    private static void throughput(Path dir) throws Exception {
        AtomicLong groups = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        Semaphore inFlight = new Semaphore(IN_FLIGHT);
        ExecutorService core = Executors.newSingleThreadExecutor();
        long start = System.nanoTime();
        Journal journal = open(dir, core, new LedgerListener() {
            @Override
            public void committed(int batches, int events, int size, long appendNanos, long forceNanos) {
                groups.incrementAndGet();
                bytes.addAndGet(size);
            }
        });
        for (int i = 0; i < MANY; i++) {
            inFlight.acquire();
            journal.submit(new Batch(i + 1, List.of(EVENT), outcome -> release(outcome, inFlight)));
        }
        inFlight.acquire(IN_FLIGHT);
        double seconds = (System.nanoTime() - start) / 1e9;
        journal.close();
        core.shutdown();
        System.out.printf(
                Locale.ROOT,
                "%,d changes, %d in flight: %,.0f/s durable, %.1f a force, %.1f MB/s%n",
                MANY,
                IN_FLIGHT,
                MANY / seconds,
                (double) MANY / groups.get(),
                bytes.get() / 1e6 / seconds);
        replay(dir);
    }

    private static void release(Outcome outcome, Semaphore inFlight) {
        if (!outcome.durable()) {
            throw new IllegalStateException(outcome.reason());
        }
        inFlight.release();
    }

    private static void replay(Path dir) throws IOException {
        long start = System.nanoTime();
        open(dir, Runnable::run, new LedgerListener() {}).close();
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(Locale.ROOT, "replay of %,d events: %.2f s, %,.0f/s%n", MANY, seconds, MANY / seconds);
    }

    private static Journal open(Path dir, java.util.concurrent.Executor executor, LedgerListener listener)
            throws IOException {
        Replay replay = new Replay() {
            @Override
            public void snapshot(long seq, double timestamp, ObjectNode state) {
                throw new IllegalStateException("nobody wrote one");
            }

            @Override
            public void event(JournalRecord event) {
                if (event.seq() < 1) {
                    throw new IllegalStateException(event.json());
                }
            }
        };
        return Journal.open(
                LocalDisk.at(dir), JournalSettings.DEFAULT, replay, listener, executor, InstantSource.system());
    }
}
