package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Text;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The inventory in one screen, which {@code muster summary} prints.
 */
public record Summary(StateDocument document, int most) {
    /** The number of rows of each kind if there is no terminal; otherwise the height of the terminal determines it. */
    private static final int ROWS = 10;

    /** The lines of a screen besides the rows of the tables: the first lines, headers, empty lines, a note and a prompt. */
    private static final int OTHER_LINES = 12;

    /** The kinds of rows: queues, properties, and new, oldest and ending troubles. */
    private static final int KINDS = 5;

    public static Summary ask(FluxClient client, ObjectNode question, Console console) throws IOException {
        int height = console.terminal().height();
        int most = height == 0 ? ROWS : Math.max(2, (height - OTHER_LINES) / KINDS);
        return new Summary(StateDocument.ask(client, StateDocument.SUMMARY, question.put("limit", most)), most);
    }

    public void print(Console console, Zone zone) {
        Map<String, String> lines = new LinkedHashMap<>();
        JsonNode all = json().path("all");
        lines.put(
                "up",
                share(all, "nnodes", "host") + ", " + share(all, "ncores", "core") + ", " + share(all, "ngpus", "GPU"));
        List<String> states = new ArrayList<>();
        json().path("states")
                .properties()
                .forEach(
                        state -> states.add(StateDocument.count(state.getValue().asLong()) + " " + state.getKey()));
        lines.put("states", String.join(", ", states));
        lines.put("R", document.lifetime(zone));
        lines.put("scheduler", schedulers(zone));
        lines.put("disk", disk());
        lines.put(
                "clock",
                json().path("clock").isNull() ? "" : json().path("clock").asText());
        lines.values().removeIf(String::isEmpty);
        lines.forEach((label, text) -> console.println(String.format(Locale.ROOT, "%-9s  %s", label, text)));
        for (Table table : List.of(parts(), troubles(console.style().width()))) {
            if (!table.rows().isEmpty()) {
                console.print("\n" + table.render(true, console.style()));
            }
        }
    }

    private ObjectNode json() {
        return document.json();
    }

    private static String count(JsonNode of, String key) {
        return StateDocument.count(of.path(key).asLong());
    }

    private static String share(JsonNode of, String key, String noun) {
        return count(of, key + "_up") + " of " + Text.count(of.path(key).asLong(), noun);
    }

    private String schedulers(Zone zone) {
        List<String> all = new ArrayList<>();
        for (JsonNode scheduler : json().path("schedulers")) {
            String name = scheduler.path("name").asText();
            double since = StateDocument.time(scheduler.path("since"));
            boolean behind = scheduler.path("unsent_nnodes").asInt() > 0
                    || scheduler.path("behind").asBoolean();
            int unknown = Hostlist.parse(scheduler.path("unknown").asText()).size();
            all.add(
                    !scheduler.path("connected").asBoolean()
                            ? name + ", not connected: the acquisition is kept until "
                                    + zone.second(StateDocument.time(scheduler.path("until")))
                            : name + ", connected since " + zone.second(since) + " ("
                                    + Times.age(since, document.now()) + "), "
                                    + (behind
                                            ? "behind: has not read the changes of "
                                                    + Text.count(
                                                            scheduler
                                                                    .path("unsent_nnodes")
                                                                    .asLong(),
                                                            "host")
                                            : "has every change")
                                    + (unknown == 0
                                            ? ""
                                            : ", does not know " + Text.count(unknown, "host")
                                                    + " until it acquires again"));
        }
        boolean known = !json().path("schedulers").isNull();
        return all.isEmpty() && known ? "none is connected" : String.join("; ", all);
    }

    private String disk() {
        long kept = json().path("journal_bytes").asLong();
        JsonNode fault = json().path("fault");
        return (fault.isNull() ? "accepts changes" : "the daemon takes no changes: " + fault.asText())
                + (kept == 0 ? "" : "; the journal has " + StateDocument.count(kept >> 10) + " KiB");
    }

    private Table parts() {
        Table table = new Table(
                Column.left("kind", ""),
                Column.flexible("name", "NAME"),
                Column.right("up", "UP"),
                Column.right("hosts", "OF HOSTS"),
                Column.right("coresup", "UP"),
                Column.right("cores", "OF CORES"),
                Column.right("gpusup", "UP"),
                Column.right("gpus", "OF GPUS"));
        rows(table, "queue", rows("queues"));
        rows(table, "property", rows("properties"));
        return table;
    }

    private List<JsonNode> rows(String key) {
        List<JsonNode> rows = new ArrayList<>();
        json().path(key).forEach(rows::add);
        return rows;
    }

    /** Adds a row for each of the parts with the most hosts down. */
    private void rows(Table table, String kind, List<JsonNode> parts) {
        Comparator<JsonNode> down = Comparator.comparing(
                part -> part.path("nnodes_up").asInt() - part.path("nnodes").asInt());
        List<JsonNode> shown = parts.stream().sorted(down).limit(most).toList();
        for (int i = 0; i < shown.size(); i++) {
            JsonNode part = shown.get(i);
            table.row(
                    label(i, kind, parts.size(), parts.size() > most),
                    part.path("name").asText(),
                    count(part, "nnodes_up"),
                    count(part, "nnodes"),
                    count(part, "ncores_up"),
                    count(part, "ncores"),
                    count(part, "ngpus_up"),
                    count(part, "ngpus"));
        }
    }

    /** Returns the first cell of a row: the kind in the first row, and in the second row the number of all rows if some are left out. */
    private static String label(int row, String kind, int all, boolean cut) {
        return row == 0 ? kind : row == 1 && cut ? "of " + StateDocument.count(all) : "";
    }

    private Table troubles(int width) {
        List<Column> columns = List.of(
                Column.left("kind", ""),
                Column.right("since", "SINCE"),
                Column.left("state", "STATE"),
                Column.right("nnodes", "NNODES"),
                Column.left("until", "UNTIL").optional(true),
                Column.left("holder", "HOLDER").optional(true),
                Column.reason(),
                Column.hosts("nodelist", "NODELIST"));
        return Table.fitting(columns, width, this::troubles);
    }

    private Table troubles(List<Column> columns) {
        Table table = new Table(columns);
        String recent = "new in " + Times.span(document.now() - document.time("since"));
        troubles(table, recent, "new");
        troubles(table, "oldest", "oldest");
        troubles(table, "ending", "ending");
        List<JsonNode> plans = rows("planned");
        for (int i = 0; i < Math.min(plans.size(), most); i++) {
            table.row(planned(plans.get(i), label(i, "planned", plans.size(), plans.size() > most)));
        }
        return table;
    }

    private Map<String, String> planned(JsonNode plan, String label) {
        double from = StateDocument.time(plan.path("from"));
        double until = StateDocument.time(plan.path("until"));
        return Map.of(
                "kind",
                label,
                "since",
                "in " + Times.span(from - document.now()),
                "state",
                "planned",
                "nnodes",
                count(plan, "nnodes"),
                "until",
                until == 0 ? "" : "in " + Times.span(until - document.now()),
                "holder",
                plan.path("holder").asText(),
                "reason",
                (plan.path("ticket").asText("") + " " + plan.path("reason").asText("")).strip(),
                "nodelist",
                plan.path("hosts").asText());
    }

    private void troubles(Table table, String kind, String key) {
        double now = document.now();
        List<JsonNode> all = rows(key);
        int total = json().path(key + "_total").asInt();
        for (int i = 0; i < all.size(); i++) {
            JsonNode trouble = all.get(i);
            double until = StateDocument.time(trouble.path("until"));
            Map<String, String> cells = Map.of(
                    "kind", label(i, kind, total, all.size() == most && total > most),
                    "since", Times.age(StateDocument.time(trouble.path("since")), now),
                    "state", trouble.path("state").asText(),
                    "nnodes", count(trouble, "nnodes"),
                    "until", until == 0 ? "" : "in " + Times.span(until - now),
                    "holder", trouble.path("holder").asText(),
                    "reason", trouble.path("reason").asText(),
                    "nodelist", trouble.path("hosts").asText());
            table.row(cells);
        }
    }
}
