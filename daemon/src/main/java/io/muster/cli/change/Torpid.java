package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.LivenessChanges;
import picocli.CommandLine;

/** {@code muster torpid}. */
@CommandLine.Command(
        name = "torpid",
        description =
                "Report that hosts are connected, but have not been heard from lately; they are down until lively.",
        footer = {"", "For health checks and boot scripts: liveness is a host's state, drain is somebody's decision."})
public final class Torpid extends TargetChange {
    public Torpid(Console console) {
        super(console);
    }

    @Override
    Command command(String targets) {
        return new LivenessChanges.SetLiveness(LivenessChange.TORPID, targets, cause());
    }
}
