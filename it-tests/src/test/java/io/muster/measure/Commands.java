package io.muster.measure;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Measures the command as a shell starts it, with a new process each time.
 *
 * @param muster the words before the verb
 * @param runs number of runs of each verb
 */
record Commands(List<String> muster, String uri, int ranks, int runs) {
    static final int RUNS = 20;

    /** The time of a Java runtime that does nothing: no command written in Java can take less. */
    static double floor() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> line = List.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-version");
        return runs("", RUNS, i -> line).median();
    }

    /** Measures a drain. Each run gives a new reason, so that each is a change. */
    Figure drain(double floor) throws IOException {
        return Figure.of("muster drain", ranks, runs(uri, runs, i -> verb("drain", "-f", "0", "bench " + i)), floor);
    }

    Figure status(double floor) throws IOException {
        return Figure.of("muster status", ranks, runs(uri, runs, i -> verb("status")), floor);
    }

    private List<String> verb(String... arguments) {
        List<String> line = new ArrayList<>(muster);
        line.addAll(List.of(arguments));
        return line;
    }

    /** Measures the runs. The first run is not counted, because it may build the archives from which the others start. */
    private static Samples runs(String uri, int runs, IntFunction<List<String>> lines) throws IOException {
        Samples samples = new Samples(runs);
        for (int i = -1; i < runs; i++) {
            List<String> line = lines.apply(i);
            long start = System.nanoTime();
            run(line, uri);
            if (i >= 0) {
                samples.add(System.nanoTime() - start);
            }
        }
        return samples;
    }

    private static void run(List<String> line, String uri) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("MUSTER_URI", uri);
        Process process = builder.start();
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
