package io.muster.cli.ask;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.When;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.history.Period;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that choose a period of time, and the zone of its times. */
public final class PeriodOptions {
    /** The number of seconds by which the clock of the daemon may be ahead. */
    private static final double CLOCKS_DIFFER = 3600;

    @Option(
            names = {"-S", "--since"},
            paramLabel = "TIME",
            description =
                    "The beginning of the period. 4h means 4 hours ago, and \"tue 16:00\" the last Tuesday at that"
                            + " time. Forms: " + When.FORMS + ". Default: the first known event.")
    private @Nullable String since;

    @Option(
            names = {"-U", "--until"},
            paramLabel = "TIME",
            description =
                    "The end of the period, in the same forms. 4h means 4 hours ago, and a day means its beginning."
                            + " Default: now.")
    private @Nullable String until;

    @Mixin
    private final ZoneOption zone = new ZoneOption();

    public Zone zone(Console console) {
        return zone.zone(console);
    }

    /** Returns the period. Without {@code --until} it has no end, because the clock of the daemon may be ahead of this one. */
    public Period period(Console console) {
        Period period = new Period(
                since == null ? 0 : zone.past(since, console),
                until == null ? Double.MAX_VALUE : zone.past(until, console));
        if (period.until() <= period.since()) {
            Zone shown = zone(console);
            throw new Failure(
                    Exit.USAGE,
                    "the period " + (period.until() < period.since() ? "ends before it begins" : "has no length")
                            + ": --until is " + shown.second(period.until()) + ", and --since is "
                            + shown.second(period.since()) + ": give an end that is later");
        }
        if (period.since() > console.now() + CLOCKS_DIFFER) {
            throw new Failure(
                    Exit.USAGE,
                    "--since: " + since + " is in the future",
                    "give the beginning of a time that has passed");
        }
        return period;
    }
}
