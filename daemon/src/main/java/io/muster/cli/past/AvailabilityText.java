package io.muster.cli.past;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Style;
import io.muster.cli.terminal.Table;
import io.muster.inventory.axis.Times;
import io.muster.inventory.history.UptimeKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The table and the comma-separated values of {@code muster report --availability}. */
final class AvailabilityText {
    private static final List<String> NUMBERS =
            List.of("outages", "open", "earlier", "mtbf_seconds", "mttr_seconds", "longest_seconds", "planned_times");

    private AvailabilityText() {}

    static String of(JsonNode answer, boolean csv, Console console) {
        return csv ? csv(answer) : table(answer, console.style()).render(true, console.style());
    }

    private static Table table(JsonNode answer, Style style) {
        String by = answer.path("by").asText("");
        List<Column> columns = new ArrayList<>();
        columns.add(Column.right("nnodes", "NNODES"));
        columns.add(Column.right("hours", "HOST HOURS").optional(true));
        for (UptimeKind each : UptimeKind.values()) {
            columns.add(Column.right(each.word(), each.word().toUpperCase(Locale.ROOT))
                    .optional(each != UptimeKind.AVAILABLE));
        }
        columns.add(Column.right("outages", "OUTAGES"));
        columns.add(Column.right("open", "NOW").optional(true));
        columns.add(Column.right("mtbf", "MTBF"));
        columns.add(Column.right("mttr", "MTTR"));
        columns.add(Column.right("longest", "LONGEST"));
        columns.add(Column.right("plans", "PLANS").optional(true));
        columns.add(Column.flexible("by", by.toUpperCase(Locale.ROOT)).optional(by.isEmpty()));
        List<Map<String, String>> lines = new ArrayList<>();
        answer.path("rows").forEach(row -> {
            String key = row.path(by).asText();
            lines.add(cells(row, key.isEmpty() ? "(none)" : key));
        });
        lines.add(cells(answer.path("total"), by.isEmpty() ? "" : "(all)"));
        return Table.fitting(columns, style.width(), shown -> {
            Table table = new Table(shown);
            lines.forEach(table::row);
            return table;
        });
    }

    private static Map<String, String> cells(JsonNode row, String key) {
        Map<String, String> cells = new HashMap<>();
        double all = row.path("host_seconds").asDouble() + seconds(row, UptimeKind.UNRECORDED);
        for (UptimeKind each : UptimeKind.values()) {
            double seconds = seconds(row, each);
            if (seconds > 0) {
                cells.put(each.word(), String.format(Locale.ROOT, "%.2f%%", 100 * seconds / all));
            }
        }
        cells.put("nnodes", row.path("nnodes").asText());
        cells.put(
                "hours",
                String.format(Locale.ROOT, "%.1f", row.path("host_seconds").asDouble() / 3600));
        cells.put("outages", row.path("outages").asText());
        cells.put("open", nonzero(row.path("open")));
        cells.put("plans", nonzero(row.path("planned_times")));
        if (row.path("outages").asLong() > 0) {
            JsonNode mtbf = row.path("mtbf_seconds");
            cells.put("mtbf", mtbf.isNull() ? "" : Times.span(mtbf.asDouble()));
            cells.put("mttr", Times.span(row.path("mttr_seconds").asDouble()));
            cells.put(
                    "longest", Times.span(Math.rint(row.path("longest_seconds").asDouble())));
        }
        cells.put("by", key);
        return cells;
    }

    private static String nonzero(JsonNode number) {
        return number.asLong() == 0 ? "" : number.asText();
    }

    private static double seconds(JsonNode row, UptimeKind standing) {
        return row.path("seconds").path(standing.word()).asDouble();
    }

    private static String csv(JsonNode answer) {
        String by = answer.path("by").asText("");
        StringBuilder out = new StringBuilder(by.isEmpty() ? "" : by + ",").append("nodes,host_seconds");
        for (UptimeKind each : UptimeKind.values()) {
            out.append(',').append(each.word());
        }
        NUMBERS.forEach(name -> out.append(',').append(name));
        out.append("\r\n");
        if (by.isEmpty()) {
            line(out, answer.path("total"));
        }
        answer.path("rows").forEach(row -> {
            out.append(ReportVerb.quoted(row.path(by).asText())).append(',');
            line(out, row);
        });
        return out.toString();
    }

    private static void line(StringBuilder out, JsonNode row) {
        out.append(row.path("nnodes").asLong()).append(',').append(whole(row.path("host_seconds")));
        for (UptimeKind each : UptimeKind.values()) {
            out.append(',').append(whole(row.path("seconds").path(each.word())));
        }
        NUMBERS.forEach(name -> out.append(',').append(whole(row.path(name))));
        out.append("\r\n");
    }

    private static String whole(JsonNode number) {
        return number.isNull() ? "" : Long.toString(Math.round(number.asDouble()));
    }

    /** Returns a line that says what the numbers leave open. */
    static String estimated(JsonNode answer) {
        JsonNode total = answer.path("total");
        long earlier = total.path("earlier").asLong();
        long open = total.path("open").asLong();
        String outages = earlier + open == 0
                ? ""
                : "; of the outages, " + earlier + " began before the period and " + open
                        + " had not ended: only their time in the period counts";
        return "available includes allocated, which is not recorded" + outages + "\n";
    }
}
