package io.muster.cli.look;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Printable;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster upgrade status}. */
@Command(
        name = "status",
        description = "Show the format level that the daemon writes, and what a newer level would permit.",
        footer = {"  muster upgrade status", "  muster upgrade status --json"})
public final class UpgradeStatus extends ServerVerb {
    public UpgradeStatus(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        ObjectNode answer = client.rpc("resource.upgrade-status", null);
        if (json()) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.put("schema_version", SCHEMA_VERSION);
            document.setAll(answer);
            console().json(document);
            return Exit.OK;
        }
        int written = answer.path("written").asInt();
        int newest = answer.path("newest").asInt();
        console().println("the daemon writes format level " + written + " and reads levels up to " + newest);
        if (written == newest) {
            console().println("no upgrade has to be finished");
        } else {
            console()
                    .println("the earlier version can start on this state directory until `muster upgrade finish`,"
                            + " which permits:");
        }
        for (JsonNode permitted : answer.path("permits")) {
            console().println("  " + Printable.of(permitted.asText()));
        }
        return Exit.OK;
    }
}
