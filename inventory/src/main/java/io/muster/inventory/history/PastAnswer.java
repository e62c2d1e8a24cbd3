package io.muster.inventory.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The answer to a question about the past.
 *
 * @param intervals by the time of their beginning, each with its hosts
 */
public record PastAnswer(List<Map.Entry<Outage, List<String>>> intervals, Coverage coverage) {
    /** @param intervals in any order */
    public static PastAnswer of(Map<Outage, List<String>> intervals, Coverage coverage) {
        List<Map.Entry<Outage, List<String>>> sorted = new ArrayList<>(intervals.entrySet());
        sorted.sort(Comparator.comparingDouble(entry -> entry.getKey().from()));
        return new PastAnswer(sorted, coverage);
    }

    /** @param since the beginning of the period that was asked for; 0 for all that is known */
    public ObjectNode toJson(double since) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("known_since", coverage.first() == 0 ? null : Times.rfc3339(coverage.first()));
        json.setAll(coverage.toJson(since));
        ArrayNode all = json.putArray("intervals");
        for (Map.Entry<Outage, List<String>> entry : intervals) {
            String hosts = Hostlist.of(entry.getValue()).sort().toString();
            all.add(entry.getKey().toJson().put("hosts", hosts));
        }
        return json;
    }

    /**
     * Returns how long hosts were not available in a period.
     *
     * @param kinds the states that count
     * @param now the present time
     */
    public ObjectNode totals(Totals.By by, Set<Outage.Kind> kinds, Period period, double now) {
        double since = Math.max(period.since(), coverage.first());
        Totals totals = new Totals(by, new Period(since, Math.min(period.until(), now)));
        intervals.stream()
                .filter(each -> kinds.contains(each.getKey().kind()))
                .forEach(each -> totals.add(each.getKey(), each.getValue()));
        return coverage.toJson(period.since()).setAll(totals.toJson());
    }
}
