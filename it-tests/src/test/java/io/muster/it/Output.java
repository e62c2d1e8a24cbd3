package io.muster.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a process says, line by line, kept for whoever waits for a line. */
final class Output {
    private final List<String> lines = new ArrayList<>();
    private boolean ended;

    Output(InputStream from) {
        Thread reader = new Thread(() -> read(from), "output");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream from) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
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
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    synchronized int size() {
        return lines.size();
    }

    /**
     * Waits for a line that contains {@code text}, from line {@code from} on.
     *
     * @throws AssertionError with all that was said, if it does not come
     */
    synchronized String await(String text, int from, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        int next = from;
        while (true) {
            for (; next < lines.size(); next++) {
                if (lines.get(next).contains(text)) {
                    return lines.get(next);
                }
            }
            long rest = (deadline - System.nanoTime()) / 1_000_000;
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

    @Override
    public synchronized String toString() {
        return String.join("\n", lines);
    }
}
