package io.muster.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs programs of other packages, for verbs that collect the output of these programs. */
final class Program {
    private static final int KILLED = 128 + 9;
    private static final int MOST_BYTES = 64 << 20;

    private Program() {}

    /** Runs a program that reads nothing. */
    static byte[] run(long seconds, String... line) throws IOException, InterruptedException {
        return run(seconds, new byte[0], line);
    }

    /**
     * Runs a program and returns its standard output and standard error together. The program is killed after some seconds.
     *
     * @param seconds how long it may take
     * @param input standard input, no more than a pipe holds
     * @throws IOException if the program does not exist, or its status is not 0
     */
    static byte[] run(long seconds, byte[] input, String... line) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        AtomicBoolean isLate = new AtomicBoolean();
        CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS).execute(() -> {
            isLate.set(true);
            process.destroyForcibly();
        });
        try {
            try (OutputStream in = process.getOutputStream()) {
                in.write(input);
            } catch (IOException endedBefore) {
                // the status and the output describe the failure
            }
            byte[] output = process.getInputStream().readNBytes(MOST_BYTES);
            int exit = process.waitFor();
            if (exit == KILLED && isLate.get()) {
                throw new IOException(line[0] + " did not end within " + seconds + " s");
            }
            if (exit != 0) {
                throw new IOException(
                        line[0] + " ended with status " + exit + ": " + new String(output, UTF_8).strip());
            }
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
