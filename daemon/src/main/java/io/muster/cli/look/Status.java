package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.PurposeOptions;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.SelectionOptions;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.ask.StateTable;
import io.muster.cli.ask.TableOptions;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster status}. */
@Command(
        name = "status",
        description = {
            "Show the state of all hosts, grouped by state and reason.",
            "States: available, allocated (a job uses the host), offline, unknown (its reporter is lost), torpid (connected,"
                    + " but not heard from lately), excluded, lost (shrunk), draining (drained, and a job still uses it),"
                    + " drained. Offline or unknown follows the last four if a host is that besides. ✔ marks hosts that"
                    + " schedulers may use.",
            "The newest rows come first, after those of hosts that are not out. `muster summary` has the sums."
        },
        footer = {"  muster status", "  muster status --state=drained -o long", "  muster status @gpu"})
public final class Status extends ReadVerb {
    private static final Map<String, String> FORMATS = Map.of(
            "default",
            "state,up,nnodes,by,reason,nodelist",
            "long",
            "state,up,nnodes,since,holder,by,until,class,ticket,reason,nodelist");

    @Parameters(
            arity = "0..*",
            paramLabel = "TARGETS",
            description = "Select only these ranks, hosts or @PROPERTY. - reads them from standard input.")
    private List<String> targets = List.of();

    @Option(
            names = {"-s", "--states", "--state"},
            paramLabel = "STATE,...",
            description =
                    "Select only hosts in these states: available, allocated, torpid, excluded, lost, draining, drained,"
                            + " drain (draining and drained); online, offline and unknown restrict the others. The"
                            + " words of flux are understood too: avail, exclude, avail*.")
    private @Nullable String states;

    @Option(
            names = "--skip-empty",
            hidden = true,
            description = "Accepted for scripts that call flux: Muster prints no empty lines.")
    void skipEmpty(boolean always) {}

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    @Mixin
    private final PurposeOptions purpose = new PurposeOptions();

    @Mixin
    private final TableOptions look = StateTable.options(FORMATS);

    @Mixin
    private final ZoneOption zone = new ZoneOption();

    public Status(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        ObjectNode question = purpose.ask(selection.question(console(), targets));
        if (states != null) {
            question.put("states", states);
        }
        StateDocument document = StateDocument.ask(client, StateDocument.STATUS, look.expand(question, json()));
        if (json()) {
            console().json(document.json());
            return Exit.OK;
        }
        document.warn(console(), zone.zone(console()), "muster status");
        new StateTable(look, console(), zone.zone(console())).print(document);
        document.warnOfPlans(console(), "muster status");
        // Departed hosts have no rank, so the table has no row for them, but a user may look for their drain.
        String departed = document.json().path("departed_drained").asText();
        if (!departed.isEmpty() && targets.isEmpty() && states == null) {
            console().complain("muster status: these hosts left R and will be drained when they return: " + departed);
        }
        return Exit.OK;
    }
}
