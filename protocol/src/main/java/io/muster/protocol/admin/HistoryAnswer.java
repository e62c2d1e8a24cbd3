package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.json.Fields;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One response to {@code resource.history}: {@code {intervals: [{kind, holder, reason, from, by, to, ended_by, comment, hosts}]}}, where
 * empty texts and unknown times are left out; {@code to} is also left out while the interval lasts. The last response has {@code coverage}
 * too: {@code {first, since, whole, damage, unknown}}.
 *
 * @param intervals in no particular order, each with its hosts
 * @param coverage null in all responses except the last
 */
public record HistoryAnswer(
        List<Map.Entry<Outage, List<String>>> intervals,
        @Nullable Coverage coverage) {
    public Bytes encode() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode rows = json.putArray("intervals");
        intervals.forEach(entry -> rows.add(json(entry.getKey(), entry.getValue())));
        if (coverage != null) {
            ObjectNode known = json.putObject("coverage");
            put(known, "first", coverage.first());
            put(known, "since", coverage.since());
            known.put("whole", coverage.whole());
            put(known, "damage", coverage.damage());
            put(known, "unknown", coverage.unknown().toString());
        }
        return Json.encode(json);
    }

    private static ObjectNode json(Outage outage, List<String> hosts) {
        ObjectNode row = JsonNodeFactory.instance.objectNode();
        row.put("kind", outage.kind().word());
        put(row, "holder", outage.holder());
        put(row, "reason", outage.reason());
        put(row, "from", outage.from());
        put(row, "by", outage.by());
        put(row, "to", outage.to());
        put(row, "ended_by", outage.endedBy());
        put(row, "comment", outage.comment());
        return row.put("hosts", Hostlist.of(hosts).toString());
    }

    private static void put(ObjectNode json, String key, String text) {
        if (!text.isEmpty()) {
            json.put(key, text);
        }
    }

    private static void put(ObjectNode json, String key, double time) {
        if (time > 0) {
            json.set(key, Epoch.number(time));
        }
    }

    /** @throws io.muster.inventory.problem.InvalidException naming the place, if the payload is something else */
    public static HistoryAnswer parse(ObjectNode payload) {
        Fields in = Fields.of(HistoryRequest.TOPIC, payload);
        List<Map.Entry<Outage, List<String>>> intervals = new ArrayList<>();
        for (Fields row : in.list("intervals")) {
            Outage outage = new Outage(
                    row.choice("kind", Outage.Kind.class, Outage.Kind::word),
                    row.textOr("holder", ""),
                    row.textOr("reason", ""),
                    time(row, "from"),
                    row.textOr("by", ""),
                    time(row, "to"),
                    row.textOr("ended_by", ""),
                    row.textOr("comment", ""));
            intervals.add(Map.entry(outage, row.parse("hosts", Hostlist::parse).expand()));
        }
        return new HistoryAnswer(intervals, in.has("coverage") ? coverage(in.object("coverage")) : null);
    }

    private static Coverage coverage(Fields in) {
        return new Coverage(
                time(in, "first"),
                time(in, "since"),
                in.flag("whole"),
                in.textOr("damage", ""),
                in.has("unknown") ? in.parse("unknown", Hostlist::parse) : Hostlist.EMPTY);
    }

    private static double time(Fields in, String key) {
        JsonNode time = in.json().path(key);
        return time.isMissingNode() ? 0 : in.number(key);
    }
}
