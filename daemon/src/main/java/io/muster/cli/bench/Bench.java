package io.muster.cli.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Pause;
import io.muster.cli.terminal.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code muster bench}. */
@Command(
        name = "bench",
        description = {
            "Measure a daemon on this machine.",
            "RATIO is how many times as long, or as much, as what the machine cannot do without takes, measured beside it.",
            "Starts a private one for each number of ranks, or measures what answers at --uri: that one is drained and"
                    + " undrained at rank 0 and up, so it should be nobody's."
        })
public final class Bench implements Callable<Integer> {
    /** Wait before memory is measured: memory that a burst needs briefly, mostly for the compilers, is returned within seconds. */
    private static final long SETTLE_MILLIS = 15_000;

    /** Numbers of figures, for the progress bar: of the machine, of each daemon, and of each daemon started here. */
    private static final int FLOORS = 3;

    private static final int OWN_FLOORS = 2;

    private static final int EACH = 5;
    private static final int OWN = 6;
    private static final int SPREAD = 1;

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

    @Spec
    private @Nullable CommandSpec spec;

    private final Console console;

    public Bench(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        List<Figure> figures = new ArrayList<>();
        try (Progress progress = new Progress(console, "measuring", expected())) {
            measure(figure -> {
                figures.add(figure);
                progress.at(figures.size());
            });
        }
        print(figures);
        return 0;
    }

    /** The number of figures to measure. */
    private int expected() {
        int own = OWN_FLOORS + ranks.size() * (EACH + OWN) + SPREAD + streams.size();
        return FLOORS + (uri != null ? EACH : own);
    }

    private void measure(Consumer<Figure> figures) throws IOException {
        Floor floor = Floor.measure(directory);
        figures.accept(Figure.once("floor: append and fdatasync", 0, "ms", floor.sync()));
        figures.accept(Figure.once("floor: socket round trip", 0, "ms", floor.exchange()));
        figures.accept(Figure.once("floor: the same in bulk", 0, Figure.RATE, floor.pipelined()));
        String given = uri;
        if (given != null) {
            measure(new Measure(ServerOptions.address(given), ranks.get(0), runs), floor, figures);
        } else {
            double jvm = Commands.floor();
            double idle = Idle.residentMegabytes();
            figures.accept(Figure.once("floor: a JVM's start and end", 0, "ms", jvm));
            figures.accept(Figure.once("floor: an idle JVM", 0, "MB", idle));
            Spread spread = new Spread(figures);
            for (int size : ranks) {
                own(size, jvm, idle, spread);
            }
            figures.accept(spread.figure());
            if (!streams.isEmpty()) {
                shared(ranks.get(0), figures);
            }
        }
    }

    /** Measures a daemon of its own. The floor is measured again beside each size, because machines drift. */
    private void own(int size, double jvm, double idle, Consumer<Figure> figures) throws IOException {
        try (Subject subject = Subject.start(command(), directory, size)) {
            figures.accept(Figure.once("ready from cold start", size, "ms", subject.readyMillis(), jvm));
            measure(new Measure(subject.uri(), size, runs), Floor.measure(directory), figures);
            figures.accept(Figure.once("resident memory, at once", size, "MB", subject.residentMegabytes(), idle));
            Pause.of(Math.min(SETTLE_MILLIS, 10L * runs));
            figures.accept(Figure.once("resident memory, settled", size, "MB", subject.residentMegabytes(), idle));
            int starts = Math.max(1, Math.min(Commands.RUNS, runs / 50));
            Commands commands = new Commands(command(), subject.uri(), size, starts);
            figures.accept(commands.drain(jvm));
            figures.accept(commands.status(jvm));
        }
        try (Subject fresh = Subject.start(command(), directory, size)) {
            figures.accept(new Measure(fresh.uri(), size, runs).beginning(Floor.measure(directory)));
        }
    }

    private void shared(int size, Consumer<Figure> figures) throws IOException {
        try (Subject subject = Subject.start(command(), directory, size)) {
            Measure measure = new Measure(subject.uri(), size, runs);
            Floor floor = Floor.measure(directory);
            for (int count : streams) {
                figures.accept(measure.fanOut(count, floor));
            }
        }
    }

    private void measure(Measure measure, Floor floor, Consumer<Figure> figures) throws IOException {
        figures.accept(measure.change(floor));
        figures.accept(measure.pipelined(floor));
        figures.accept(measure.first(floor));
        figures.accept(measure.status(floor));
        @Nullable Figure feasible = measure.feasible(floor);
        if (feasible != null) {
            figures.accept(feasible);
        }
    }

    /** The command that started this process, without the verb: the launcher, which adds the daemon's own options, or the same jars. */
    static List<String> command() {
        String launcher = System.getProperty("muster.launcher");
        return launcher != null
                ? List.of(launcher)
                : List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.muster.cli.Muster");
    }

    private void print(List<Figure> figures) {
        PrintWriter out = spec().commandLine().getOut();
        if (json) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            figures.forEach(figure -> array.add(toJson(figure)));
            out.println(array);
        } else {
            out.println(String.format(
                    Locale.ROOT, "%-32s %9s %14s %14s %10s %7s", "WHAT", "RANKS", "MEDIAN", "P99", "FLOOR", "RATIO"));
            figures.forEach(figure -> out.println(line(figure)));
        }
        out.flush();
    }

    private CommandSpec spec() {
        CommandSpec injected = spec;
        if (injected == null) {
            throw new IllegalStateException("not made by picocli");
        }
        return injected;
    }

    private static ObjectNode toJson(Figure figure) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("what", figure.what()).put("ranks", figure.ranks()).put("unit", figure.unit());
        json.put("median", figure.value()).put("p99", figure.high());
        return figure.hasFloor()
                ? json.put("floor", figure.floor()).put("ratio", figure.ratio())
                : json.putNull("floor").putNull("ratio");
    }

    private static String line(Figure figure) {
        String value = String.format(Locale.ROOT, "%.3f %s", figure.value(), figure.unit());
        String high = String.format(Locale.ROOT, "%.3f %s", figure.high(), figure.unit());
        return String.format(
                        Locale.ROOT,
                        "%-32s %9s %14s %14s %10s %7s",
                        figure.what(),
                        figure.ranks() == 0 ? "" : figure.ranks(),
                        value,
                        high,
                        figure.hasFloor() ? String.format(Locale.ROOT, "%.3f", figure.floor()) : "",
                        figure.hasFloor() ? String.format(Locale.ROOT, "%.2f", figure.ratio()) : "")
                .stripTrailing();
    }
}
