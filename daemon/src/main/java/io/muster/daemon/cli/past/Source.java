package io.muster.daemon.cli.past;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Server;
import io.muster.daemon.journal.JournalDump;
import io.muster.daemon.journal.disk.LocalDisk;
import java.io.IOException;
import picocli.CommandLine.Mixin;

/**
 * Where history is read: on disk, which holds all of it, when a state directory is named or the usual one is ours to
 * read; over the socket when a daemon is named, or there is nothing to read here.
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
