package io.muster.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/**
 * Draws the output of {@code muster bench --json --streams ...}: change latency against ranks and against schedulers.
 *
 * <p>Arguments: the JSON file, and the directory for {@code latency-ranks.svg} and {@code latency-streams.svg}.
 */
public final class Plots {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 400;

    private Plots() {}

    public static void main(String[] arguments) throws IOException {
        JsonNode figures = new JsonMapper().readTree(Path.of(arguments[0]).toFile());
        Path directory = Path.of(arguments[1]);
        Series ranks = new Series();
        Series streams = new Series();
        for (JsonNode figure : figures) {
            String what = figure.path("what").asText();
            if (what.equals("drain sent -> scheduler told")) {
                ranks.add(figure.path("ranks").asInt(), figure);
            } else if (what.startsWith("drain sent -> all ")) {
                streams.add(Integer.parseInt(what.replaceAll("\\D", "")), figure);
            }
        }
        write(chart("A drain until the scheduler has it", "ranks", ranks), directory.resolve("latency-ranks"));
        write(
                chart("A drain until all schedulers have it", "schedulers", streams),
                directory.resolve("latency-streams"));
    }

    private static XYChart chart(String title, String axis, Series series) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(axis)
                .yAxisTitle("milliseconds")
                .build();
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.addSeries("99th percentile", series.at, series.high);
        chart.addSeries("median", series.at, series.median);
        chart.addSeries("fdatasync + socket", series.at, series.floor);
        return chart;
    }

    private static void write(XYChart chart, Path file) throws IOException {
        ChartEncoder.saveChart(chart, file.toString(), "svg");
    }

    private static final class Series {
        final List<Double> at = new ArrayList<>();
        final List<Double> median = new ArrayList<>();
        final List<Double> high = new ArrayList<>();
        final List<Double> floor = new ArrayList<>();

        void add(int x, JsonNode figure) {
            at.add((double) x);
            median.add(figure.path("median").asDouble());
            high.add(figure.path("p99").asDouble());
            floor.add(figure.path("floor").asDouble());
        }
    }
}
