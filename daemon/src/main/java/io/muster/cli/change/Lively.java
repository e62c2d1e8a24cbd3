package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.LivenessChanges;
import picocli.CommandLine;

/** {@code muster lively}. */
@CommandLine.Command(
        name = "lively",
        description = "Report that torpid hosts are heard from again.",
        footer = {"", "For health checks and boot scripts: liveness is a host's state, drain is somebody's decision."})
public final class Lively extends TargetChange {
    public Lively(Console console) {
        super(console);
    }

    @Override
    Command command(String targets) {
        return new LivenessChanges.SetLiveness(LivenessChange.LIVELY, targets, cause());
    }
}
