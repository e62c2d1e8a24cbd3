package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.status.HostState;
import io.muster.inventory.status.StateGroup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** A group of hosts in a document, for a table. */
public record StateRow(JsonNode json) {
    /** Rows of hosts that are not out, then the others, the newest first; those of which no time is known are last. */
    public static final Comparator<StateRow> NEWEST =
            Comparator.comparing(StateRow::isOut).thenComparing(row -> -row.since());

    /** Rows in the order of R. */
    public static final Comparator<StateRow> BY_HOST =
            Comparator.comparing(row -> Idset.parse(row.text("ranks")).first());

    /** A row of a state without hosts. */
    public static StateRow empty(String state) {
        return new StateRow(JsonNodeFactory.instance
                .objectNode()
                .put("state", state)
                .put("ranks", "")
                .put("hosts", "")
                .put("rlist", ""));
    }

    public String state() {
        return text("state");
    }

    /** Returns the state, followed by offline or unknown if the hosts are that besides. */
    public String word() {
        return StateGroup.word(json);
    }

    public boolean up() {
        return json.path("up").asBoolean();
    }

    public boolean online() {
        return json.path("online").asBoolean();
    }

    public int nnodes() {
        return json.path("nnodes").asInt();
    }

    public String reason() {
        return text("reason");
    }

    /**
     * Returns the reasons of the holds in the order of {@link #holders}, for a row that names these elsewhere.
     *
     * @param tickets whether each reason has the ticket before it
     */
    public String reasons(boolean tickets) {
        List<String> reasons = new ArrayList<>();
        json.path("holds").forEach(hold -> {
            String ticket = tickets ? hold.path("ticket").asText("") : "";
            reasons.add((ticket + " " + hold.path("reason").asText("")).strip());
        });
        return reasons.isEmpty() ? reason() : String.join("; ", reasons);
    }

    /** Returns whether the hosts cannot take a new job for a reason that somebody should know. */
    public boolean isOut() {
        return !state().equals(HostState.AVAILABLE.word()) && !state().equals(HostState.ALLOCATED.word());
    }

    public String hosts() {
        return text("hosts");
    }

    public double since() {
        return StateDocument.time(json.path("since"));
    }

    public String holders() {
        return String.join(",", json.path("holds").findValuesAsText("holder"));
    }

    /** Returns the different words that the holds have for a key. */
    public String words(String key) {
        return String.join(",", new TreeSet<>(json.path("holds").findValuesAsText(key)));
    }

    /** Returns the users that drained or excluded the hosts, as far as they are known. */
    public String by() {
        TreeSet<String> users = new TreeSet<>();
        json.path("holds").forEach(hold -> users.add(author(hold)));
        users.add(author(json));
        users.remove("");
        return String.join(",", users);
    }

    private static String author(JsonNode of) {
        String speaker = of.path("by").path("speaker").path("user").asText();
        return of.path("by").path("user").asText() + (speaker.isEmpty() ? "" : " through " + speaker);
    }

    /** Returns when the last of the holds expires; 0 if one of them never does. */
    public double until() {
        double until = 0;
        for (JsonNode hold : json.path("holds")) {
            double end = StateDocument.time(hold.path("until"));
            if (end == 0) {
                return 0;
            }
            until = Math.max(until, end);
        }
        return until;
    }

    public List<String> names(String key) {
        List<String> names = new ArrayList<>();
        json.path(key).forEach(name -> names.add(name.asText()));
        return names;
    }

    public String text(String key) {
        return json.path(key).asText();
    }
}
