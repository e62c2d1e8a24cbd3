package io.muster.cli.past;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.PeriodOptions;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Verb;
import io.muster.inventory.axis.Times;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.Period;
import io.muster.inventory.history.Totals;
import io.muster.protocol.admin.PastQuery;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster report}. */
@Command(
        name = "report",
        description = {
            "Sum up how long hosts were drained, by reason, host, holder, class or ticket.",
            "A host with two holders counts for both. A drain that began before the first known event counts "
                    + "from that event.",
            "The last line says since when the answer is complete. The exit status is 9 if events of the period "
                    + "are missing."
        },
        footer = {
            "  muster report --since=30d",
            "  muster report --by=host --state=offline",
            "  muster report --csv > drained.csv"
        })
public final class ReportVerb extends Verb {
    private static final List<String> GROUPINGS =
            Stream.of(Totals.By.values()).map(Totals.By::word).toList();
    private static final List<String> KINDS = Stream.of(Outage.Kind.values())
            .filter(kind -> !kind.isNote())
            .map(Outage.Kind::word)
            .toList();

    @Mixin
    private final PeriodOptions period = new PeriodOptions();

    @Mixin
    private final PastOptions source = new PastOptions();

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            description = "Sum up by reason, host, holder, user, state, class or ticket. Default: reason.")
    private String by = "reason";

    @Option(
            names = {"-s", "--states", "--state"},
            paramLabel = "STATE,...",
            split = ",",
            hideParamSyntax = true,
            description = "Count time in these states: drained, excluded, lost, offline, torpid. Default: drained.")
    private List<String> states = List.of("drained");

    @Option(names = "--csv", description = "Print comma-separated values (RFC 4180), with durations in seconds.")
    private boolean csv;

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    public ReportVerb(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        requireKnown("--by", List.of(by), GROUPINGS);
        requireKnown("--states", states, KINDS);
        Period span = period.period(console());
        try (PastSource past = source.open(console())) {
            ObjectNode question = PastSource.question(span).put("by", by).put("states", String.join(",", states));
            ObjectNode answer = past.ask(PastQuery.TOTALS, question);
            if (json) {
                ObjectNode document = JsonNodeFactory.instance.objectNode();
                document.put("schema_version", SCHEMA_VERSION).put("source", past.name());
                console().json(document.setAll(answer));
            } else {
                JsonNode totals = answer.path("totals");
                String text = csv
                        ? csv(by, totals)
                        : table(totals).render(true, console().style());
                console().print(text);
            }
            boolean complete = answer.path("complete").asBoolean();
            String sentence = Completeness.sentence(answer, period.zone(console()));
            if (!complete) {
                console().complain("muster report: " + sentence);
            } else if (!json && !csv) {
                console().print(sentence + "\n");
            }
            return complete ? Exit.OK : Exit.INCOMPLETE;
        }
    }

    private static void requireKnown(String option, List<String> words, List<String> known) {
        for (String word : words) {
            if (!known.contains(word)) {
                throw new Failure(
                        Exit.USAGE,
                        option + ": there is no " + (known == KINDS ? "state " : "sum by ") + word,
                        "give " + String.join(", ", known));
            }
        }
    }

    private Table table(JsonNode totals) {
        Table table = new Table(
                Column.right("nnodes", "NNODES"),
                Column.right("times", "TIMES"),
                Column.right("open", "NOW"),
                Column.right("total", "TOTAL"),
                Column.right("mean", "MEAN"),
                Column.right("longest", "LONGEST"),
                Column.flexible(by, by.toUpperCase(Locale.ROOT)));
        for (JsonNode sum : totals) {
            String key = sum.path(by).asText();
            table.row(
                    sum.path("nnodes").asText(),
                    sum.path("times").asText(),
                    sum.path("open").asText(),
                    Times.span(sum.path("total_seconds").asDouble()),
                    Times.span(sum.path("mean_seconds").asDouble()),
                    Times.span(sum.path("longest_seconds").asDouble()),
                    key.isEmpty() ? "(none)" : key);
        }
        return table;
    }

    static String csv(String by, JsonNode totals) {
        List<String> numbers = List.of("nnodes", "times", "open", "total_seconds", "mean_seconds", "longest_seconds");
        StringBuilder out = new StringBuilder(by + ",nodes,times,open,total_seconds,mean_seconds,longest_seconds\r\n");
        for (JsonNode sum : totals) {
            out.append(quoted(sum.path(by).asText()));
            numbers.forEach(key -> out.append(',').append(sum.path(key).asLong()));
            out.append("\r\n");
        }
        return out.toString();
    }

    /** Returns a CSV field by RFC 4180. Text that a spreadsheet would take for a formula gets a quote in front. */
    private static String quoted(String text) {
        String safe = !text.isEmpty() && "=+-@".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
        boolean plain =
                safe.indexOf(',') < 0 && safe.indexOf('"') < 0 && safe.indexOf('\n') < 0 && safe.indexOf('\r') < 0;
        return plain ? safe : '"' + safe.replace("\"", "\"\"") + '"';
    }
}
