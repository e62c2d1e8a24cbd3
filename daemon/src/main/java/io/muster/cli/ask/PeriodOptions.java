package io.muster.cli.ask;

import io.muster.cli.terminal.When;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose a period of time. */
public final class PeriodOptions {
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
    public record Span(double since, double until) {
        /** The intervals that overlap this period. */
        public List<Map.Entry<Outage, List<String>>> keep(List<Map.Entry<Outage, List<String>>> intervals) {
            List<Map.Entry<Outage, List<String>>> kept = new ArrayList<>();
            for (Map.Entry<Outage, List<String>> entry : intervals) {
                Outage interval = entry.getKey();
                if (interval.from() <= until && (interval.isOpen() || interval.to() >= since)) {
                    kept.add(entry);
                }
            }
            return kept;
        }
    }

    public Span span(double now) {
        return new Span(since == null ? 0 : When.past(since, now), until == null ? now : When.past(until, now));
    }
}
