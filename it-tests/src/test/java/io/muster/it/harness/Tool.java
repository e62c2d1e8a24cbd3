package io.muster.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Runs commands of the system to their end. */
public final class Tool {
    private Tool() {}

    /** Returns the command's output; fails if the command fails. */
    public static String run(String... command) {
        return run(new ProcessBuilder(command).redirectErrorStream(true));
    }

    /** Returns the output of a command that writes errors there too; fails if the command fails. */
    public static String run(ProcessBuilder command) {
        try {
            Process tool = command.start();
            tool.getOutputStream().close();
            String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(tool.waitFor())
                    .as("%s: %s", String.join(" ", command.command()), output)
                    .isZero();
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Copies a directory with all its contents; returns the copy. */
    public static Path copy(Path from, Path to) {
        run("cp", "-a", from.toString(), to.toString());
        return to;
    }

    /** A program of the JDK that runs this test. */
    public static String jdk(String program) {
        return Path.of(System.getProperty("java.home"), "bin", program).toString();
    }

    public static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
