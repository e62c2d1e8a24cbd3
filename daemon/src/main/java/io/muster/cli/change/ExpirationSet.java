package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.When;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.protocol.client.FluxClient;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster expiration set}. */
@CommandLine.Command(
        name = "set",
        description = {
            "Set when the resources expire. Schedulers are sent the change at once.",
            "A time in the past ends running jobs; it needs -f."
        },
        footer = {"  muster expiration set 2d", "  muster expiration set 2027-01-31T18:00"})
public final class ExpirationSet extends Change {
    @Parameters(
            index = "0",
            paramLabel = "TIME",
            description =
                    "When the resources expire. 4h means in 4 hours, and \"tue 16:00\" the next Tuesday at that time."
                            + " Forms: " + When.FORMS + ".")
    private String time = "";

    @Option(
            names = {"-f", "--force"},
            description = "Accept a time in the past.")
    private boolean force;

    public ExpirationSet(Console console) {
        super(console);
    }

    @Override
    Command command(FluxClient client) {
        double expiration = zone.future(time, console());
        if (expiration <= console().now() && !force) {
            throw new Failure(Exit.USAGE, time + " is in the past", "-f sets it nevertheless");
        }
        return new DefinitionChanges.SetExpiration(expiration);
    }
}
