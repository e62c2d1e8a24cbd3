package io.muster.daemon.machine;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/** The notes of a run: a digest of all of them, and the last ones. */
public final class SimTrace implements Consumer<String> {
    private static final int KEPT = 250;
    private static final int LONGEST = 400;

    private final CRC32C digest = new CRC32C();
    private final Deque<String> last = new ArrayDeque<>();
    private long lines;

    @Override
    public void accept(String line) {
        lines++;
        digest.update(line.getBytes(StandardCharsets.UTF_8));
        last.add(line.length() > LONGEST ? line.substring(0, LONGEST) + "..." : line);
        if (last.size() > KEPT) {
            last.remove();
        }
    }

    public long lines() {
        return lines;
    }

    public long digest() {
        return digest.getValue();
    }

    /** Returns the last lines. */
    @Override
    public String toString() {
        return String.join("\n", last);
    }
}
