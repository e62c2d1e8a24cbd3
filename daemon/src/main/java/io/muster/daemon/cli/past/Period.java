package io.muster.daemon.cli.past;

import io.muster.daemon.cli.console.When;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose a period of time. */
public final class Period {
    @Option(
            names = {"-S", "--since"},
            paramLabel = "TIME",
            description = "From then on: 30m, 4h, 2d ago, or a time. Default: all that is known.")
    private @Nullable String since;

    @Option(
            names = {"-U", "--until"},
            paramLabel = "TIME",
            description = "Up to then. Default: now.")
    private @Nullable String until;

    /** A period; both times are in seconds since the epoch. */
    record Span(double since, double until) {
        /** The intervals that overlap this period. */
        List<Map.Entry<Interval, List<String>>> keep(List<Map.Entry<Interval, List<String>>> intervals) {
            List<Map.Entry<Interval, List<String>>> kept = new ArrayList<>();
            for (Map.Entry<Interval, List<String>> entry : intervals) {
                Interval interval = entry.getKey();
                if (interval.from() <= until && (interval.isOpen() || interval.to() >= since)) {
                    kept.add(entry);
                }
            }
            return kept;
        }
    }

    Span span(double now) {
        return new Span(since == null ? 0 : When.past(since, now), until == null ? now : When.past(until, now));
    }
}
