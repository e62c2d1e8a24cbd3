package io.muster.cli.past;

import io.muster.cli.terminal.Zone;
import io.muster.inventory.history.Coverage;

/** Describes since when an answer about the past is complete. */
final class Completeness {
    private Completeness() {}

    /** @param from the beginning of the requested period; 0 for all that is known */
    static String sentence(Coverage coverage, double from, Zone zone) {
        String since = zone.second(coverage.since());
        if (coverage.isComplete(from)) {
            return "complete since " + since;
        }
        String why = coverage.damage().isEmpty() ? "no earlier event is known" : coverage.damage();
        return "incomplete before " + since + ": " + why;
    }
}
