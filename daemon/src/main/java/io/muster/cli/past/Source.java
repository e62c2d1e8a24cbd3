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
public final class Source {
    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    @Mixin
    private final ServerOptions server = new ServerOptions();

    PastSource open(Console console) throws IOException {
        boolean daemonNamed = server.isGiven(console);
        if (place.isGiven()) {
            return new DiskPast(place.disk(), console);
        }
        LocalDisk disk = daemonNamed ? null : place.diskIfReadable();
        return disk != null ? new DiskPast(disk, console) : new ServerPast(server.connect(console), console);
    }
}
