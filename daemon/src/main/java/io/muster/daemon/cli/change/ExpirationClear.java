package io.muster.daemon.cli.change;

import io.muster.daemon.cli.console.Console;
import io.muster.inventory.state.Command;
import picocli.CommandLine;

/** {@code muster clear}. */
@CommandLine.Command(name = "clear", description = "Let the resources never expire. Schedulers are told at once.")
public final class ExpirationClear extends Change {
    public ExpirationClear(Console console) {
        super(console);
    }

    @Override
    Command command() {
        return new Command.SetExpiration(0);
    }
}
