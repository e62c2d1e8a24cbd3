package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

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
                Column.left("action", "ACTION"),
                Column.left("check", "CHECK"),
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
                    plan.path("action").asText(""),
                    plan.path("check").asText(""),
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

    /**
     * Returns how many hosts wait for each action and each check, and how far the work is: {@code 2 hosts wait for reboot: 1 offered, 1
     * claimed by power (ends in 29m)}. A host waits for its check when the action is done.
     *
     * @param attempts as in the document about work
     */
    public static List<String> waiting(JsonNode attempts, double now) {
        Map<String, Map<String, List<JsonNode>>> waiting = new TreeMap<>();
        for (JsonNode each : attempts) {
            String state = each.path("state").asText();
            boolean checks = state.startsWith("check");
            String what = checks
                    ? "the check " + each.path("check").asText()
                    : each.path("action").asText();
            String who = each.path("by").path("user").asText();
            String how = state.equals("claimed") ? "claimed by " + who : state.replaceFirst("^check-?", "");
            if (!state.equals("done")) {
                waiting.computeIfAbsent(what, any -> new TreeMap<>())
                        .computeIfAbsent(how, any -> new ArrayList<>())
                        .add(each);
            }
        }
        List<String> all = new ArrayList<>();
        waiting.forEach((what, stages) -> {
            List<String> parts = new ArrayList<>();
            Set<String> hosts = new HashSet<>();
            stages.forEach((how, some) -> {
                some.forEach(each -> hosts.add(each.path("host").asText()));
                if (!how.isEmpty()) {
                    parts.add((stages.size() == 1 ? "" : some.size() + " ") + how + ending(some, now));
                }
            });
            all.add(Text.count(hosts.size(), "host")
                    + (hosts.size() == 1 ? " waits for " : " wait for ")
                    + what
                    + (parts.isEmpty() ? "" : ": " + String.join(", ", parts)));
        });
        return all;
    }

    /** Returns when the first of some claims ends; "" for attempts that are no claims. */
    private static String ending(List<JsonNode> attempts, double now) {
        double end = attempts.stream()
                .mapToDouble(each -> StateDocument.time(each.path("until")))
                .min()
                .orElse(0);
        return end == 0
                ? ""
                : (attempts.size() == 1 ? " (ends in " : " (the first ends in ") + Times.span(end - now) + ")";
    }

    /** Returns sentences about the first planned holds, with their hosts, and how many more there are. */
    public static List<String> sentences(JsonNode plans, double now, int most) {
        List<String> all = new ArrayList<>();
        for (JsonNode plan : plans) {
            if (all.size() == most) {
                all.add("and " + Text.count(plans.size() - most, "more planned hold")
                        + ": `muster drain --planned` lists all");
                break;
            }
            all.add(Hostlist.parse(plan.path("hosts").asText()).abridged() + " " + sentence(plan, now));
        }
        return all;
    }
}
