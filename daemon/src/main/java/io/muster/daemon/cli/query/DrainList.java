package io.muster.daemon.cli.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Standing;
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
    private final Selection selection = new Selection();

    @Mixin
    private final Look look = new Look();

    public void print(FluxClient client, Console console, boolean json) throws IOException {
        Standing standing = Standing.ask(client);
        StateFilter drained = StateFilter.of("drained");
        List<StateGroup> groups =
                drained.keep(StateGroup.of(standing.state(), selection.among(client, standing.resources(), List.of())));
        if (json) {
            ObjectNode document = standing.toJson();
            ArrayNode all = document.putArray("groups");
            groups.forEach(group -> all.add(group.toJson(standing.resources(), look.expand())));
            console.json(document);
        } else {
            new StateTable(standing.resources(), look, console, standing.now(console)).print(groups, FORMATS);
        }
    }
}
