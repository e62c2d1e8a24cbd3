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
        description = {
            "Make the daemon trust the clock of its host at once, after it has doubted it.",
            "The daemon doubts a clock that was set by more than muster.clock-jump. No hold ends by itself and "
                    + "no history is deleted until the clock has kept its new time for muster.clock-settle. `muster "
                    + "status` shows the doubt.",
            "Look at `date` before you accept the clock: holds that are over by the new time end, and history "
                    + "that is too old by it is deleted."
        },
        footer = {"  date; muster clock accept", "  muster clock accept --json"})
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
