package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.HoldSettings;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Asks for the attempts on a host, so that a report names the attempt that it is about. */
final class Attempts {
    /** The words that the daemon reads as several hosts. */
    private static final Pattern GROUP = Pattern.compile("[\\[,@]|^all$");

    private Attempts() {}

    /**
     * Returns the attempts on a host, as {@code muster work list --json} shows them.
     *
     * @param check the check that ends their holds; "" for those that ask for an action
     * @throws Failure if the check is not configured, and no hold waits for it
     */
    static List<JsonNode> on(FluxClient client, String host, String check) throws IOException {
        requireOne(host);
        ObjectNode question = JsonNodeFactory.instance.objectNode().put("targets", host);
        ObjectNode work =
                StateDocument.ask(client, StateDocument.WORK, question).json();
        List<JsonNode> found = new ArrayList<>();
        for (JsonNode each : work.path("attempts")) {
            if (check.isEmpty()
                    ? !each.path("action").isNull()
                    : each.path("check").asText().equals(check)) {
                found.add(each);
            }
        }
        List<String> checks = new ArrayList<>();
        work.path("checks").forEach(each -> checks.add(each.asText()));
        String fault = found.isEmpty() ? HoldSettings.checkFault(check, checks) : null;
        if (fault != null) {
            throw new Failure(Exit.USAGE, fault);
        }
        return found;
    }

    private static void requireOne(String host) {
        if (host.isEmpty() || GROUP.matcher(host).find()) {
            String fault = host.isEmpty() ? " names no host" : " may be several hosts";
            throw new Failure(Exit.USAGE, "\"" + host + "\"" + fault, "name one host");
        }
    }

    /**
     * Returns the number of an attempt that the user gave, or that of the only attempt.
     *
     * @param given null if the user gave none
     * @param check as for {@link #on}
     */
    static long number(@Nullable Long given, FluxClient client, String host, String check) throws IOException {
        if (given != null && given < 1) {
            throw new Failure(Exit.USAGE, "--attempt: attempts are numbered from 1", "`muster work list` shows them");
        }
        requireOne(host);
        return given == null ? only(client, host, check) : given;
    }

    private static long only(FluxClient client, String host, String check) throws IOException {
        List<JsonNode> found = on(client, host, check);
        String what = check.isEmpty() ? "an action" : "the check " + check;
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
