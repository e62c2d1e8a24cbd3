package io.muster.cli.change;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster clock accept}. */
@Command(
        name = "accept",
        description = "Have the daemon go by its host's clock at once, after it has doubted it.",
        footer = {
            "",
            "A clock that was set by more than muster.clock-jump is doubted: no hold runs out and no history is deleted until it has"
                    + " kept its new time for muster.clock-settle. `muster status` says so. Look at `date` before you accept it: holds"
                    + " whose time is over by the new clock are lifted, and history that is too old by it is deleted."
        })
public final class ClockAccept extends ServerVerb {
    public ClockAccept(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        ObjectNode answer = client.rpc("resource.clock-accept", JsonNodeFactory.instance.objectNode());
        String trouble = answer.path("trouble").asText("");
        if (json()) {
            console()
                    .json(Change.done(answer.put("changed", !trouble.isEmpty())
                            .put("trouble", trouble.isEmpty() ? null : trouble)));
        } else if (trouble.isEmpty()) {
            console().println("the clock was not doubted: there was nothing to accept");
        }
        return Exit.OK;
    }
}
