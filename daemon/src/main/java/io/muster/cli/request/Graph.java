package io.muster.cli.request;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.inventory.find.Expression;
import io.muster.inventory.find.Search;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.GraphEntry;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.Picture;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.graph.Walker;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.NotJson;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import io.muster.inventory.status.LiveGraph;
import io.muster.protocol.admin.Get;
import io.muster.protocol.client.FluxClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster graph}. */
@Command(
        name = "graph",
        description = {
            "Show the resources as a graph (RFC 4): which resource contains which.",
            "The graph is that of the [[graph]] entries of the configuration or, without entries, R's own. If R has "
                    + "no graph, all resources of one type on a node form one pool."
        },
        footer = {
            "  muster graph --format=svg > graph.svg",
            "  muster graph --subsystem=power --from=pdu3",
            "  muster graph --file=R.json --format=jgf"
        })
public final class Graph extends Verb {
    private static final int ALL_LEVELS = 100;

    /** The width of a tree that is not printed to a terminal. */
    private static final int WIDE = 250;

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
            names = "--from",
            paramLabel = "PATH",
            description = "Show only this resource and what is below it: a path such as /cluster0/rack1, a name, or an "
                    + "expression of `muster find`.")
    private @Nullable String from;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "tree",
            description =
                    "Print a tree; svg, an image; dot, for Graphviz; or jgf, the JSON of the scheduling key of R. "
                            + "Default: ${DEFAULT-VALUE}.")
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
        if (!List.of("tree", "svg", "dot", "jgf").contains(format)) {
            throw new Failure(Exit.USAGE, "--format: " + format + " is not one of tree, svg, dot and jgf");
        }
        ResourceGraph graph = file == null ? ofServer() : ofFile(new Source(file));
        if (graph.root(subsystem) < 0) {
            throw new Failure(
                    Exit.ERROR,
                    "--subsystem: the graph has no " + subsystem + "; it has " + String.join(", ", graph.subsystems()));
        }
        show(graph, starts(graph));
        return Exit.OK;
    }

    private Idset starts(ResourceGraph graph) {
        if (from == null) {
            return graph.tops(subsystem);
        }
        Idset found;
        try {
            Search search = new Search(Expression.parse(from), subsystem, null, null, null, 0, "");
            found = search.in(graph, ResourceSet.EMPTY).vertices();
        } catch (MalformedException e) {
            throw new Failure(Exit.ERROR, "--from: " + e.getMessage());
        }
        if (found.isEmpty()) {
            throw new Failure(Exit.ERROR, "--from: " + subsystem + " has no " + from);
        }
        if (found.size() > 1) {
            throw new Failure(
                    Exit.ERROR,
                    "--from: " + subsystem + " has " + found.size() + " vertices " + from + ", such as "
                            + graph.path(found.first(), subsystem) + "; name one by its path");
        }
        return found;
    }

    private void show(ResourceGraph graph, Idset starts) throws IOException {
        Picture picture = new Picture(graph, subsystem, starts, depth);
        switch (format) {
            case "dot" -> console().print(picture.dot());
            case "svg" -> console().print(svg(picture));
            case "jgf" -> jgf(graph, starts);
            default ->
                picture.tree(
                                console().style().marks() ? Picture.Lines.BOXES : Picture.Lines.ASCII,
                                console().style().width() == 0
                                        ? WIDE
                                        : console().style().width(),
                                console().style()::paint)
                        .lines()
                        .forEach(console()::println);
        }
    }

    private static String svg(Picture picture) {
        try {
            return picture.svg();
        } catch (IllegalArgumentException e) {
            throw new Failure(Exit.ERROR, e.getMessage() + "; draw less with --depth or --from");
        }
    }

    private ResourceGraph ofServer() throws IOException {
        try (FluxClient client = server.connect(console())) {
            Get answer = Get.parse(client.rpc("resource.get", null));
            ObjectNode all = StateDocument.ask(client, StateDocument.STATE, JsonNodeFactory.instance.objectNode())
                    .json();
            InventoryState state = StateJson.parse(all.withObject("/state").set("R", all.path("R")));
            boolean noted = state.notes().inside().keySet().stream().anyMatch(path -> !path.isEmpty());
            return LiveGraph.of(Structure.of(answer.resources(), entries(answer), detail(full || noted)), state);
        }
    }

    private static List<GraphEntry> entries(Get answer) {
        Problems problems = new Problems();
        List<GraphEntry> entries =
                answer.graph().isMissingNode() ? List.of() : GraphEntry.readAll(answer.graph(), "graph", problems);
        problems.throwIfAny("resource.get");
        return entries;
    }

    private ResourceGraph ofFile(Source source) throws IOException {
        try {
            byte[] json = source.bytes(console());
            return isGraph(json)
                    ? Jgf.read(new ByteArrayInputStream(json))
                    : Structure.of(ResourceSet.parse(new JsonMapper().readTree(json)), detail(full));
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

    /** @param units whether every core and GPU is a vertex, because a note is on one of them */
    private Detail detail(boolean units) {
        Detail parts = units ? Detail.UNITS : Detail.POOLS;
        return depth < 2 ? Detail.NODES : parts;
    }

    private void jgf(ResourceGraph graph, Idset starts) throws IOException {
        Jgf.Form form = full ? Jgf.Form.FULL : Jgf.Form.TERSE;
        try (JsonGenerator json = new JsonFactory().createGenerator(console().jsonWriter())) {
            if (depth == ALL_LEVELS && from == null) {
                Jgf.write(graph, form, json);
            } else {
                Idset.Builder shown = Idset.builder();
                Walker.of(graph, subsystem)
                        .from(starts)
                        .pruning(visit -> visit.depth() < depth)
                        .walk(visit -> shown.add(visit.vertex()));
                Jgf.write(graph, form, shown.build(), json);
            }
        }
        console().print("\n");
    }
}
