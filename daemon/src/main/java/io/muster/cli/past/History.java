package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.PeriodOptions;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Style;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Verb;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Period;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.TargetExpression;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster history}. */
@Command(
        name = "history",
        description = {
            "Show when hosts were drained, excluded or offline, by whom and why.",
            "The command reads the state directory if you name it, or if you may read the usual one and name no "
                    + "daemon. Otherwise it asks the daemon, which reads its disk.",
            "The last line says since when the answer is complete. \"before TIME\" means that the host was in "
                    + "this state when the known events began. The exit status is 9 if events of the period are missing."
        },
        footer = {
            "  muster history node7",
            "  muster history --since=30d @rack4",
            "  muster history --notes --state-dir=backup node7"
        })
public final class History extends Verb {
    /** On a terminal with fewer columns, the times have no zone. */
    private static final int NARROW = 80;

    @Parameters(
            arity = "1..*",
            paramLabel = "HOST",
            description = "Ranks, hosts, @PROPERTY, @{EXPR} or all. - reads them from standard input.")
    private List<String> hosts = List.of();

    @Mixin
    private final PeriodOptions period = new PeriodOptions();

    @Mixin
    private final PastOptions source = new PastOptions();

    @Option(
            names = "--notes",
            description = "Also show the marks and tags that the hosts and their parts had, such as GPUs.")
    private boolean notes;

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    public History(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        hosts = TargetNames.read(console(), hosts);
        Period span = period.period(console());
        double now = console().now();
        double end = Math.min(now, span.until());
        Zone zone = period.zone(console());
        try (PastSource past = source.open(console())) {
            PastAnswer answer = past.ask(wanted(past), span, notes);
            Coverage coverage = answer.coverage();
            refuseUnknown(coverage, past, zone);
            boolean complete = coverage.isComplete(span.since());
            if (json) {
                ObjectNode document = JsonNodeFactory.instance.objectNode();
                document.put("schema_version", SCHEMA_VERSION).put("source", past.name());
                document.setAll(answer.toJson(span.since(), end));
                console().json(document);
            } else if (answer.intervals().isEmpty()) {
                double since = Math.max(span.since(), coverage.first());
                console()
                        .complain("muster history: " + String.join(",", hosts)
                                + ": neither drained, excluded nor offline"
                                + (notes ? ", and without marks and tags," : "") + " since " + zone.second(since)
                                + ", according to "
                                + past.name());
            } else {
                print(answer, end, end < now, zone);
            }
            String sentence = Completeness.sentence(coverage, span.since(), zone);
            if (!complete || (!json && answer.intervals().isEmpty())) {
                console().complain("muster history: " + sentence);
            } else if (!json) {
                console().print(sentence + "\n");
            }
            return complete ? Exit.OK : Exit.INCOMPLETE;
        }
    }

    /** The names of the hosts. The source is asked for the inventory only if a text is not a hostlist. */
    private Set<String> wanted(PastSource past) throws IOException {
        Set<String> wanted = new LinkedHashSet<>();
        for (String text : hosts) {
            if (TargetExpression.isSelection(text) || TargetExpression.isSearch(text) || isIdset(text)) {
                wanted.addAll(past.hosts(text).expand());
            } else {
                wanted.addAll(hostlist(text).expand());
            }
        }
        return wanted;
    }

    private static boolean isIdset(String text) {
        try {
            return !Idset.parse(text).isEmpty();
        } catch (MalformedException hosts) {
            return false;
        }
    }

    private void refuseUnknown(Coverage coverage, PastSource past, Zone zone) {
        Hostlist unknown = coverage.unknown();
        if (coverage.first() == 0) {
            throw new Failure(Exit.NO_TARGET, "nothing is known: " + past.name() + " holds no events");
        }
        if (unknown.stream().anyMatch(History::isIdset)) {
            throw new Failure(
                    Exit.USAGE, String.valueOf(TargetException.mixed(unknown).getMessage()));
        }
        if (!unknown.isEmpty()) {
            String subject = unknown.size() == 1 ? "host " + unknown + " is" : "hosts " + unknown.abridged() + " are";
            throw new Failure(
                    Exit.NO_TARGET,
                    subject + " not in the resource set, and no event since " + zone.second(coverage.first())
                            + " names " + (unknown.size() == 1 ? "it" : "them"));
        }
    }

    private static Hostlist hostlist(String text) {
        try {
            return Hostlist.parse(text);
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /**
     * @param end the end of the period, which is also the end of intervals that no known event ends
     * @param isPast whether that end is before the present time
     */
    private void print(PastAnswer answer, double end, boolean isPast, Zone zone) {
        boolean isOneHost = !notes
                && hosts.size() == 1
                && answer.intervals().stream()
                        .allMatch(entry -> entry.getValue()
                                .equals(answer.intervals().get(0).getValue()));
        List<Column> columns = List.of(
                Column.left("from", "FROM"),
                Column.left("to", "TO").optional(true),
                Column.right("for", "FOR"),
                Column.left("state", "STATE"),
                Column.left("holder", "HOLDER").optional(true),
                Column.left("by", "BY").optional(true),
                Column.left("ended", "ENDED BY").optional(true),
                Column.reason(),
                Column.hosts("nodelist", "NODELIST").optional(isOneHost));
        Style style = console().style();
        boolean isNarrow = style.width() > 0 && style.width() < NARROW;
        Column to = columns.get(1);
        Table table = Table.fitting(columns, style.width(), shown -> {
            Table rows = new Table(shown);
            answer.intervals().forEach(entry -> {
                double from = entry.getKey().from() == 0
                        ? answer.coverage().first()
                        : entry.getKey().from();
                Map<String, String> cells = new HashMap<>(cells(entry, from, end, isPast, zone));
                if (isNarrow) {
                    List.of("from", "to")
                            .forEach(time -> cells.computeIfPresent(time, (key, text) -> withoutZone(text)));
                }
                if (!shown.contains(to) && entry.getKey().isOpen()) {
                    cells.merge("for", " so far", String::concat);
                }
                rows.row(cells);
            });
            return rows;
        });
        console().print(table.render(true, style));
    }

    /** Removes the name of the zone, which the last line has. */
    private static String withoutZone(String time) {
        return time.replaceFirst("(:\\d\\d) \\S+$", "$1");
    }

    private static Map<String, String> cells(
            Map.Entry<Outage, List<String>> entry, double from, double end, boolean isPast, Zone zone) {
        Outage i = entry.getKey();
        boolean isOld = i.from() == 0;
        double to = i.isOpen() ? end : i.to();
        return Map.of(
                "from",
                (isOld ? "before " : "") + zone.second(from),
                "to",
                i.isOpen() ? isPast ? "after " + zone.second(end) : "-" : zone.second(to),
                "for",
                isOld ? "" : Times.span((double) (Math.round(to) - Math.round(from))),
                "state",
                i.kind().word(),
                "holder",
                i.kind().isNote() ? "" : i.holder(),
                "by",
                i.by(),
                "ended",
                i.endedBy(),
                "reason",
                i.reason() + (i.comment().isEmpty() ? "" : " -> " + i.comment()),
                "nodelist",
                Hostlist.of(entry.getValue()).sort()
                        + (i.kind().isNote() && !i.holder().isEmpty() ? "/" + i.holder() : ""));
    }
}
