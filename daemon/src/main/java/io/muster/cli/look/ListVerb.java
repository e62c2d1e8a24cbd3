package io.muster.cli.look;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Fold;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.ask.StateRow;
import io.muster.cli.ask.TableOptions;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Table;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster list}. */
@Command(
        name = "list",
        description = {
            "Show which hosts schedulers may use: free, allocated and down, with their cores and GPUs.",
            "Muster knows which hosts jobs use only if the bridge or muster-flux reports it. Otherwise it shows every host that "
                    + "is up as free."
        },
        footer = {"  muster list", "  muster list --state=up --queue=batch", "  muster list -no '{nodelist}' @gpu"})
public final class ListVerb extends UsageVerb {
    private static final Map<String, String> FORMATS = Map.of(
            "default",
            "state,properties,nnodes,ncores,ngpus,nodelist",
            "long",
            "state,properties,nnodes,ncores,ngpus,ranks,nodelist",
            "rlist",
            "state,properties,nnodes,ncores,ngpus,rlist");
    private static final List<Column> COLUMNS = List.of(
            Column.right("state", "STATE"),
            Column.left("queue", "QUEUE"),
            Column.flexible("properties", "PROPERTIES"),
            Column.flexible("propertiesx", "PROPERTIES"),
            Column.right("nnodes", "NNODES"),
            Column.right("ncores", "NCORES"),
            Column.right("ngpus", "NGPUS"),
            Column.ranks("ranks", "RANKS"),
            Column.hosts("nodelist", "NODELIST"),
            Column.flexible("rlist", "LIST"));

    @Option(names = "--skip-empty", description = "Print no lines without hosts. Default with -i, -q, -p or TARGETS.")
    private boolean skipEmpty;

    @Option(
            names = "--no-skip-empty",
            description = "Print lines without hosts too. Default without -i, -q, -p and TARGETS.")
    private boolean noSkipEmpty;

    @Mixin
    private final TableOptions look = new TableOptions(COLUMNS, FORMATS);

    public ListVerb(Console console) {
        super(console);
    }

    @Override
    int run(FluxClient client, ObjectNode question) throws IOException {
        List<Column> columns = json() ? List.of() : look.choose();
        boolean resources = columns.stream().anyMatch(column -> column.name().equals("rlist"));
        StateDocument list =
                StateDocument.ask(client, StateDocument.LIST, look.expand(question.put("rlist", resources), json()));
        if (json()) {
            console().json(list.json());
            return Exit.OK;
        }
        look.print(shown -> table(list, shown), console(), console().zone());
        list.warnOfPlans(console(), "muster list");
        return Exit.OK;
    }

    private Table table(StateDocument list, List<Column> columns) {
        Fold fold = new Fold(columns, look.expand());
        List<StateRow> groups = list.groups();
        List<String> queues = new StateRow(list.json()).names("queues");
        for (JsonNode each : list.json().path("states")) {
            String state = each.asText();
            List<StateRow> alike =
                    groups.stream().filter(group -> group.state().equals(state)).toList();
            alike.forEach(group -> fold.add(cells(group, queues), group));
            if (alike.isEmpty() && !skipsEmpty()) {
                fold.add(Map.of("state", state), StateRow.empty(state));
            }
        }
        return fold.table();
    }

    private boolean skipsEmpty() {
        return skipEmpty || (!noSkipEmpty && isSelective());
    }

    private static Map<String, String> cells(StateRow group, List<String> queues) {
        List<String> properties = group.names("properties");
        List<String> otherProperties = new ArrayList<>(properties);
        otherProperties.removeAll(queues);
        return Map.of(
                "state", group.state(),
                "queue", String.join(",", group.names("queues")),
                "properties", String.join(",", properties),
                "propertiesx", String.join(",", otherProperties));
    }
}
