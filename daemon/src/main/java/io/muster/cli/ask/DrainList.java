package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Zone;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;

/** The list that {@code muster drain} prints without targets. */
public final class DrainList {
    private static final Map<String, String> FORMATS = Map.of(
            "default",
            "since,state,holder,reason,nodelist",
            "long",
            "timestamp,state,holder,by,until,ranks,reason,nodelist");

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    @Mixin
    private final TableOptions look = StateTable.options(FORMATS);

    public void print(FluxClient client, Console console, Zone zone, boolean json) throws IOException {
        ObjectNode question = selection.question(console, List.of()).put("states", "drain");
        StateDocument document = StateDocument.ask(client, StateDocument.HOLDS, look.expand(question, json));
        if (json) {
            console.json(document.json());
        } else {
            new StateTable(look, console, zone).print(document);
        }
    }
}
