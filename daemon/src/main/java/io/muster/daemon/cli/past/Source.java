package io.muster.daemon.cli.past;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Server;
import io.muster.daemon.journal.JournalDump;
import io.muster.daemon.journal.disk.LocalDisk;
import java.io.IOException;
import picocli.CommandLine.Mixin;

/**
 * Chooses the source of history. The disk, which holds all of it, is read when a state directory is named or the usual one is readable. The
 * daemon is asked when one is named or no directory is readable.
 */
public final class Source {
    @Mixin
    private final Place place = new Place();

    @Mixin
    private final Server server = new Server();

    Events open(Console console) throws IOException {
        boolean daemonNamed = server.isGiven(console);
        if (place.isGiven()) {
            return new DiskEvents(place.disk(), JournalDump.Range.ALL, console);
        }
        LocalDisk disk = daemonNamed ? null : place.diskIfReadable();
        return disk != null
                ? new DiskEvents(disk, JournalDump.Range.ALL, console)
                : new DaemonEvents(server.connect(console));
    }
}
