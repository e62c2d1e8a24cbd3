package io.muster.cli;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code muster bench}. The measurements are not part of the product: in a source tree, the launcher compiles them and adds
 * them to the class path.
 */
@Command(
        name = "bench",
        description = {
            "Measure a daemon on this machine.",
            "Each figure has a floor: the time or memory that the machine itself needs for the same work. The "
                    + "floor is measured beside the figure, and RATIO is the figure divided by its floor.",
            "The command starts a private daemon for each number of ranks. With --uri, it measures that daemon, "
                    + "and drains and undrains its ranks from 0 up: nobody else should use it."
        },
        footer = {
            "  muster bench",
            "  muster bench --ranks=16384 --streams=1,10,100 --dir=/var/tmp",
            "  muster bench --core --runs=20 --ranks=1048576"
        })
public final class Bench extends Verb {
    /** Makes the measurements and prints them. The implementation is found by {@link ServiceLoader}. */
    public interface Measurements {
        void run(Console console, Plan plan) throws IOException;
    }

    /**
     * The measurements that the options ask for.
     *
     * @param uri address of the daemon to measure; null to start one for each number of ranks
     * @param streams numbers of schedulers
     * @param core whether to measure only the processor time of the core thread
     * @param runs number of changes and queries of each kind
     * @param directory parent of the state directories
     */
    public record Plan(
            List<Integer> ranks,
            @Nullable String uri,
            List<Integer> streams,
            boolean core,
            int runs,
            Path directory,
            boolean json) {}

    @Option(
            names = "--ranks",
            paramLabel = "N,...",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "64,16384,1048576",
            description = "Measure with these numbers of ranks. Default: ${DEFAULT-VALUE}.")
    private List<Integer> ranks = new ArrayList<>();

    @Option(
            names = "--uri",
            paramLabel = "URI",
            description = "Measure the daemon at this socket, a path or local:///path, with the first of --ranks.")
    private @Nullable String uri;

    @Option(
            names = "--streams",
            paramLabel = "N,...",
            hideParamSyntax = true,
            split = ",",
            description = "Also measure these numbers of schedulers at once, with the first of --ranks.")
    private List<Integer> streams = new ArrayList<>();

    @Option(
            names = "--core",
            description =
                    "Measure only how long each kind of work occupies the daemon's core thread, on which all peers wait.")
    private boolean core;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5000",
            description = "Make this many changes and queries of each kind. Default: ${DEFAULT-VALUE}.")
    private int runs;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = ".",
            description = "Keep the state in this directory, whose disk is measured. Default: the current directory.")
    private Path directory = Path.of(".");

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    Bench(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        Measurements measurements = ServiceLoader.load(Measurements.class)
                .findFirst()
                .orElseThrow(() -> new Failure(
                        Exit.ERROR,
                        "the measurements are not installed: they are part of Muster's source tree",
                        "run `./muster bench` at the top of a source tree"));
        measurements.run(console(), new Plan(ranks, uri, streams, core, runs, directory, json));
        return Exit.OK;
    }
}
