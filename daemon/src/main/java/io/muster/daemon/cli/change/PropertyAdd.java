package io.muster.daemon.cli.change;

import io.muster.daemon.cli.console.Console;
import io.muster.inventory.state.Command;
import java.util.Map;
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
    @Parameters(index = "0", paramLabel = "NAME", description = "The property.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "TARGETS", description = "An idset or a hostlist.")
    private String targets = "";

    public PropertyAdd(Console console) {
        super(console);
    }

    @Override
    Command command() {
        return new Command.Properties(true, new TreeMap<>(Map.of(name, targets)));
    }
}
