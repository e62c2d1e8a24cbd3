package io.muster.cli;

import io.muster.daemon.Serving;
import io.muster.daemon.config.Config;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster serve}. */
@Command(
        name = "serve",
        description = "Run the daemon until it is told to stop.",
        footer = {
            "  muster serve",
            "  muster serve --config=muster.toml",
            "  muster serve --config=config/examples/racks.toml --socket=try/muster.sock --state-dir=try"
        })
final class Serve implements Callable<Integer> {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description =
                    "Read this TOML file or directory of TOML files. Default: /etc/muster/muster.toml for root, else "
                            + "~/.config/muster/muster.toml; without either, built-in defaults.")
    private @Nullable Path config;

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            description = "Listen on this socket, whatever the configuration says.")
    private @Nullable Path socket;

    @Option(
            names = "--state-dir",
            paramLabel = "DIR",
            description = "Keep the journal and snapshots in this directory, whatever the configuration says.")
    private @Nullable Path stateDir;

    @Option(
            names = "--trace-wire",
            description = "Print every message on standard error, one per line. Messages contain no secrets.")
    private boolean traceWire;

    @Override
    public Integer call() {
        return Serving.run(new Config.Source(config, socket, stateDir), traceWire);
    }
}
