package io.muster.cli.rset;

import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.SourceFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The program of hwloc that describes this host. */
final class Lstopo {
    static final String PROGRAM = "lstopo-no-graphics";
    private static final int SECONDS = 30;

    private Lstopo() {}

    /** Returns the XML of the part of this host that this process may use, or null if the program is not installed. */
    static byte @Nullable [] ask(Map<String, String> environment) throws IOException {
        for (String directory : environment.getOrDefault("PATH", "").split(":", -1)) {
            Path program = Path.of(directory, PROGRAM);
            if (directory.startsWith("/") && Files.isExecutable(program)) {
                return run(program.toString(), "--of", "xml", "--restrict", "binding");
            }
        }
        return null;
    }

    private static byte[] run(String... line) throws IOException {
        Process process = new ProcessBuilder(line)
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        CompletableFuture.delayedExecutor(SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
        try {
            byte[] output = SourceFile.read(process.getInputStream());
            if (process.waitFor() != 0) {
                throw new Failure(Exit.ERROR, line[0] + " ended with status " + process.exitValue());
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(Exit.ERROR, line[0] + " was interrupted");
        } finally {
            process.destroyForcibly();
        }
    }
}
