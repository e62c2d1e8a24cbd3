package io.muster.daemon.cli.change;

import io.muster.daemon.cli.console.Console;
import io.muster.inventory.state.Command;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** {@code muster property remove}. */
@CommandLine.Command(
        name = "remove",
        description = "Take a property from hosts.",
        footer = {"", "Hosts that lack it are no error."})
public final class PropertyRemove extends Change {
    @Parameters(index = "0", paramLabel = "NAME", description = "The property.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "TARGETS", description = "An idset or a hostlist.")
    private String targets = "";

    public PropertyRemove(Console console) {
        super(console);
    }

    @Override
    Command command() {
        return new Command.Properties(false, new TreeMap<>(Map.of(name, targets)));
    }
}
