package io.muster.it.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The output of a process, line by line, for tests that wait for a line; also written to a file. */
public final class Output {
    /** Time limit for every wait of the tests. It is long enough for a busy machine, so only an event that never happens exceeds it. */
    public static final Duration PATIENCE = Duration.ofMinutes(5);

    private final List<String> lines = new ArrayList<>();
    private final Thread reader;
    private boolean ended;
    private boolean held;

    Output(InputStream from, Path copy) {
        reader = new Thread(() -> read(from, copy), "output");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream from, Path copy) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8));
                Writer out = Files.newBufferedWriter(copy, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.append(line).append('\n');
                if (!in.ready()) { // a flush for each line would be slower than the changes of a daemon
                    out.flush();
                }
                add(line);
            }
        } catch (IOException e) {
            add("the output was lost: " + e);
        } finally {
            end();
        }
    }

    private synchronized void add(String line) {
        lines.add(line);
        notifyAll();
        try {
            while (held) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Stops reading, so that the process's pipe fills, until {@link #release}. */
    public synchronized void hold() {
        held = true;
    }

    public synchronized void release() {
        held = false;
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    public synchronized int size() {
        return lines.size();
    }

    public String await(String text) {
        return await(text, 0);
    }

    /**
     * Waits for a line that contains {@code text}, from line {@code from} on.
     *
     * @throws AssertionError with all output, if the line does not come
     */
    public synchronized String await(String text, int from) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        int next = from;
        while (true) {
            for (; next < lines.size(); next++) {
                if (lines.get(next).contains(text)) {
                    return lines.get(next);
                }
            }
            long rest = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (ended || rest <= 0) {
                throw new AssertionError(
                        "\"" + text + "\" was not said" + (ended ? " before the end" : "") + ":\n" + this);
            }
            try {
                wait(rest);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Reads the rest of the output after the process has ended. */
    void awaitEnd() {
        release();
        try {
            reader.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public synchronized String toString() {
        return String.join("\n", lines);
    }
}
