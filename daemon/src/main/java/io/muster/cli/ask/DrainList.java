package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Zone;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The list that {@code muster drain} prints without targets. */
public final class DrainList {
    private static final Map<String, String> FORMATS = Map.of(
            "default",
            "since,state,holder,reason,nodelist",
            "long",
            "timestamp,state,holder,by,until,class,ticket,ranks,reason,nodelist");

    @Option(
            names = "--planned",
            description =
                    "List the holds that are planned and have not begun: when they begin and end, and who planned them.")
    private boolean planned;

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    @Mixin
    private final TableOptions look = StateTable.options(FORMATS);

    public boolean isOfPlans() {
        return planned;
    }

    public void print(FluxClient client, Console console, Zone zone, boolean json, PurposeOptions purpose)
            throws IOException {
        ObjectNode question =
                purpose.ask(selection.question(console, List.of())).put("states", "drain");
        StateDocument document = StateDocument.ask(client, StateDocument.HOLDS, look.expand(question, json));
        if (json) {
            console.json(document.json());
        } else if (planned) {
            Table table = PlanText.table(document, zone);
            console.print(table.rows().isEmpty() ? "" : table.render(true, console.style()));
        } else {
            new StateTable(look, console, zone).print(document);
        }
    }
}
