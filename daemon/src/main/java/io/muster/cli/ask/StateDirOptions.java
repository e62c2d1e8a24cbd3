package io.muster.cli.ask;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.journal.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Options that choose a state directory: the directory itself, or the configuration that names it. If the user also names a daemon,
 * the directory of a configuration must be the daemon's.
 */
public final class StateDirOptions {
    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Option(
            names = "--state-dir",
            paramLabel = "DIR",
            description =
                    "Use this state directory, also if --uri or $$MUSTER_URI names a daemon that uses another one.")
    private @Nullable Path stateDir;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description =
                    "Use the state directory that this configuration names. Default: the file that `muster serve` reads.")
    private @Nullable Path config;

    public boolean isGiven() {
        return stateDir != null || config != null;
    }

    /** Returns the options that name a daemon. */
    public ServerOptions server() {
        return server;
    }

    /** Returns the state directory; fails if it cannot be read, or is not that of the daemon that the user named. */
    public LocalDisk disk(Console console) throws IOException {
        return disk(path(console), "state directory");
    }

    /**
     * Opens a directory; fails if it cannot be read.
     *
     * @param what the kind of directory, for messages
     */
    public static LocalDisk disk(Path directory, String what) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new Failure(
                    Exit.ERROR,
                    directory + ": there is no such " + what,
                    what.equals("backup") ? "" : "name another one with --state-dir or -c");
        }
        if (Files.isExecutable(directory) && !Files.exists(directory.resolve("journal"))) {
            throw new Failure(Exit.ERROR, directory + " is not a " + what + ": there is no directory journal in it");
        }
        if (!isReadable(directory)) {
            throw new Failure(
                    Exit.DENIED, directory + ": you may not read it", "run this as the user that runs the daemon");
        }
        return LocalDisk.existing(directory);
    }

    /** Returns the state directory; null if it does not exist or cannot be read. */
    @Nullable
    public LocalDisk diskIfReadable(Console console) throws IOException {
        Path directory = path(console);
        return Files.isDirectory(directory) && isReadable(directory) ? LocalDisk.existing(directory) : null;
    }

    private static boolean isReadable(Path directory) {
        return Files.isReadable(directory) && Files.isReadable(directory.resolve("journal"));
    }

    /** Returns the configuration; null if the user names a state directory and no configuration. */
    public @Nullable Config config() throws IOException {
        return stateDir != null && config == null ? null : Config.load(config, Environment.ofProcess());
    }

    /** Returns the state directory; fails if it is not that of the daemon that the user named. */
    public Path path(Console console) throws IOException {
        if (stateDir != null) {
            return stateDir;
        }
        Config chosen = Config.load(config, Environment.ofProcess());
        new NamedDaemon(server, console)
                .require(
                        chosen,
                        "run this on the host of the daemon, or name a directory of this host with --state-dir");
        return chosen.storage().stateDir();
    }

    public static void say(Console console, String sentence) {
        console.complain("muster: " + sentence);
    }
}
