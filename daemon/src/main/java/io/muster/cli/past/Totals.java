package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Outage;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.PeriodOptions;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Table;
import io.muster.inventory.axis.Times;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Sums of the time in which hosts were unavailable, grouped by one property of the intervals, largest first. */
final class Totals {
    private final String by;
    private final PeriodOptions.Span span;
    private final Map<String, Sum> sums = new LinkedHashMap<>();

    private static final class Sum {
        private final Set<String> hosts = new LinkedHashSet<>();
        private long times;
        private double seconds;
        private double longest;
        private long open;
    }

    /** @param by reason, host, holder, user or state */
    Totals(String by, PeriodOptions.Span span) {
        this.by = by;
        this.span = span;
    }

    void add(Outage interval, List<String> hosts) {
        double seconds = interval.within(span.since(), span.until());
        for (String host : hosts) {
            Sum sum = sums.computeIfAbsent(key(interval, host), k -> new Sum());
            sum.hosts.add(host);
            sum.times++;
            sum.seconds += seconds;
            sum.longest = Math.max(sum.longest, seconds);
            sum.open += interval.isOpen() ? 1 : 0;
        }
    }

    private String key(Outage interval, String host) {
        return switch (by) {
            case "host" -> host;
            case "holder" -> interval.holder();
            case "user" -> interval.by();
            case "state" -> interval.kind();
            default -> interval.reason();
        };
    }

    private List<Map.Entry<String, Sum>> sorted() {
        List<Map.Entry<String, Sum>> all = new ArrayList<>(sums.entrySet());
        all.sort((a, b) -> Double.compare(b.getValue().seconds, a.getValue().seconds));
        return all;
    }

    Table toTable() {
        Table table = new Table(
                Column.right("nnodes", "NNODES"),
                Column.right("times", "TIMES"),
                Column.right("open", "NOW"),
                Column.right("total", "TOTAL"),
                Column.right("mean", "MEAN"),
                Column.right("longest", "LONGEST"),
                Column.flexible(by, by.toUpperCase(Locale.ROOT)));
        for (Map.Entry<String, Sum> entry : sorted()) {
            Sum sum = entry.getValue();
            table.row(
                    Integer.toString(sum.hosts.size()),
                    Long.toString(sum.times),
                    Long.toString(sum.open),
                    Times.span(sum.seconds),
                    Times.span(sum.seconds / sum.times),
                    Times.span(sum.longest),
                    entry.getKey().isEmpty() ? "(none)" : entry.getKey());
        }
        return table;
    }

    String toCsv() {
        StringBuilder out = new StringBuilder(by + ",nodes,times,open,total_seconds,mean_seconds,longest_seconds\r\n");
        for (Map.Entry<String, Sum> entry : sorted()) {
            Sum sum = entry.getValue();
            out.append(quoted(entry.getKey())).append(',').append(sum.hosts.size());
            out.append(',').append(sum.times).append(',').append(sum.open);
            out.append(',').append(Math.round(sum.seconds)).append(',').append(Math.round(sum.seconds / sum.times));
            out.append(',').append(Math.round(sum.longest)).append("\r\n");
        }
        return out.toString();
    }

    /** A CSV field by RFC 4180. A text that a spreadsheet would take for a formula gets a quote in front. */
    private static String quoted(String text) {
        String safe = !text.isEmpty() && "=+-@".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
        boolean plain =
                safe.indexOf(',') < 0 && safe.indexOf('"') < 0 && safe.indexOf('\n') < 0 && safe.indexOf('\r') < 0;
        return plain ? safe : '"' + safe.replace("\"", "\"\"") + '"';
    }

    ObjectNode toJson(String source) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", Overview.SCHEMA_VERSION)
                .put("source", source)
                .put("by", by);
        json.put("since", Times.rfc3339(span.since())).put("until", Times.rfc3339(span.until()));
        ArrayNode all = json.putArray("totals");
        for (Map.Entry<String, Sum> entry : sorted()) {
            Sum sum = entry.getValue();
            all.addObject()
                    .put(by, entry.getKey())
                    .put("nnodes", sum.hosts.size())
                    .put("times", sum.times)
                    .put("open", sum.open)
                    .put("total_seconds", Math.rint(sum.seconds))
                    .put("mean_seconds", Math.rint(sum.seconds / sum.times))
                    .put("longest_seconds", Math.rint(sum.longest));
        }
        return json;
    }
}
