package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.Config;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;

/** Checks before a change that protect a user from a command line with another meaning than the user intends. */
final class Precautions {
    private static final double PERCENT = 100;

    private Precautions() {}

    /**
     * Refuses a reason whose words are all targets: {@code drain n1 n2 n3} would drain n1 only. The daemon is asked for its
     * hosts only if the words look like targets, so that the usual reason costs nothing: each word has a digit, as ranks and
     * nearly all hosts have, or the targets have none either.
     *
     * @param verb as it is typed
     */
    static void checkReason(FluxClient client, String verb, String targets, String... words) throws IOException {
        if (words.length == 0 || !lookLikeTargets(targets, words)) {
            return;
        }
        ResourceSet resources = Overview.ask(client).resources();
        for (String word : words) {
            if (count(resources, word) == 0) {
                return;
            }
        }
        String reason = String.join(" ", words);
        String all = targets + "," + String.join(",", words);
        if (count(resources, all) == 0) { // ranks and hosts cannot stand in one list
            all = ranks(resources, targets, words).toString();
        }
        throw new Failure(
                Exit.USAGE,
                reason + (words.length == 1 ? " is a target, not a reason" : " are targets, not a reason"),
                "nothing was changed; for all of them: `muster " + verb + " " + all
                        + " REASON`; if it is the reason: `muster " + verb + " " + targets + " -- " + reason + "`");
    }

    private static Idset ranks(ResourceSet resources, String targets, String... words) {
        Idset ranks = TargetNames.find(resources, targets);
        for (String word : words) {
            ranks = ranks.union(TargetNames.find(resources, word));
        }
        return ranks;
    }

    private static boolean lookLikeTargets(String targets, String... words) {
        for (String word : String.join(" ", words).strip().split("\\s+", -1)) {
            boolean likely = hasDigit(word) || word.startsWith("@") || !hasDigit(targets);
            if (!likely) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasDigit(String text) {
        return text.chars().anyMatch(c -> c >= '0' && c <= '9');
    }

    /** Returns the number of ranks that the text selects; 0 if it is no list of targets, or one of them does not exist. */
    private static int count(ResourceSet resources, String text) {
        try {
            return TargetExpression.find(resources, text).size();
        } catch (MalformedException | TargetException e) {
            return 0;
        }
    }

    /** Returns the ranks that a change selects; a change may also name hosts that have left R. */
    private static Idset among(ResourceSet resources, String targets) {
        try {
            return TargetExpression.among(resources, targets);
        } catch (MalformedException | TargetException e) {
            return Idset.EMPTY; // the server refuses the change, or it concerns only hosts that have left
        }
    }

    /**
     * Asks on a terminal whether a change of many hosts is meant: of more than one, and of more than the share that the
     * server's configuration sets. A script is never asked.
     *
     * @param targets targets as they are sent; "" for a change that has none
     */
    static void confirm(Console console, FluxClient client, String targets) throws IOException {
        if (targets.isEmpty() || !console.terminal().canAsk()) {
            return;
        }
        ResourceSet resources = Overview.ask(client).resources();
        Idset chosen = among(resources, targets);
        if (chosen.size() <= 1 || chosen.size() <= share(client) * resources.nodes()) {
            return;
        }
        String answer = console.ask("This changes " + chosen.size() + " of " + resources.nodes() + " hosts ("
                + Math.round(PERCENT * chosen.size() / resources.nodes()) + " %): "
                + resources.hostsOf(chosen).abridged() + ". Continue? [y/N]");
        if (!answer.equalsIgnoreCase("y") && !answer.equalsIgnoreCase("yes")) {
            throw new Failure(Exit.ERROR, "not confirmed", "nothing was changed");
        }
    }

    private static double share(FluxClient client) throws IOException {
        try {
            JsonNode muster = client.rpc("config.get", null).path("muster");
            return muster.path("confirm-share").asDouble(Config.CONFIRM_SHARE);
        } catch (RpcException e) {
            return Config.CONFIRM_SHARE;
        }
    }
}
