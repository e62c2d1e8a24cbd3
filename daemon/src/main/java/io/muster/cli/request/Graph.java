package io.muster.cli.request;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Extended;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.Picture;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.graph.Walker;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.NotJson;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.client.FluxClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster graph}. */
@Command(
        name = "graph",
        description = {
            "Show the resources as a graph (RFC 4): which resource contains which.",
            "If R has a graph of its own, that graph is shown. Otherwise, all resources of one type on a node "
                    + "form one pool."
        },
        footer = {
            "  muster graph --depth=1",
            "  muster graph --format=dot | dot -Tsvg > graph.svg",
            "  muster graph --file=R.json --format=jgf"
        })
public final class Graph extends Verb {
    private static final int ALL_LEVELS = 100;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description =
                    "Show the R (RFC 20) or the JSON Graph Format in this file, and ask no daemon. - reads standard "
                            + "input.")
    private @Nullable String file;

    @Option(
            names = {"-d", "--depth"},
            paramLabel = "N",
            description = "Show only this many levels below the root.")
    private int depth = ALL_LEVELS;

    @Option(
            names = {"-s", "--subsystem"},
            paramLabel = "NAME",
            defaultValue = EdgeKind.CONTAINMENT,
            description = "Show this hierarchy. Default: ${DEFAULT-VALUE}.")
    private String subsystem = EdgeKind.CONTAINMENT;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "tree",
            description = "Print a tree; dot, for Graphviz; or jgf, the JSON of the scheduling key of R. Default: "
                    + "${DEFAULT-VALUE}.")
    private String format = "tree";

    @Option(
            names = "--full",
            description =
                    "Show every core and GPU. In jgf, also print uniq_id and status with the values that Fluxion assumes.")
    private boolean full;

    public Graph(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        if (depth < 0) {
            throw new Failure(Exit.USAGE, "--depth: " + depth + " is negative");
        }
        if (!format.equals("tree") && !format.equals("dot") && !format.equals("jgf")) {
            throw new Failure(Exit.USAGE, "--format: " + format + " is not one of tree, dot and jgf");
        }
        ResourceGraph graph = file == null ? ofServer() : ofFile(new Source(file));
        if (graph.root(subsystem) < 0) {
            throw new Failure(
                    Exit.ERROR,
                    "--subsystem: the graph has no " + subsystem + "; it has " + String.join(", ", graph.subsystems()));
        }
        show(graph);
        return Exit.OK;
    }

    private void show(ResourceGraph graph) throws IOException {
        switch (format) {
            case "dot" -> console().print(new Picture(graph, subsystem, depth).dot());
            case "jgf" -> jgf(graph);
            default ->
                new Picture(graph, subsystem, depth)
                        .tree(console().style().marks() ? Picture.Lines.BOXES : Picture.Lines.ASCII)
                        .lines()
                        .forEach(console()::println);
        }
    }

    private ResourceGraph ofServer() throws IOException {
        try (FluxClient client = server.connect(console())) {
            ResourceSet resources =
                    ResourceSet.parse(client.rpc("resource.get", null).path("R"));
            InventoryState state = Overview.ask(client).state();
            Idset drained = state.holds().held().intersect(state.members());
            ResourceGraph graph =
                    ofSet(resources).withLiveState(resources, state.view().up(), drained);
            Idset excluded = resources.ranks().subtract(state.members());
            return graph.state(graph.nodesOf(resources, excluded), Extended.EXCLUDED);
        }
    }

    private ResourceGraph ofFile(Source source) throws IOException {
        try {
            byte[] json = source.bytes(console());
            return isGraph(json)
                    ? Jgf.read(new ByteArrayInputStream(json))
                    : ofSet(ResourceSet.parse(new JsonMapper().readTree(json)));
        } catch (JsonProcessingException e) {
            throw new Failure(Exit.ERROR, source.shown() + ": not JSON: " + NotJson.sentence(e));
        } catch (InvalidException e) {
            throw new Failure(Exit.ERROR, source.shown() + ": " + e.getMessage());
        }
    }

    /** Returns whether the document is JGF, which is then read element by element, because its tree may need a gigabyte. */
    private static boolean isGraph(byte[] json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
                if (key.equals("graph")) {
                    return true;
                }
                parser.nextToken();
                parser.skipChildren();
            }
            return false;
        }
    }

    private ResourceGraph ofSet(ResourceSet resources) {
        Detail parts = full ? Detail.UNITS : Detail.POOLS;
        return Structure.of(resources, depth < 2 ? Detail.NODES : parts);
    }

    private void jgf(ResourceGraph graph) throws IOException {
        Jgf.Form form = full ? Jgf.Form.FULL : Jgf.Form.TERSE;
        try (JsonGenerator json = new JsonFactory().createGenerator(console().jsonWriter())) {
            if (depth == ALL_LEVELS) {
                Jgf.write(graph, form, json);
            } else {
                Idset.Builder shown = Idset.builder();
                Walker.of(graph, subsystem)
                        .pruning(visit -> visit.depth() < depth)
                        .walk(visit -> shown.add(visit.vertex()));
                Jgf.write(graph, form, shown.build(), json);
            }
        }
        console().print("\n");
    }
}
