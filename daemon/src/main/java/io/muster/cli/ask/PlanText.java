package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Formats planned holds as sentences. */
public final class PlanText {
    private PlanText() {}

    /** Returns the table of the planned holds of a document. */
    static Table table(StateDocument document, Zone zone) {
        Table table = new Table(
                Column.left("from", "FROM"),
                Column.left("in", "IN"),
                Column.left("until", "UNTIL"),
                Column.left("holder", "HOLDER"),
                Column.left("by", "BY"),
                Column.left("class", "CLASS"),
                Column.left("ticket", "TICKET"),
                Column.reason(),
                Column.hosts("nodelist", "NODELIST"));
        for (JsonNode plan : document.json().path("planned")) {
            double from = StateDocument.time(plan.path("from"));
            double until = StateDocument.time(plan.path("until"));
            table.row(
                    zone.second(from),
                    Times.span(from - document.now()),
                    until == 0 ? "" : zone.second(until),
                    plan.path("holder").asText(),
                    plan.path("by").path("user").asText(),
                    plan.path("class").asText(),
                    plan.path("ticket").asText(),
                    plan.path("reason").asText(""),
                    plan.path("hosts").asText());
        }
        return table;
    }

    /** Returns what follows from a planned hold: {@code will be drained in 3d for 12h: OPS-881 new cooling (ops)}. */
    static String sentence(JsonNode plan, double now) {
        double from = StateDocument.time(plan.path("from"));
        double until = StateDocument.time(plan.path("until"));
        String when = from <= now ? "is about to be drained" : "will be drained in " + Times.span(from - now);
        String why = (plan.path("ticket").asText("") + " " + plan.path("reason").asText("")).strip();
        return when
                + (until == 0 ? "" : " for " + Times.span(until - from))
                + (why.isEmpty() ? "" : ": " + why)
                + (" (" + plan.path("holder").asText() + ")");
    }

    /** Returns how many hosts wait for each check and each action. */
    public static List<String> waiting(List<StateRow> groups) {
        Map<String, Integer> hosts = new TreeMap<>();
        for (StateRow group : groups) {
            for (String key : List.of("action", "check")) {
                for (String name : new TreeSet<>(group.json().path("holds").findValuesAsText(key))) {
                    hosts.merge((key.equals("check") ? "the check " : "") + name, group.nnodes(), Integer::sum);
                }
            }
        }
        List<String> all = new ArrayList<>();
        hosts.forEach((what, count) ->
                all.add(Text.count(count, "host") + (count == 1 ? " waits for " : " wait for ") + what));
        return all;
    }

    /** Returns sentences about the first planned holds, with their hosts, and how many more there are. */
    public static List<String> sentences(JsonNode plans, double now, int most) {
        List<String> all = new ArrayList<>();
        for (JsonNode plan : plans) {
            if (all.size() == most) {
                all.add("and " + (plans.size() - most) + " more planned holds: `muster drain --planned` lists them");
                break;
            }
            all.add(Hostlist.parse(plan.path("hosts").asText()).abridged() + " " + sentence(plan, now));
        }
        return all;
    }
}
