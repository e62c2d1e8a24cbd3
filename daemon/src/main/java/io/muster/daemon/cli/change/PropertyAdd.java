package io.muster.daemon.cli.change;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Targets;
import io.muster.inventory.state.Command;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** {@code muster property add}. */
@CommandLine.Command(
        name = "add",
        description = "Give hosts a property.",
        footer = {
            "",
            "Properties are RFC 20's: queues are told apart by them. Schedulers in the field learn of the change when they"
                    + " acquire the next time."
        })
public final class PropertyAdd extends Change {
    @Parameters(
            index = "0",
            paramLabel = "NAME,...",
            split = ",",
            hideParamSyntax = true,
            description = "The property, or several.")
    private List<String> names = List.of();

    @Parameters(index = "1", paramLabel = "TARGETS", description = "Ranks, hosts, @PROPERTY or all.")
    private String targets = "";

    public PropertyAdd(Console console) {
        super(console);
    }

    @Override
    Command command(FluxClient client) throws IOException {
        return new Command.Properties(true, byName(names, Targets.spell(client, targets)));
    }

    static SortedMap<String, String> byName(List<String> names, String targets) {
        SortedMap<String, String> properties = new TreeMap<>();
        names.forEach(name -> properties.put(name, targets));
        return properties;
    }
}
