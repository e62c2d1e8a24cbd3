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
import io.muster.inventory.history.Uptime;
import io.muster.protocol.admin.AvailabilityQuery;
import io.muster.protocol.admin.PastQuery;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
            "With --availability, it sums up how long all hosts were available or out, and counts outages, in which hosts "
                    + "were out and nobody had planned it: the mean time between them (MTBF) and until their end (MTTR).",
            "The last line says since when the answer is complete. The exit status is 9 if events of the period "
                    + "are missing."
        },
        footer = {
            "  muster report --since=30d",
            "  muster report --csv --by=host --state=offline > offline.csv",
            "  muster report --availability --since=30d --by=host --at-least=2"
        })
public final class ReportVerb extends Verb {
    private static final List<String> GROUPINGS =
            Stream.of(Totals.By.values()).map(Totals.By::word).toList();
    private static final List<String> ROWS =
            Stream.of(Uptime.By.values()).map(Uptime.By::word).toList();
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
            description =
                    "Sum up by reason, host, holder, user, state, class or ticket. Default: reason. With --availability: by rack,"
                            + " class of holds, queue or host. Default: all hosts together.")
    private @Nullable String by;

    @Option(
            names = "--availability",
            description = "Report the availability of hosts. Racks and queues are those of now.")
    private boolean availability;

    @Option(
            names = "--at-least",
            paramLabel = "N",
            description = "With --availability and --by: only print rows with at least N outages.")
    private @Nullable Integer atLeast;

    @Option(
            names = {"-s", "--states", "--state"},
            paramLabel = "STATE,...",
            split = ",",
            hideParamSyntax = true,
            description = "Count time in these states: drained, excluded, lost, offline, torpid. Default: drained.")
    private List<String> states = List.of();

    @Option(names = "--csv", description = "Print comma-separated values (RFC 4180), with durations in seconds.")
    private boolean csv;

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    public ReportVerb(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        if (by != null) {
            requireKnown("--by", List.of(by), availability ? ROWS : GROUPINGS);
        }
        requireKnown("--states", states, KINDS);
        if (availability ? !states.isEmpty() : atLeast != null) {
            throw new Failure(
                    Exit.USAGE, availability ? "--availability counts all states" : "--at-least needs --availability");
        }
        if (atLeast != null && (by == null || atLeast < 0)) {
            throw new Failure(Exit.USAGE, "--at-least needs --by, and a number that is not negative");
        }
        Period span = period.period(console());
        try (PastSource past = source.open(console())) {
            ObjectNode answer = ask(past, PastSource.question(span));
            if (json) {
                ObjectNode document = JsonNodeFactory.instance.objectNode();
                document.put("schema_version", SCHEMA_VERSION).put("source", past.name());
                console().json(document.setAll(answer));
            } else {
                console().print(availability ? AvailabilityText.of(answer, csv, console()) : totals(answer));
            }
            boolean complete = answer.path("complete").asBoolean();
            String sentence = Completeness.sentence(answer, period.zone(console()));
            if (!complete) {
                console().complain("muster report: " + sentence);
            } else if (!json && !csv) {
                console().print((availability ? AvailabilityText.estimated(answer) : "") + sentence + "\n");
            }
            return complete ? Exit.OK : Exit.INCOMPLETE;
        }
    }

    private ObjectNode ask(PastSource past, ObjectNode question) throws IOException {
        if (!availability) {
            question.put("states", states.isEmpty() ? "drained" : String.join(",", states));
            return past.ask(PastQuery.TOTALS, question.put("by", grouping()));
        }
        if (by != null) {
            question.put("by", by).put("at_least", atLeast == null ? 0 : atLeast);
        }
        return past.ask(AvailabilityQuery.TOPIC, question);
    }

    private String grouping() {
        return by == null ? "reason" : by;
    }

    private String totals(ObjectNode answer) {
        JsonNode totals = answer.path("totals");
        return csv
                ? csv(grouping(), totals)
                : table(totals).render(true, console().style());
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
        String by = grouping();
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
    static String quoted(String text) {
        String safe = !text.isEmpty() && "=+-@".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
        boolean plain =
                safe.indexOf(',') < 0 && safe.indexOf('"') < 0 && safe.indexOf('\n') < 0 && safe.indexOf('\r') < 0;
        return plain ? safe : '"' + safe.replace("\"", "\"\"") + '"';
    }
}
