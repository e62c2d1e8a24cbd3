package io.muster.daemon.cli.bench;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command as a shell starts it, each time a process of its own.
 *
 * @param muster what a verb is put behind
 */
record Commands(List<String> muster, String uri, int ranks) {
    private static final int RUNS = 10;

    /** A Java runtime that does nothing: no command written in Java takes less. */
    static double floor() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return runs(List.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-version"))
                .median();
    }

    /** A change that is one each time. */
    Figure drain(double floor) throws IOException {
        return figure("muster drain", floor, "drain", "-ff", "0", "bench");
    }

    Figure status(double floor) throws IOException {
        return figure("muster status", floor, "status");
    }

    private Figure figure(String what, double floor, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(muster);
        line.addAll(List.of(arguments));
        line.addAll(List.of("--uri", uri));
        return Figure.of(what, ranks, runs(line), floor);
    }

    /** The first one is not counted: it may build the archives that the others start from. */
    private static Samples runs(List<String> line) throws IOException {
        Samples samples = new Samples(RUNS);
        for (int i = -1; i < RUNS; i++) {
            long start = System.nanoTime();
            run(line);
            if (i >= 0) {
                samples.add(System.nanoTime() - start);
            }
        }
        return samples;
    }

    private static void run(List<String> line) throws IOException {
        Process process = new ProcessBuilder(line)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.getOutputStream().close();
        try {
            int exit = process.waitFor();
            if (exit != 0) {
                throw new IOException(String.join(" ", line) + " failed with " + exit);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
