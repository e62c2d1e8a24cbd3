package io.muster.cli;

import io.muster.daemon.Serving;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster serve}. */
@Command(name = "serve", description = "Run the daemon until it is told to stop.")
final class Serve implements Callable<Integer> {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "TOML file, or a directory of them; without it the default file, or the defaults.")
    private @Nullable Path config;

    @Option(names = "--trace-wire", description = "Print every message on standard error. No secrets travel here.")
    private boolean traceWire;

    @Override
    public Integer call() {
        return Serving.run(config, traceWire);
    }
}
