package io.muster.daemon.cli.change;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Targets;
import io.muster.inventory.state.Command;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** {@code muster property remove}. */
@CommandLine.Command(
        name = "remove",
        description = "Take a property from hosts.",
        footer = {"", "Hosts that lack it are no error."})
public final class PropertyRemove extends Change {
    @Parameters(
            index = "0",
            paramLabel = "NAME,...",
            split = ",",
            hideParamSyntax = true,
            description = "The property, or several.")
    private List<String> names = List.of();

    @Parameters(index = "1", paramLabel = "TARGETS", description = "Ranks, hosts, @PROPERTY or all.")
    private String targets = "";

    public PropertyRemove(Console console) {
        super(console);
    }

    @Override
    Command command(FluxClient client) throws IOException {
        return new Command.Properties(false, PropertyAdd.byName(names, Targets.spell(client, targets)));
    }
}
