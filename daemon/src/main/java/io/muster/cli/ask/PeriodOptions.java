package io.muster.cli.ask;

import io.muster.cli.terminal.When;
import io.muster.inventory.history.Period;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose a period of time. */
public final class PeriodOptions {
    @Option(
            names = {"-S", "--since"},
            paramLabel = "TIME",
            description = "Begin at this time, or this long ago: 30m, 4h, 2d. Default: the first known event.")
    private @Nullable String since;

    @Option(
            names = {"-U", "--until"},
            paramLabel = "TIME",
            description = "End at this time, or this long ago. Default: now.")
    private @Nullable String until;

    /** Returns the period. Without {@code --until} it has no end, because the clock of the daemon may be ahead of this one. */
    public Period period(double now) {
        return new Period(
                since == null ? 0 : When.past(since, now), until == null ? Double.MAX_VALUE : When.past(until, now));
    }
}
