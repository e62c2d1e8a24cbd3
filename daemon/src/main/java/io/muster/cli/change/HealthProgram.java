package io.muster.cli.change;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.muster.daemon.config.Fsd;
import io.muster.inventory.problem.Text;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** Runs a site's health program, and reads its result by a convention. */
final class HealthProgram {
    private static final int LONGEST = 1000;
    private static final int DRAIN_SECONDS = 5;
    private static final Pattern OF_NHC = Pattern.compile("^ERROR: +nhc: +(Health check failed: +)?");
    private static final List<String> OF_NAGIOS = List.of("OK", "WARNING", "CRITICAL", "UNKNOWN");

    /** How a health program says what came of its check. */
    enum Convention {
        /** Status 0 is ok; the last line of the output is the detail. */
        EXIT,
        /** LBNL NHC: status 0 is ok; the last line is the detail, without the words that NHC puts before it. */
        NHC,
        /** Nagios: status 0 is ok; 1 is a warning, 2 critical and 3 unknown; the first line is the detail, without performance data. */
        NAGIOS
    }

    /** @param detail one line; "" for none */
    record Verdict(boolean ok, String detail) {}

    private final Convention convention;
    private final Fsd limit;
    private volatile String first = "";
    private volatile String last = "";
    /** The last line in the form of LBNL NHC. */
    private volatile String ofNhc = "";

    HealthProgram(Convention convention, Fsd limit) {
        this.convention = convention;
        this.limit = limit;
    }

    /** Runs the program. A program that cannot be run, or does not end within the limit, has failed. */
    Verdict run(List<String> line) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(line).redirectErrorStream(true).start();
        } catch (IOException e) {
            return new Verdict(false, cut("cannot be run: " + e.getMessage()));
        }
        try {
            process.getOutputStream().close();
            CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> read(process));
            if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return new Verdict(false, "did not end within " + limit);
            }
            await(reader);
            return verdict(process.exitValue());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** Waits for the last lines, but not for a program in the background that keeps the output open. */
    private static void await(CompletableFuture<Void> reader) throws InterruptedException {
        try {
            reader.get(DRAIN_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return;
        }
    }

    private void read(Process process) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (c == '\n') {
                    end(line);
                } else if (line.length() < LONGEST) {
                    line.append((char) c);
                }
            }
            end(line);
        } catch (IOException e) {
            last = "its output could not be read: " + e.getMessage();
        }
    }

    private void end(StringBuilder line) {
        String text = line.toString().strip();
        line.setLength(0);
        if (!text.isEmpty()) {
            first = first.isEmpty() ? text : first;
            last = text;
            ofNhc = OF_NHC.matcher(text).lookingAt() ? text : ofNhc;
        }
    }

    private Verdict verdict(int status) {
        String detail = switch (convention) {
            case EXIT -> last;
            case NHC -> OF_NHC.matcher(ofNhc.isEmpty() ? last : ofNhc).replaceFirst("");
            case NAGIOS -> first.replaceFirst("\\s*\\|.*", "");
        };
        if (detail.isEmpty() && status != 0) {
            detail = convention == Convention.NAGIOS && status < OF_NAGIOS.size()
                    ? OF_NAGIOS.get(status)
                    : "ended with status " + status;
        }
        return new Verdict(status == 0, cut(detail));
    }

    private static String cut(String text) {
        String line = Text.shown(Text.line(text));
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST);
    }
}
