package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Fold;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.Queues;
import io.muster.cli.ask.Summary;
import io.muster.cli.ask.TableOptions;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
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
    private final TableOptions look = new TableOptions();

    public ListVerb(Console console) {
        super(console);
    }

    @Override
    int run(FluxClient client, Usage usage, List<String> states, Idset among) throws IOException {
        if (json()) {
            console().json(json(usage, states, among));
        } else {
            List<Column> columns = look.choose(COLUMNS, FORMATS);
            Queues queues = columns.stream().anyMatch(ListVerb::knowsQueues) ? Queues.ask(client) : Queues.NONE;
            Fold fold = new Fold(usage.all(), columns, look.expand());
            for (String state : states) {
                Idset ranks = usage.in(state).intersect(among);
                if (!ranks.isEmpty() || !skipsEmpty()) {
                    add(fold, usage.all(), state, ranks, queues);
                }
            }
            Idset shown = usage.in(states).intersect(among);
            look.print(
                    fold.table(),
                    FORMATS,
                    console(),
                    console().zone(),
                    () -> Summary.instead(
                            console(), console().zone(), "muster list", client, Overview.ask(client), shown));
        }
        return Exit.OK;
    }

    private boolean skipsEmpty() {
        return skipEmpty || (!noSkipEmpty && isSelective());
    }

    private static boolean knowsQueues(Column column) {
        return column.name().equals("queue") || column.name().equals("propertiesx");
    }

    private void add(Fold fold, ResourceSet all, String state, Idset ranks, Queues queues) {
        if (ranks.isEmpty()) {
            fold.add(Map.of("state", state), ranks);
        }
        PropertyGroups.of(all, ranks).forEach((properties, alike) -> {
            List<String> otherProperties = new ArrayList<>(properties);
            otherProperties.removeAll(queues.requires().keySet());
            fold.add(
                    Map.of(
                            "state", state,
                            "queue", String.join(",", queues.of(properties, queues())),
                            "properties", String.join(",", properties),
                            "propertiesx", String.join(",", otherProperties)),
                    alike);
        });
    }

    private ObjectNode json(Usage usage, List<String> states, Idset among) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", Overview.SCHEMA_VERSION);
        ArrayNode groups = json.putArray("groups");
        for (String state : states) {
            PropertyGroups.of(usage.all(), usage.in(state).intersect(among)).forEach((properties, ranks) -> {
                ObjectNode group = groups.addObject().put("state", state).put("nnodes", ranks.size());
                group.put("ncores", usage.all().count("core", ranks));
                group.put("ngpus", usage.all().count("gpu", ranks));
                group.put("ranks", ranks.toString());
                group.put("hosts", usage.all().hostsOf(ranks).toString());
                ArrayNode names = group.putArray("properties");
                properties.forEach(names::add);
            });
        }
        return json;
    }
}
