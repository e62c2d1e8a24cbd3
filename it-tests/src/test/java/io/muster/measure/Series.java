package io.muster.measure;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.Bench;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Pause;
import io.muster.cli.terminal.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All measurements of {@code muster bench}, one after the other. */
public final class Series implements Bench.Measurements {
    /** The pause before memory is measured: the JVM returns the memory of a burst, mostly of its compilers, within seconds. */
    private static final long SETTLE_MILLIS = 15_000;

    /** Numbers of figures, for the progress bar: of the machine, of each daemon, and of each daemon started here. */
    private static final int FLOORS = 3;

    private static final int OWN_FLOORS = 2;

    private static final int EACH = 5;
    private static final int OWN = 7;
    private static final int SPREAD = 1;

    /** A file system in memory, which every Linux has: with the state there, no figure depends on the disk. */
    private static final Path MEMORY = Path.of("/dev/shm");

    @Override
    public void run(Console console, Bench.Plan plan) throws IOException {
        List<Figure> figures = new ArrayList<>();
        try (Progress progress = new Progress(console, "measuring", expected(plan))) {
            measure(plan, figure -> {
                figures.add(figure);
                progress.at(figures.size());
            });
        }
        print(console, plan.json(), figures);
    }

    /** The number of figures to measure. */
    private static int expected(Bench.Plan plan) {
        if (plan.core()) {
            return plan.ranks().size() * CoreTime.FIGURES;
        }
        int own = OWN_FLOORS
                + plan.ranks().size() * (EACH + OWN)
                + SPREAD
                + plan.streams().size();
        return FLOORS + (plan.uri() != null ? EACH : own);
    }

    private static void measure(Bench.Plan plan, Consumer<Figure> figures) throws IOException {
        if (plan.core()) {
            core(plan, figures);
            return;
        }
        Floor floor = Floor.measure(plan.directory());
        figures.accept(Figure.once("floor: append and fdatasync", 0, "ms", floor.sync()));
        figures.accept(Figure.once("floor: socket round trip", 0, "ms", floor.exchange()));
        figures.accept(Figure.once("floor: the same in bulk", 0, Figure.RATE, floor.pipelined()));
        String given = plan.uri();
        if (given != null) {
            measure(new Measure(ServerOptions.address(given), plan.ranks().get(0), plan.runs()), floor, figures);
        } else {
            double jvm = Commands.floor();
            double idle = Idle.residentMegabytes();
            figures.accept(Figure.once("floor: a JVM's start and end", 0, "ms", jvm));
            figures.accept(Figure.once("floor: an idle JVM", 0, "MB", idle));
            Spread spread = new Spread(figures);
            for (int size : plan.ranks()) {
                own(plan, size, jvm, idle, spread);
            }
            figures.accept(spread.figure());
            if (!plan.streams().isEmpty()) {
                shared(plan, plan.ranks().get(0), figures);
            }
        }
    }

    /** Measures a daemon that it starts. The floor is measured again for each size, because the speed of a machine changes with time. */
    private static void own(Bench.Plan plan, int size, double jvm, double idle, Consumer<Figure> figures)
            throws IOException {
        Path directory = plan.directory();
        int runs = plan.runs();
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
        try (Subject quick = Subject.start(command(), MEMORY, size)) {
            figures.accept(new Measure(quick.uri(), size, runs).changeInMemory(Floor.measure(MEMORY)));
        }
    }

    private static void core(Bench.Plan plan, Consumer<Figure> figures) throws IOException {
        for (int size : plan.ranks()) {
            try (Subject subject = Subject.start(command(), plan.directory(), size);
                    CoreTime core = new CoreTime(subject, size, plan.runs(), figures)) {
                core.measure();
            }
        }
    }

    private static void shared(Bench.Plan plan, int size, Consumer<Figure> figures) throws IOException {
        Path directory = plan.directory();
        try (Subject subject = Subject.start(command(), directory, size)) {
            Measure measure = new Measure(subject.uri(), size, plan.runs());
            Floor floor = Floor.measure(directory);
            for (int count : plan.streams()) {
                figures.accept(measure.fanOut(count, floor));
            }
        }
    }

    private static void measure(Measure measure, Floor floor, Consumer<Figure> figures) throws IOException {
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

    private static void print(Console console, boolean json, List<Figure> figures) {
        if (json) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            figures.forEach(figure -> array.add(toJson(figure)));
            console.json(array.toString());
        } else {
            int width = figures.stream()
                    .mapToInt(figure -> figure.what().length())
                    .max()
                    .orElse(0);
            String columns = "%-" + width + "s %9s %14s %14s %10s %7s";
            console.println(String.format(Locale.ROOT, columns, "WHAT", "RANKS", "MEDIAN", "P99", "FLOOR", "RATIO"));
            figures.forEach(figure -> console.println(line(columns, figure)));
        }
    }

    private static ObjectNode toJson(Figure figure) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("what", figure.what()).put("ranks", figure.ranks()).put("unit", figure.unit());
        json.put("median", figure.value()).put("p99", figure.high());
        return figure.hasFloor()
                ? json.put("floor", figure.floor()).put("ratio", figure.ratio())
                : json.putNull("floor").putNull("ratio");
    }

    private static String line(String columns, Figure figure) {
        String value = String.format(Locale.ROOT, "%.3f %s", figure.value(), figure.unit());
        String high = String.format(Locale.ROOT, "%.3f %s", figure.high(), figure.unit());
        return String.format(
                        Locale.ROOT,
                        columns,
                        figure.what(),
                        figure.ranks() == 0 ? "" : figure.ranks(),
                        value,
                        high,
                        figure.hasFloor() ? String.format(Locale.ROOT, "%.3f", figure.floor()) : "",
                        figure.hasFloor() ? String.format(Locale.ROOT, "%.2f", figure.ratio()) : "")
                .stripTrailing();
    }
}
