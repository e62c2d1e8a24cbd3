package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Events;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.PeriodOptions;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Verb;
import io.muster.inventory.axis.Times;
import io.muster.inventory.history.Chronicle;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.Period;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.MalformedException;
import java.io.IOException;
import java.util.HashSet;
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
        description = "Show when hosts were drained, excluded or offline: from when to when, by whom, why.",
        footer = {
            "",
            "Reads all kept segments of the state directory, damage passed over; or asks the daemon, which remembers the"
                    + " last resource.journal-max events, when --uri or MUSTER_URI names one or the directory is not"
                    + " yours to read."
        })
public final class History extends Verb {
    @Parameters(arity = "1..*", paramLabel = "HOST", description = "Hostlists, or - for standard input.")
    private List<String> hosts = List.of();

    @Mixin
    private final PeriodOptions period = new PeriodOptions();

    @Mixin
    private final Source source = new Source();

    @Option(names = "--json", description = "JSON, with a schema_version.")
    private boolean json;

    public History(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        Set<String> wanted = new HashSet<>();
        hosts = TargetNames.read(console(), hosts);
        for (String text : hosts) {
            wanted.addAll(hostlist(text).expand());
        }
        double now = console().now();
        Period span = period.period(now);
        try (Events events = source.open(console())) {
            Chronicle chronicle = events.chronicle(wanted::contains, span.until());
            List<Map.Entry<Outage, List<String>>> intervals = span.keep(chronicle.intervals());
            if (json) {
                ObjectNode document = JsonNodeFactory.instance.objectNode();
                document.put("schema_version", Overview.SCHEMA_VERSION).put("source", events.source());
                document.setAll(chronicle.toJson(intervals, now));
                console().json(document);
            } else if (intervals.isEmpty() && chronicle.first() > 0) {
                console()
                        .complain("muster history: " + String.join(",", hosts)
                                + ": neither drained, excluded nor offline since " + Times.second(chronicle.first())
                                + ", by "
                                + events.source());
            } else {
                print(chronicle, intervals, now);
            }
            if (intervals.isEmpty() && chronicle.first() == 0) {
                throw new Failure(Exit.NO_TARGET, "nothing is known: " + events.source() + " holds no events");
            }
        }
        return Exit.OK;
    }

    private static Hostlist hostlist(String text) {
        try {
            return Hostlist.parse(text);
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
        }
    }

    private void print(Chronicle chronicle, List<Map.Entry<Outage, List<String>>> intervals, double now) {
        Table table = new Table(
                Column.left("from", "FROM"),
                Column.left("to", "TO"),
                Column.right("for", "FOR"),
                Column.left("state", "STATE"),
                Column.left("holder", "HOLDER"),
                Column.left("by", "BY"),
                Column.left("ended", "ENDED BY"),
                Column.flexible("reason", "REASON"),
                Column.flexible("nodelist", "NODELIST"));
        for (Map.Entry<Outage, List<String>> entry : intervals) {
            Outage i = entry.getKey();
            table.row(
                    i.from() == 0 ? "before " + Times.second(chronicle.first()) : Times.second(i.from()),
                    i.isOpen() ? "-" : Times.second(i.to()),
                    i.from() == 0 ? "" : Times.span((i.isOpen() ? now : i.to()) - i.from()),
                    i.kind().word(),
                    i.holder(),
                    i.by(),
                    i.endedBy(),
                    i.reason() + (i.comment().isEmpty() ? "" : " -> " + i.comment()),
                    Hostlist.of(entry.getValue()).toString());
        }
        console().print(table.render(true, console().style()));
    }
}
