package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.protocol.client.FluxClient;
import picocli.CommandLine;

/** {@code muster expiration clear}. */
@CommandLine.Command(
        name = "clear",
        description = "Remove the expiration of the resources. Schedulers are sent the change at once.",
        footer = {"  muster expiration clear", "  muster expiration clear --wait"})
public final class ExpirationClear extends Change {
    public ExpirationClear(Console console) {
        super(console);
    }

    @Override
    Command command(FluxClient client) {
        return new DefinitionChanges.SetExpiration(0);
    }
}
