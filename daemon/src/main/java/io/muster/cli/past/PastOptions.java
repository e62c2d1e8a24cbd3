package io.muster.cli.past;

import io.muster.cli.ask.ServerOptions;
import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.terminal.Console;
import io.muster.daemon.journal.disk.LocalDisk;
import java.io.IOException;
import picocli.CommandLine.Mixin;

/**
 * Chooses where the past is read. The verb reads it from disk if the user names a state directory, or if the usual one is
 * readable and the user names no daemon; otherwise the verb asks the daemon, which reads its own disk.
 */
public final class PastOptions {
    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    PastSource open(Console console) throws IOException {
        ServerOptions server = place.server();
        if (place.isGiven()) {
            return new DiskPast(place.disk(console), place, console);
        }
        LocalDisk disk = server.isGiven(console) ? null : place.diskIfReadable(console);
        return disk != null ? new DiskPast(disk, place, console) : new ServerPast(server.connect(console));
    }
}
