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

    /**
     * @param since the beginning of the period that was asked for; 0 for all that is known
     * @param end the end of the period, at most the present time
     */
    public ObjectNode toJson(double since, double end) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("known_since", coverage.first() == 0 ? null : Times.rfc3339(coverage.first()));
        json.setAll(coverageJson(since));
        ArrayNode all = json.putArray("intervals");
        for (Map.Entry<Outage, List<String>> entry : intervals) {
            String hosts = Hostlist.of(entry.getValue()).sort().toString();
            all.add(entry.getKey().toJson(end).put("hosts", hosts));
        }
        return json;
    }

    /** @param since the beginning of the period that was asked for; 0 for all that is known */
    public ObjectNode coverageJson(double since) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("complete_since", coverage.since() == 0 ? null : Times.rfc3339(coverage.since()));
        return json.put("complete", coverage.isComplete(since));
    }
}
