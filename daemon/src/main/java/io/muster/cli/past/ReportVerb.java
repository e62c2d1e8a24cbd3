package io.muster.cli.past;

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
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Period;
import io.muster.inventory.history.Totals;
import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster report}. */
@Command(
        name = "report",
        description = {
            "Sum up how long hosts were drained, by reason, host or holder.",
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
    @Mixin
    private final PeriodOptions period = new PeriodOptions();

    @Mixin
    private final PastOptions source = new PastOptions();

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            description = "Sum up by reason, host, holder, user or state. Default: reason.")
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
        Totals.By grouping = grouping();
        Set<Outage.Kind> kinds = kinds();
        double now = console().now();
        Period span = period.period(console());
        try (PastSource past = source.open(console())) {
            PastAnswer answer = past.ask(Set.of(), span, false);
            Coverage coverage = answer.coverage();
            Period known = new Period(Math.max(span.since(), coverage.first()), Math.min(span.until(), now));
            Totals totals = new Totals(grouping, known);
            answer.intervals().forEach(entry -> {
                if (kinds.contains(entry.getKey().kind())) {
                    totals.add(entry.getKey(), entry.getValue());
                }
            });
            if (json) {
                ObjectNode document = JsonNodeFactory.instance.objectNode();
                document.put("schema_version", SCHEMA_VERSION).put("source", past.name());
                document.setAll(answer.coverageJson(span.since()));
                document.setAll(totals.toJson());
                console().json(document);
            } else {
                String text = csv
                        ? csv(by, totals)
                        : table(totals).render(true, console().style());
                console().print(text);
            }
            boolean complete = coverage.isComplete(span.since());
            String sentence = Completeness.sentence(coverage, span.since(), period.zone(console()));
            if (!complete) {
                console().complain("muster report: " + sentence);
            } else if (!json && !csv) {
                console().print(sentence + "\n");
            }
            return complete ? Exit.OK : Exit.INCOMPLETE;
        }
    }

    private Totals.By grouping() {
        for (Totals.By each : Totals.By.values()) {
            if (each.word().equals(by)) {
                return each;
            }
        }
        throw new Failure(Exit.USAGE, "--by: " + by + " is not one of reason, host, holder, user and state");
    }

    private Set<Outage.Kind> kinds() {
        Map<String, Outage.Kind> named = new LinkedHashMap<>();
        for (Outage.Kind kind : Outage.Kind.values()) {
            if (!kind.isNote()) {
                named.put(kind.word(), kind);
            }
        }
        Set<Outage.Kind> kinds = EnumSet.noneOf(Outage.Kind.class);
        for (String state : states) {
            Outage.Kind kind = named.get(state);
            if (kind == null) {
                throw new Failure(
                        Exit.USAGE,
                        "--states: there is no state " + state,
                        "the states are " + String.join(", ", named.keySet()));
            }
            kinds.add(kind);
        }
        return kinds;
    }

    private Table table(Totals totals) {
        Table table = new Table(
                Column.right("nnodes", "NNODES"),
                Column.right("times", "TIMES"),
                Column.right("open", "NOW"),
                Column.right("total", "TOTAL"),
                Column.right("mean", "MEAN"),
                Column.right("longest", "LONGEST"),
                Column.flexible(by, by.toUpperCase(Locale.ROOT)));
        for (Totals.Sum sum : totals.sums()) {
            table.row(
                    Integer.toString(sum.nodes()),
                    Long.toString(sum.times()),
                    Long.toString(sum.open()),
                    Times.span(sum.seconds()),
                    Times.span(sum.mean()),
                    Times.span(sum.longest()),
                    sum.key().isEmpty() ? "(none)" : sum.key());
        }
        return table;
    }

    static String csv(String by, Totals totals) {
        StringBuilder out = new StringBuilder(by + ",nodes,times,open,total_seconds,mean_seconds,longest_seconds\r\n");
        for (Totals.Sum sum : totals.sums()) {
            out.append(quoted(sum.key())).append(',').append(sum.nodes());
            out.append(',').append(sum.times()).append(',').append(sum.open());
            out.append(',').append(Math.round(sum.seconds())).append(',').append(Math.round(sum.mean()));
            out.append(',').append(Math.round(sum.longest())).append("\r\n");
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
