package io.muster.cli.look;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Printable;
import io.muster.cli.terminal.Table;
import io.muster.inventory.axis.Times;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster brake}. */
@Command(
        name = "brake",
        description = {
            "Show the brakes: how many hosts programs may drain in a time, on how many hosts their holds count now, how many"
                    + " more may be drained, and what was refused.",
            "A brake is for tokens, certificates, alerts and policies, and for no user of the daemon's host. What it refuses"
                    + " is not kept: when holds end or grow older than the window, there is room again."
        },
        footer = {"  muster brake", "  muster brake --json | jq '.brakes[] | select(.room == 0)'"})
public final class BrakeVerb extends ServerVerb {
    public BrakeVerb(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        ObjectNode answer = client.rpc("resource.brakes", null);
        if (json()) {
            console().json(answer);
        } else if (answer.path("brakes").isEmpty()) {
            console().println("no [[brake]] is configured: programs may drain any number of hosts");
        } else {
            print(answer.path("brakes"));
        }
        return Exit.OK;
    }

    private void print(JsonNode brakes) {
        Table table = new Table(
                Column.left("holder", "HOLDER"),
                Column.left("limit", "LIMIT"),
                Column.left("window", "IN"),
                Column.right("most", "MOST"),
                Column.right("nnodes", "DRAINED"),
                Column.right("room", "ROOM"),
                Column.right("refused", "REFUSED"));
        for (JsonNode each : brakes) {
            table.row(
                    each.path("holder").asText(),
                    each.path("limit").asText(),
                    Times.span(each.path("window").asDouble()),
                    each.path("most").asText(),
                    each.path("nnodes").asText(),
                    each.path("room").asText(),
                    each.path("refused").asText("-"));
        }
        console().print(table.render(true, console().style()));
        for (JsonNode each : brakes) {
            JsonNode last = each.path("last");
            if (last.isObject()) {
                console()
                        .println(Printable.of(each.path("holder").asText() + ", last refused at "
                                + last.path("time").asText() + ", "
                                + last.path("user").asText() + ": "
                                + last.path("sentence").asText()));
            }
        }
    }
}
