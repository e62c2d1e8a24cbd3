package io.muster.daemon.cli.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Failure;
import io.muster.daemon.cli.console.ServerVerb;
import io.muster.daemon.cli.console.Standing;
import io.muster.daemon.cli.render.Column;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster list}. */
@Command(
        name = "list",
        description = "Show what schedulers may use: free, allocated and down, with cores and GPUs.",
        footer = {"", "What is allocated only a Flux broker knows; asked of Muster, all that is up is free."})
public final class Listing extends ServerVerb {
    private static final String USUAL = "state,properties,nnodes,ncores,ngpus,nodelist";
    private static final String DEFAULT = "free,allocated,down";
    private static final List<Column> COLUMNS = List.of(
            Column.right("state", "STATE"),
            Column.flexible("properties", "PROPERTIES"),
            Column.flexible("propertiesx", "PROPERTIES"),
            Column.right("nnodes", "NNODES"),
            Column.right("ncores", "NCORES"),
            Column.right("ngpus", "NGPUS"),
            Column.flexible("ranks", "RANKS"),
            Column.flexible("nodelist", "NODELIST"));

    @Parameters(arity = "0..1", paramLabel = "TARGETS", description = "Only these: an idset or a hostlist.")
    private @Nullable String targets;

    @Option(
            names = {"-s", "--states"},
            paramLabel = "STATE,...",
            description = "free, allocated, down, up (both of the first) or all. Default: free,allocated,down.")
    private String states = DEFAULT;

    @Mixin
    private final Selection selection = new Selection();

    @Mixin
    private final Look look = new Look();

    public Listing(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        List<String> wanted = wanted();
        Usage usage = Usage.parse(client.rpc("resource.sched-status", null));
        Idset among = selection.among(usage.all(), targets);
        if (json()) {
            console().json(json(usage, wanted, among));
        } else {
            Fold fold = new Fold(usage.all(), look.choose(COLUMNS, USUAL, USUAL), look.expand());
            for (String state : wanted) {
                add(fold, usage.all(), state, usage.in(state).intersect(among));
            }
            look.print(fold.table(), console());
        }
        return Exit.OK;
    }

    private List<String> wanted() {
        String[] words = (states.equals("all") ? DEFAULT : states).split(",");
        for (String word : words) {
            if (!List.of("free", "allocated", "down", "up").contains(word)) {
                throw new Failure(
                        Exit.USAGE,
                        "--states: there is no state " + word,
                        "the states are free, allocated, down, up, all");
            }
        }
        return List.of(words);
    }

    private static void add(Fold fold, ResourceSet all, String state, Idset ranks) {
        if (ranks.isEmpty()) {
            fold.add(Map.of("state", state), ranks);
        }
        PropertyGroups.of(all, ranks).forEach((properties, alike) -> {
            String names = String.join(",", properties);
            fold.add(Map.of("state", state, "properties", names, "propertiesx", names), alike);
        });
    }

    private ObjectNode json(Usage usage, List<String> wanted, Idset among) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", Standing.SCHEMA_VERSION);
        ArrayNode groups = json.putArray("groups");
        for (String state : wanted) {
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
