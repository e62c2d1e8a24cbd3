package io.muster.it.harness;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Attaches strace(1) to one thread of a daemon until it is closed: the thread's system calls are recorded, and fail or wait as with a
 * broken disk.
 */
public final class Strace implements AutoCloseable {
    private final Process process;
    private final Output output;

    private Strace(Process process, Output output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Attaches strace; returns when it is attached.
     *
     * @param calls names of system calls, separated by commas
     * @param options further options of strace
     */
    public static Strace on(DaemonProcess daemon, String thread, String calls, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of("strace", "--attach=" + task(daemon.pid(), thread)));
        command.addAll(List.of("--decode-fds=path", "--string-limit=4096", "--trace=" + calls));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        Output output = new Output(
                process.getInputStream(), daemon.stateDir().resolveSibling("strace-" + process.pid() + ".log"));
        output.await(" attached");
        return new Strace(process, output);
    }

    private static String task(long pid, String thread) throws IOException {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path task : tasks) {
                if (Files.readString(task.resolve("comm")).strip().equals(thread)) {
                    return task.getFileName().toString();
                }
            }
        }
        throw new IOException("process " + pid + " has no thread " + thread);
    }

    /** The recorded calls, once this is closed. */
    public List<String> calls() {
        return output.lines();
    }

    /** Detaches strace; the thread then continues normally. */
    @Override
    public void close() {
        process.toHandle().destroy();
        process.onExit().join();
        output.awaitEnd();
    }
}
