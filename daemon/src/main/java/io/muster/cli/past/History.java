package io.muster.cli.past;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.PeriodOptions;
import io.muster.cli.ask.StateDocument;
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
import io.muster.inventory.history.Period;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.admin.PastQuery;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
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
            "  muster history --since=yesterday",
            "  muster history --notes --state-dir=backup node7"
        })
public final class History extends Verb {
    /** On a terminal with fewer columns, the times have no zone. */
    private static final int NARROW = 80;

    @Parameters(
            arity = "0..*",
            paramLabel = "HOST",
            description = "Ranks, hosts, @PROPERTY, @{EXPR} or all. - reads them from standard input. Default: all.")
    private List<String> hosts = List.of("all");

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
            ObjectNode question = PastSource.question(span).put("notes", notes);
            question.put("targets", Hostlist.of(List.copyOf(wanted(past))).toString());
            ObjectNode answer = past.ask(PastQuery.HISTORY, question);
            if (answer.path("known_since").isNull()) {
                throw new Failure(Exit.NO_TARGET, "nothing is known: " + past.name() + " holds no events");
            }
            boolean complete = answer.path("complete").asBoolean();
            boolean isEmpty = answer.path("intervals").isEmpty();
            if (json) {
                document(answer, past.name(), end);
            } else if (isEmpty) {
                double since = Math.max(span.since(), StateDocument.time(answer.path("known_since")));
                console()
                        .complain("muster history: " + String.join(",", hosts)
                                + ": neither drained, excluded nor offline"
                                + (notes ? ", and without marks and tags," : "") + " since " + zone.second(since)
                                + ", according to "
                                + past.name());
            } else {
                print(answer, end, end < now, zone);
            }
            String sentence = Completeness.sentence(answer, zone);
            if (!complete || (!json && isEmpty)) {
                console().complain("muster history: " + sentence);
            } else if (!json) {
                console().print(sentence + "\n");
            }
            return complete ? Exit.OK : Exit.INCOMPLETE;
        }
    }

    /** Prints the answer, with the lengths of intervals that last. */
    private void document(ObjectNode answer, String source, double end) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("schema_version", SCHEMA_VERSION).put("source", source).setAll(answer);
        for (JsonNode interval : answer.path("intervals")) {
            double from = StateDocument.time(interval.path("from"));
            if (from > 0 && interval.path("to").isNull()) {
                ((ObjectNode) interval).put("seconds", Math.rint(end - from));
            }
        }
        console().json(document);
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
    private void print(ObjectNode answer, double end, boolean isPast, Zone zone) {
        JsonNode intervals = answer.path("intervals");
        Set<String> named = new HashSet<>();
        intervals.forEach(interval -> named.add(interval.path("hosts").asText()));
        boolean isOneHost = !notes && hosts.size() == 1 && named.size() == 1;
        double first = StateDocument.time(answer.path("known_since"));
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
            for (JsonNode interval : intervals) {
                Map<String, String> cells = new HashMap<>(cells(interval, first, end, isPast, zone));
                if (isNarrow) {
                    List.of("from", "to")
                            .forEach(time -> cells.computeIfPresent(time, (key, text) -> withoutZone(text)));
                }
                if (!shown.contains(to) && interval.path("to").isNull()) {
                    cells.merge("for", " so far", String::concat);
                }
                rows.row(cells);
            }
            return rows;
        });
        console().print(table.render(true, style));
    }

    /** Removes the name of the zone, which the last line has. */
    private static String withoutZone(String time) {
        return time.replaceFirst("(:\\d\\d) \\S+$", "$1");
    }

    private static Map<String, String> cells(JsonNode interval, double first, double end, boolean isPast, Zone zone) {
        boolean isOld = interval.path("from").isNull();
        boolean isOpen = interval.path("to").isNull();
        double from = isOld ? first : StateDocument.time(interval.path("from"));
        double to = isOpen ? end : StateDocument.time(interval.path("to"));
        String comment = interval.path("comment").asText();
        String path = interval.path("path").asText();
        return Map.of(
                "from",
                (isOld ? "before " : "") + zone.second(from),
                "to",
                isOpen ? isPast ? "after " + zone.second(end) : "-" : zone.second(to),
                "for",
                isOld ? "" : Times.span((double) (Math.round(to) - Math.round(from))),
                "state",
                interval.path("kind").asText(),
                "holder",
                interval.path("holder").asText(""),
                "by",
                interval.path("by").asText(),
                "ended",
                interval.path("ended_by").asText(),
                "reason",
                interval.path("reason").asText() + (comment.isEmpty() ? "" : " -> " + comment),
                "nodelist",
                interval.path("hosts").asText() + (path.isEmpty() ? "" : "/" + path));
    }
}
