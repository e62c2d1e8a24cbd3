package io.muster.cli.past;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Zone;

/** Describes since when an answer about the past is complete. */
final class Completeness {
    private Completeness() {}

    static String sentence(JsonNode answer, Zone zone) {
        String since = zone.second(StateDocument.time(answer.path("complete_since")));
        return answer.path("complete").asBoolean()
                ? "complete since " + since
                : "incomplete before " + since + ": " + answer.path("damage").asText("no earlier event is known");
    }
}
