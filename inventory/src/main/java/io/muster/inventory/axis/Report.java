package io.muster.inventory.axis;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import org.jspecify.annotations.Nullable;

/**
 * The ranks that one reporter reports as online or offline.
 *
 * @param reporter the name under which the reporter registered; unique in the inventory
 * @param by the user that registered the reporter
 * @param since when the reporter registered, in seconds since the epoch
 * @param lapsed when the reporter was lost, so that the liveness of the ranks is unknown since then; 0 while it is connected
 * @param extras members that another version wrote and this version does not know
 */
public record Report(String reporter, Idset ranks, Principal by, double since, double lapsed, Extras extras) {
    private static final int LONGEST_REPORTER = 128;

    /** Returns what is wrong with the name of a reporter, or null. */
    public static @Nullable String reporterFault(String reporter) {
        return Hold.wordFault("reporter", reporter, LONGEST_REPORTER);
    }

    public boolean isLapsed() {
        return lapsed > 0;
    }

    Report with(Idset others) {
        return new Report(reporter, others, by, since, lapsed, extras);
    }

    Report lapse(double time) {
        return isLapsed() ? this : new Report(reporter, ranks, by, since, time, extras);
    }
}
