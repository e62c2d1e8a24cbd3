package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.MembershipChanges;
import picocli.CommandLine;

/** {@code muster shrink}. */
@CommandLine.Command(
        name = "shrink",
        description = "Say that hosts have left for good (RFC 28): schedulers drop them from what they plan with.",
        footer = {"", "They do not come back to a scheduler that was told; `muster include` offers them to the next."})
public final class Shrink extends TargetChange {
    public Shrink(Console console) {
        super(console);
    }

    @Override
    Command command(String targets) {
        return new MembershipChanges.Shrink(targets, words());
    }
}
