package io.muster.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A program that does nothing: no daemon written in Java needs less memory. */
final class Idle {
    private Idle() {}

    public static void main(String[] arguments) throws IOException {
        System.out.write('\n');
        System.out.flush();
        while (System.in.read() >= 0) {}
    }

    static double residentMegabytes() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Idle.class.getName())
                .start();
        try {
            if (process.getInputStream().read() < 0) {
                throw new IOException("a JVM that does nothing did not start");
            }
            return residentMegabytes(process);
        } finally {
            process.destroyForcibly();
        }
    }

    /** The resident set of a process in MB, as the kernel counts it. */
    static double residentMegabytes(Process process) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
            String line = lines.filter(l -> l.startsWith("VmRSS:")).findFirst().orElse("VmRSS: 0 kB");
            return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
        }
    }
}
