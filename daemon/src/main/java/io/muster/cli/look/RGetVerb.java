package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster R get}. */
@Command(
        name = "get",
        description = {
            "Print the daemon's R without excluded hosts, as `flux resource R` does.",
            "An R of only some hosts leaves out properties that begin with +, which describe this instance (RFC "
                    + "20).",
            "This R has no graph for Fluxion; `muster acquire --count 1` shows R with its graph."
        },
        footer = {"  muster R get", "  muster R get --state=up @gpu", "  muster R get | muster R decode --short"})
public final class RGetVerb extends UsageVerb {
    public RGetVerb(Console console) {
        super(console);
    }

    @Override
    int run(FluxClient client, ObjectNode question) throws IOException {
        console().json(StateDocument.ask(client, "resource.R", question).json());
        return Exit.OK;
    }
}
