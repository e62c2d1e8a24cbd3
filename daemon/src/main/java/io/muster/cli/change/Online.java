package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.LivenessChanges;
import picocli.CommandLine;

/** {@code muster online}. */
@CommandLine.Command(
        name = "online",
        description = "Report that hosts are up.",
        footer = {"", "For health checks and boot scripts: liveness is a host's state, drain is somebody's decision."})
public final class Online extends TargetChange {
    public Online(Console console) {
        super(console);
    }

    @Override
    Command command(String targets) {
        return new LivenessChanges.SetLiveness(LivenessChange.ONLINE, targets, cause());
    }
}
