package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.SelectionOptions;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.ask.Summary;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.When;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster summary}. */
@Command(
        name = "summary",
        description = {
            "Show the inventory in one screen: hosts, cores and GPUs that are up, by queue and by property; the newest"
                    + " and the oldest problems; holds that end soon; the schedulers; the disk.",
            "Properties that differ only in numbers are one row: rack* (250). Queues and properties with the most hosts"
                    + " down come first. --json has all rows."
        },
        footer = {
            "  muster summary",
            "  muster summary --since 2h -q batch",
            "  muster summary --json | jq '.queues[] | {name, nnodes_up}'"
        })
public final class SummaryVerb extends ReadVerb {
    @Parameters(
            arity = "0..*",
            paramLabel = "TARGETS",
            description = "Count only these ranks, hosts or @PROPERTY. - reads them from standard input.")
    private List<String> targets = List.of();

    @Option(
            names = {"-S", "--since"},
            paramLabel = "TIME",
            description = "Count a problem as new if it began at this time or later. Forms: " + When.FORMS
                    + ". Default: 12h.")
    private @Nullable String since;

    @Mixin
    private final ZoneOption zone = new ZoneOption();

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    public SummaryVerb(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        ObjectNode question = selection.question(console(), targets);
        if (since != null) {
            question.put("since", zone.past(since, console()));
        }
        if (json()) {
            console()
                    .json(StateDocument.ask(client, StateDocument.SUMMARY, question)
                            .json());
        } else {
            Summary.ask(client, question, console()).print(console(), zone.zone(console()));
        }
        return Exit.OK;
    }
}
