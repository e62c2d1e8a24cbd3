package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.state.AcquisitionChanges;
import io.muster.inventory.state.Command;
import io.muster.protocol.client.FluxClient;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** {@code muster acquire release}. */
@CommandLine.Command(
        name = "release",
        description = {
            "End an acquisition that has an owner, so that another scheduler can acquire.",
            "An acquisition with an owner stays when its connection ends, until the owner comes back or its grace is over."
                    + " This verb ends it at once. If the owner is connected, its stream ends with an error."
        },
        footer = {"  muster acquire release", "  muster acquire release flux:prod"})
public final class AcquireRelease extends Change {
    @Parameters(
            arity = "0..1",
            paramLabel = "OWNER",
            description =
                    "Owner of the acquisition, as `muster status --json` shows it. Not needed if there is only one.")
    private String owner = "";

    public AcquireRelease(Console console) {
        super(console);
    }

    @Override
    Command command(FluxClient client) {
        return new AcquisitionChanges.Release(owner, null);
    }
}
