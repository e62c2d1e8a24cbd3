package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.MembershipChanges;
import picocli.CommandLine;

/** {@code muster exclude}. */
@CommandLine.Command(
        name = "exclude",
        description = "Withhold hosts from schedulers: down at once, and not offered to the next one that acquires.",
        footer = {"", "Ends all holds on them. They stay excluded, over restarts too, until `muster include`."})
public final class Exclude extends TargetChange {
    public Exclude(Console console) {
        super(console);
    }

    @Override
    Command command(String targets) {
        return new MembershipChanges.Exclude(targets, words());
    }
}
