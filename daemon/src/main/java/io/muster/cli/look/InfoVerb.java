package io.muster.cli.look;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster info}. */
@Command(
        name = "info",
        description = "Count nodes, cores and GPUs. Show when the resources start and expire, if R says when.",
        footer = {"  muster info", "  muster info --state=up", "  muster info --property=gpu"})
public final class InfoVerb extends UsageVerb {
    public InfoVerb(Console console) {
        super(console);
    }

    @Override
    int run(FluxClient client, ObjectNode question) throws IOException {
        StateDocument list = StateDocument.ask(client, StateDocument.LIST, question);
        ObjectNode json = list.json();
        if (json()) {
            console().json(json);
        } else {
            console()
                    .println(count(json, "nnodes", " Node") + ", " + count(json, "ncores", " Core") + ", "
                            + count(json, "ngpus", " GPU"));
            String times = list.lifetime(console().zone());
            console().print(times.isEmpty() ? "" : times + "\n");
        }
        return Exit.OK;
    }

    /** Returns a number without commas, because scripts for flux read it. */
    private static String count(JsonNode of, String key, String noun) {
        long number = of.path(key).asLong();
        return number + noun + (number == 1 ? "" : "s");
    }
}
