package io.muster.daemon;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Standard error of a daemon: lines wait in a queue of at most {@link #MOST_WAITING} bytes until the thread {@code log} has
 * written them. If the log is not read (journald is stalled, a pipe is full), only that thread waits. Lines beyond the bound
 * are dropped and counted, and a line in their place gives their number. Safe on any thread.
 */
public final class LogPipe extends OutputStream {
    static final int MOST_WAITING = 4 << 20;

    private static final Duration PATIENCE_AT_THE_END = Duration.ofSeconds(2);
    private static final int BYTES_OF_A_CHUNK = 64;

    /** The process has one standard error, so this is counted once for all. */
    private static final AtomicLong DROPPED = new AtomicLong();

    private final OutputStream sink;
    private final LongFunction<byte[]> notice;
    private final PrintStream errBefore = System.err;
    private final PrintStream outBefore = System.out;
    private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();
    private final Queue<Chunk> queue = new ArrayDeque<>();
    private int waiting;
    private boolean dropping;
    private long missing;
    private boolean closed;

    /** One line or several. */
    private static final class Chunk {
        private final byte[] lines;
        /** How many lines were dropped before these. */
        private final long missing;

        Chunk(byte[] lines, long missing) {
            this.lines = lines;
            this.missing = missing;
        }

        int size() {
            return lines.length + BYTES_OF_A_CHUNK;
        }
    }

    LogPipe(OutputStream sink, LongFunction<byte[]> notice) {
        this.sink = sink;
        this.notice = notice;
        Thread writer = new Thread(this::run, "log");
        writer.setDaemon(true); // the end of the process does not wait for a reader of the log
        writer.start();
    }

    /**
     * Puts a queue before standard error, for everything that this process prints there until {@link #close}. Output of
     * libraries on standard output goes through the same queue.
     *
     * @param notice makes the line, with its line end, that gives the number of dropped lines
     */
    public static LogPipe install(LongFunction<byte[]> notice) {
        LogPipe pipe = new LogPipe(new FileOutputStream(FileDescriptor.err), notice);
        PrintStream print = new PrintStream(pipe, true, StandardCharsets.UTF_8);
        System.setErr(print);
        System.setOut(print);
        return pipe;
    }

    /** How many lines this process has dropped since it started. */
    public static long dropped() {
        return DROPPED.get();
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        int end = offset + length;
        while (end > offset && bytes[end - 1] != '\n') {
            end--;
        }
        unfinished.write(bytes, offset, end - offset);
        if (end > offset || unfinished.size() > MOST_WAITING) {
            offer(unfinished.toByteArray());
            unfinished.reset();
        }
        unfinished.write(bytes, end, offset + length - end);
    }

    /** Once lines are dropped, all are until half of the queue has been read: there are a few long gaps, not very many short ones. */
    private void offer(byte[] lines) {
        Chunk chunk = new Chunk(lines, missing);
        int room = dropping ? MOST_WAITING / 2 : MOST_WAITING;
        dropping = waiting > 0 && waiting + chunk.size() > room;
        if (dropping) {
            drop(lines);
            return;
        }
        missing = 0;
        waiting += chunk.size();
        queue.add(chunk);
        notifyAll();
    }

    private synchronized void drop(byte[] lines) {
        int count = 0;
        for (byte b : lines) {
            count += b == '\n' ? 1 : 0;
        }
        missing += count;
        DROPPED.addAndGet(count);
    }

    private void run() {
        for (Chunk next = take(); next != null; next = take()) {
            try {
                if (next.missing > 0) {
                    sink.write(notice.apply(next.missing));
                }
                sink.write(next.lines);
            } catch (IOException nobodyReads) {
                drop(next.lines);
            }
            written(next);
        }
    }

    /** @return null at the end */
    private synchronized @Nullable Chunk take() {
        try {
            while (queue.isEmpty() && !closed) {
                wait();
            }
        } catch (InterruptedException e) {
            return null;
        }
        return queue.poll();
    }

    private synchronized void written(Chunk chunk) {
        waiting -= chunk.size();
        if (queue.isEmpty() && missing > 0) {
            offer(new byte[0]); // writes the notice now, because the next line may come much later
        }
        notifyAll();
    }

    /** Restores standard error, and waits a short time until everything is written. */
    @Override
    public void close() {
        System.setErr(errBefore);
        System.setOut(outBefore);
        finish(PATIENCE_AT_THE_END);
    }

    synchronized void finish(Duration patience) {
        offer(unfinished.toByteArray());
        unfinished.reset();
        closed = true;
        notifyAll();
        long start = System.nanoTime();
        long left = patience.toMillis();
        try {
            while (waiting > 0 && left > 0) {
                wait(left);
                left = patience.toMillis() - (System.nanoTime() - start) / 1_000_000;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
