package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.LivenessChanges;
import picocli.CommandLine;

/** {@code muster offline}. */
@CommandLine.Command(
        name = "offline",
        description = "Report that hosts are down, with the cause.",
        footer = {"", "For health checks and boot scripts: liveness is a host's state, drain is somebody's decision."})
public final class Offline extends TargetChange {
    public Offline(Console console) {
        super(console);
    }

    @Override
    Command command(String targets) {
        return new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, targets, cause());
    }
}
