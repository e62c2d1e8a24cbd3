package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.MembershipChanges;
import picocli.CommandLine;

/** {@code muster include}. */
@CommandLine.Command(
        name = "include",
        description = "Offer excluded or lost hosts again.",
        footer = {
            "",
            "Schedulers see them when they acquire the next time: RFC 28 has no way to tell one that holds the resources already.",
            "What resource.exclude in the configuration names is included there."
        })
public final class Include extends TargetChange {
    public Include(Console console) {
        super(console);
    }

    @Override
    Command command(String targets) {
        return new MembershipChanges.Include(targets, words());
    }

    @Override
    boolean takesDeparted() {
        return true;
    }
}
