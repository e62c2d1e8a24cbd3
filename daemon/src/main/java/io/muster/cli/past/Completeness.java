package io.muster.cli.past;

import io.muster.cli.terminal.Zone;
import io.muster.inventory.history.Coverage;

/** Describes since when an answer about the past is complete. */
final class Completeness {
    private Completeness() {}

    /** @param from the beginning of the requested period; 0 for all that is known */
    static String sentence(Coverage coverage, double from, Zone zone) {
        String since = "complete since " + zone.second(coverage.since());
        if (coverage.isComplete(from)) {
            return since;
        }
        String why = coverage.damage().isEmpty()
                ? "the events before that are not known"
                : "events before that are missing: " + coverage.damage();
        return "incomplete: " + since + " only; " + why;
    }
}
