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
            "RATIO is how many times as long, or as much, as what the machine cannot do without takes, measured beside it.",
            "Starts a private one for each number of ranks, or measures what answers at --uri: that one is drained and"
                    + " undrained at rank 0 and up, so it should be nobody's."
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
     * @param runs number of changes and queries of each kind
     * @param directory parent of the state directories
     */
    public record Plan(
            List<Integer> ranks, @Nullable String uri, List<Integer> streams, int runs, Path directory, boolean json) {}

    @Option(names = "--ranks", split = ",", defaultValue = "64,16384,1048576", description = "Numbers of ranks.")
    private List<Integer> ranks = new ArrayList<>();

    @Option(
            names = "--uri",
            description = "Measure what answers here, local:///path or a path, with the first of --ranks.")
    private @Nullable String uri;

    @Option(
            names = "--streams",
            split = ",",
            description =
                    "Also measure so many schedulers at once, at the first of --ranks: for example 1,10,100,1000.")
    private List<Integer> streams = new ArrayList<>();

    @Option(names = "--runs", defaultValue = "5000", description = "Changes and queries of each kind.")
    private int runs;

    @Option(names = "--dir", defaultValue = ".", description = "Where to keep state: the disk that is measured.")
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
                        "what measures is not installed: it is in Muster's source tree only",
                        "run `./muster bench` at the top of a source tree"));
        measurements.run(console(), new Plan(ranks, uri, streams, runs, directory, json));
        return Exit.OK;
    }
}
