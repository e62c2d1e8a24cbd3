package io.muster.cli.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Notices that the reader of a pipe has gone although nothing is written: {@code muster watch | head -1} has to end after the first
 * event. The JDK cannot poll standard output, but {@code tail -f} of GNU coreutils does, and ends by SIGPIPE.
 */
final class OutputReader {
    private OutputReader() {}

    /** Ends the process, with the status that SIGPIPE would give it, when the reader of standard output has gone. */
    static void endWith() {
        try {
            if (!Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString().startsWith("pipe:")) {
                return;
            }
            String pid = "--pid=" + ProcessHandle.current().pid();
            Process tail = new ProcessBuilder("tail", "-f", pid, "/dev/null")
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            // The reader sees the end of the output when no process has the pipe open.
            Runtime.getRuntime().addShutdownHook(new Thread(tail::destroy, "tail"));
            tail.onExit().thenAccept(ended -> {
                if (ended.exitValue() == Exit.CLOSED_PIPE) {
                    System.exit(Exit.CLOSED_PIPE);
                }
            });
        } catch (IOException withoutTail) {
            // The process ends when it writes again.
        }
    }
}
