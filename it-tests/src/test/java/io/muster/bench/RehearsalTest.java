package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.it.harness.Jars;
import io.muster.it.harness.Tool;
import io.muster.measure.Series;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Checks that all measurements and benchmarks run. The measured values are meaningless, because the runs are far too short. */
@Timeout(900)
@Tag("long")
@Tag("rehearsal")
class RehearsalTest {
    /** Least size of a plot in bytes: axes and labels without data. */
    private static final int PLOT = 10_000;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private Process bench(String... options) throws IOException {
        String jars = Jars.classPath();
        String measurements =
                Series.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        List<String> line = new ArrayList<>(
                List.of(Tool.jdk("java"), "-cp", jars + ":" + measurements, "io.muster.cli.Muster", "bench"));
        line.addAll(List.of(options));
        return new ProcessBuilder(line)
                .redirectOutput(directory.resolve("bench.json").toFile())
                .redirectError(directory.resolve("errors").toFile())
                .start();
    }

    @Test
    void benchMeasuresEveryRowWithItsFloorAndThePlotsAreDrawn() throws Exception {
        Process bench =
                bench("--ranks", "64,128", "--streams", "1,2", "--runs", "50", "--dir", directory.toString(), "--json");
        assertThat(bench.waitFor()).as(directory.toString()).isZero();
        List<String> measured = new ArrayList<>();
        for (JsonNode figure :
                new JsonMapper().readTree(directory.resolve("bench.json").toFile())) {
            assertThat(figure.path("median").asDouble()).as("%s", figure).isPositive();
            assertThat(figure.path("p99").asDouble())
                    .as("%s", figure)
                    .isGreaterThanOrEqualTo(figure.path("median").asDouble());
            if (figure.path("ranks").asInt() > 0) {
                measured.add(
                        figure.path("ranks").asInt() + " " + figure.path("what").asText());
                assertThat(figure.path("floor").asDouble()).as("%s", figure).isPositive();
                assertThat(figure.path("ratio").asDouble()).as("%s", figure).isPositive();
            }
        }
        List<String> expected = new ArrayList<>();
        for (int ranks : List.of(64, 128)) {
            for (String row : List.of(
                    "ready from cold start",
                    "drain sent -> scheduler told",
                    "pipelined drains and undrains",
                    "first acquire response",
                    "resource.status",
                    "feasibility.check",
                    "resident memory, at once",
                    "resident memory, settled",
                    "muster drain",
                    "muster status",
                    "first 100 drains after a start")) {
                expected.add(ranks + " " + row);
            }
        }
        expected.addAll(List.of("64 drain sent -> all 1 told", "64 drain sent -> all 2 told"));
        assertThat(measured).isEqualTo(expected);
        assertThat(directory).isDirectoryNotContaining("glob:**/muster-bench*");

        Plots.main(new String[] {directory.resolve("bench.json").toString(), directory.toString()});
        for (String plot : List.of("latency-ranks.svg", "latency-streams.svg")) {
            assertThat(Files.readString(directory.resolve(plot)))
                    .contains("<svg")
                    .hasSizeGreaterThan(PLOT);
        }
    }

    @Test
    void allWorkOfTheCoreThreadIsMeasured() throws Exception {
        Process bench = bench("--core", "--ranks", "64", "--runs", "2", "--dir", directory.toString(), "--json");
        assertThat(bench.waitFor()).as(directory.toString()).isZero();
        JsonNode figures =
                new JsonMapper().readTree(directory.resolve("bench.json").toFile());
        assertThat(figures).hasSize(31);
        assertThat(figures.findValuesAsText("what"))
                .doesNotHaveDuplicates()
                .contains("resource.reload: one host more or less", "the holds of many requests expire, scattered");
        assertThat(figures)
                .filteredOn(figure -> !figure.path("what").asText().startsWith("scrape"))
                .allSatisfy(
                        figure -> assertThat(figure.path("median").asDouble()).isPositive());
    }

    @ParameterizedTest
    @CsvSource({
        "FeasibilityBenchmark, ranks, 1024",
        "FindBenchmark, ranks, 1024",
        "NoteBenchmark, ranks, 1024",
        "HostlistBenchmark, naming, node",
        "JgfBenchmark, vertices, 10000",
        "IdsetBenchmark, shape, FULL",
        "ResourceSetBenchmark, shape, LIKE",
        "WireBenchmark, none, none",
    })
    void everyBenchmarkRuns(String name, String parameter, String value) throws RunnerException {
        assertThat(new Runner(new OptionsBuilder()
                                .include("io\\.muster\\.bench\\." + name + "\\.")
                                .param(parameter, value)
                                .forks(0)
                                .warmupIterations(0)
                                .measurementIterations(1)
                                .measurementTime(TimeValue.milliseconds(10))
                                .shouldFailOnError(true)
                                .build())
                        .run())
                .isNotEmpty();
    }
}
