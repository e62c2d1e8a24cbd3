package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Asks for the attempts on a host, so that a report names the attempt that it is about. */
final class Attempts {
    private Attempts() {}

    /** Returns the attempts on a host that match, as {@code muster work list --json} shows them. */
    static List<JsonNode> on(FluxClient client, String host, Predicate<JsonNode> wanted) throws IOException {
        ObjectNode question = JsonNodeFactory.instance.objectNode().put("targets", host);
        List<JsonNode> found = new ArrayList<>();
        StateDocument.ask(client, StateDocument.WORK, question)
                .json()
                .path("attempts")
                .forEach(attempt -> {
                    if (wanted.test(attempt)) {
                        found.add(attempt);
                    }
                });
        return found;
    }

    /** Returns whether an attempt is ended by a check. */
    static Predicate<JsonNode> of(String check) {
        return attempt -> attempt.path("check").asText().equals(check);
    }

    /**
     * Returns the number of an attempt that the user gave, or that of the only attempt that matches.
     *
     * @param given null if the user gave none
     * @param what what waits, such as "the check nhc"
     */
    static long number(@Nullable Long given, FluxClient client, String host, String what, Predicate<JsonNode> wanted)
            throws IOException {
        if (given != null && given < 1) {
            throw new Failure(Exit.USAGE, "--attempt: attempts are numbered from 1", "`muster work list` shows them");
        }
        return given == null ? only(client, host, what, wanted) : given;
    }

    private static long only(FluxClient client, String host, String what, Predicate<JsonNode> wanted)
            throws IOException {
        List<JsonNode> found = on(client, host, wanted);
        if (found.isEmpty()) {
            throw new Failure(Exit.CONFLICT, "no hold on " + host + " waits for " + what, "nothing was changed");
        }
        if (found.size() > 1) {
            List<String> numbers = new ArrayList<>();
            found.forEach(each -> numbers.add(
                    each.path("attempt") + " (hold " + each.path("holder").asText() + ")"));
            throw new Failure(
                    Exit.USAGE,
                    found.size() + " holds on " + host + " wait for " + what + ": name one with --attempt",
                    "the attempts are " + String.join(", ", numbers));
        }
        return found.get(0).path("attempt").asLong();
    }
}
