package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** {@code muster property add} and {@code muster property remove}. */
public abstract class PropertyChange extends Change {
    private final boolean add;

    @Parameters(
            index = "0",
            paramLabel = "NAME,...",
            split = ",",
            hideParamSyntax = true,
            description = "The properties, separated by commas.")
    private List<String> names = List.of();

    @Parameters(
            index = "1",
            paramLabel = "TARGETS",
            description = "Ranks, hosts, @PROPERTY, @{EXPR} or all. - reads them from standard input.")
    private String targets = "";

    private PropertyChange(Console console, boolean add) {
        super(console);
        this.add = add;
    }

    @Override
    Command command(FluxClient client) throws IOException {
        String spelt = targets(targets);
        SortedMap<String, String> properties = new TreeMap<>();
        names.forEach(name -> properties.put(name, spelt));
        return new DefinitionChanges.ChangeProperties(add, properties);
    }

    @Override
    final String unchanged() {
        return (add ? "every target has " : "no target has ") + String.join(", ", names) + (add ? " already" : "");
    }

    @CommandLine.Command(
            name = "add",
            description = {
                "Give hosts properties.",
                "Properties are those of RFC 20; queues select hosts by them. Schedulers learn of the change when they"
                        + " are loaded again; with properties = \"live\" in [flux], Fluxion learns of it at once."
            },
            footer = {"  muster property add gpu node[0-3]", "  muster property add batch,fast @rack4"})
    public static final class Add extends PropertyChange {
        public Add(Console console) {
            super(console, true);
        }
    }

    @CommandLine.Command(
            name = "remove",
            description = {
                "Take properties from hosts.",
                "A host without the property is not an error. If no target has it, the command says that nothing was changed.",
                "With properties = \"live\" in [flux], Flux ends waiting jobs that have too few hosts then. The command says how"
                        + " many, as far as the bridge knows, and asks on a terminal."
            },
            footer = {"  muster property remove gpu node[0-3]", "  muster property remove batch,fast all"})
    public static final class Remove extends PropertyChange {
        public Remove(Console console) {
            super(console, false);
        }
    }
}
