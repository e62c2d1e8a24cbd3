package io.muster.cli.look;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.SelectionOptions;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Text;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code muster impact}. */
@Command(
        name = "impact",
        description = {
            "Show what taking hosts out would do: their cores and GPUs, the jobs on them, and what is left of each queue and property.",
            "Nothing is changed. Muster knows which hosts jobs use only if the bridge or muster-flux reports it."
        },
        footer = {"  muster impact node[0-9]", "  muster impact @rack4", "  muster impact --json '@{gpu in rack4}'"})
public final class ImpactVerb extends ReadVerb {
    @Parameters(
            arity = "1..*",
            paramLabel = "TARGETS",
            description = "Ranks, hosts, @PROPERTY, @{EXPR} or all. - reads them from standard input.")
    private List<String> targets = List.of();

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    public ImpactVerb(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        StateDocument impact = StateDocument.ask(client, StateDocument.IMPACT, selection.question(console(), targets));
        JsonNode json = impact.json();
        if (json()) {
            console().json(impact.json());
            return Exit.OK;
        }
        console()
                .println(hosts(json.path("hosts")) + ": "
                        + Text.count(json.path("nnodes").asLong(), "host") + ", "
                        + Text.count(json.path("ncores").asLong(), "core") + ", "
                        + Text.count(json.path("ngpus").asLong(), "GPU") + "; schedulers may use "
                        + json.path("nnodes_up") + " of them");
        String jobs = hosts(json.path("allocated"));
        String silent = hosts(json.path("unreported"));
        console()
                .println("jobs: " + (jobs.isEmpty() ? "none" : "on " + jobs)
                        + (silent.isEmpty() ? "" : "; not known for " + silent));
        left("all hosts", json.path("all"));
        json.path("queues").forEach(queue -> left("queue " + queue.path("name").asText(), queue));
        json.path("properties")
                .forEach(each -> left("property " + each.path("name").asText(), each));
        return Exit.OK;
    }

    private static String hosts(JsonNode hosts) {
        return Hostlist.parse(hosts.asText()).abridged();
    }

    private void left(String name, JsonNode part) {
        long before = part.path("nnodes_up").asLong();
        long after = part.path("nnodes_left").asLong();
        String share = before == 0 ? "" : " (" + Text.percent(after, before) + ")";
        console()
                .println(name + ": " + StateDocument.count(after) + " of " + Text.count(before, "host")
                        + (after == 1 ? " is left" : " are left") + share
                        + (part.path("last").asBoolean() ? ": these are the last" : ""));
    }
}
