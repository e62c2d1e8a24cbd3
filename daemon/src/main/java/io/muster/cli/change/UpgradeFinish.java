package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.FormatChanges;
import io.muster.protocol.client.FluxClient;
import picocli.CommandLine;

/** {@code muster upgrade finish}. */
@CommandLine.Command(
        name = "finish",
        description = {
            "Let the daemon write the newest format level. This cannot be undone.",
            "After an upgrade, the daemon keeps writing the format level that it found, so that the earlier "
                    + "version can start again and finds every change. After `muster upgrade finish`, the earlier version "
                    + "refuses to start on this state directory. `muster upgrade status` shows what the newest level "
                    + "permits."
        },
        footer = {"  muster upgrade finish --dry-run", "  muster upgrade finish"})
public final class UpgradeFinish extends Change {
    public UpgradeFinish(Console console) {
        super(console);
    }

    @Override
    Command command(FluxClient client) {
        return new FormatChanges.FinishUpgrade();
    }
}
