package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.status.HostState;
import io.muster.inventory.status.StateFilter;
import io.muster.inventory.status.StateGroup;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.EnumSet;
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
    private final TableOptions look = new TableOptions();

    public void print(FluxClient client, Console console, Zone zone, boolean json) throws IOException {
        Overview standing = Overview.ask(client);
        StateFilter drained = new StateFilter(EnumSet.of(HostState.DRAINING, HostState.DRAINED), true, true, true);
        List<StateGroup> groups =
                drained.keep(standing.groups(selection.among(client, standing.resources(), List.of())));
        if (json) {
            ObjectNode document = standing.toJson();
            ArrayNode all = document.putArray("groups");
            groups.forEach(group -> all.add(group.toJson(standing.resources(), look.expand())));
            console.json(document);
        } else {
            new StateTable(standing, look, console, zone).print(groups, FORMATS, client, "muster drain");
        }
    }
}
