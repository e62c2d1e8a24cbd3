package io.muster.cli.past;

import io.muster.cli.ask.Events;
import io.muster.cli.ask.PeriodOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster report}. */
@Command(
        name = "report",
        description = "Sum up how long hosts were drained, by reason, host or holder.",
        footer = {
            "",
            "A host that two hold counts for both. Where an interval began before what is known, it counts from there."
        })
public final class ReportVerb extends Verb {
    private static final List<String> STATES = List.of("drained", "excluded", "lost", "offline", "torpid");

    @Mixin
    private final PeriodOptions period = new PeriodOptions();

    @Mixin
    private final Source source = new Source();

    @Option(names = "--by", paramLabel = "WHAT", description = "reason, host, holder, user or state. Default: reason.")
    private String by = "reason";

    @Option(
            names = {"-s", "--states", "--state"},
            paramLabel = "STATE,...",
            split = ",",
            hideParamSyntax = true,
            description = "drained, excluded, lost, offline, torpid. Default: drained.")
    private List<String> states = List.of("drained");

    @Option(names = "--csv", description = "Comma-separated values (RFC 4180), times in seconds.")
    private boolean csv;

    @Option(names = "--json", description = "JSON, with a schema_version.")
    private boolean json;

    public ReportVerb(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        if (!List.of("reason", "host", "holder", "user", "state").contains(by)) {
            throw new Failure(Exit.USAGE, "--by " + by + ": it is one of reason, host, holder, user and state");
        }
        for (String state : states) {
            if (!STATES.contains(state)) {
                throw new Failure(
                        Exit.USAGE,
                        "--states: there is no state " + state,
                        "the states are " + String.join(", ", STATES));
            }
        }
        double now = console().now();
        PeriodOptions.Span span = period.span(now);
        try (Events events = source.open(console())) {
            Chronicle chronicle = Chronicle.of(events, host -> true, span.until());
            PeriodOptions.Span known = new PeriodOptions.Span(Math.max(span.since(), chronicle.first()), span.until());
            Totals totals = new Totals(by, known);
            known.keep(chronicle.intervals()).forEach(entry -> {
                if (states.contains(entry.getKey().kind())) {
                    totals.add(entry.getKey(), entry.getValue());
                }
            });
            if (json) {
                console().json(totals.toJson(events.source()));
            } else {
                console()
                        .print(
                                csv
                                        ? totals.toCsv()
                                        : totals.toTable()
                                                .render(true, console().style()));
            }
        }
        return Exit.OK;
    }
}
