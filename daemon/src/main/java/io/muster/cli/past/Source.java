package io.muster.cli.past;

import io.muster.cli.ask.DiskEvents;
import io.muster.cli.ask.Events;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.terminal.Console;
import io.muster.daemon.journal.JournalDump;
import io.muster.daemon.journal.disk.LocalDisk;
import java.io.IOException;
import picocli.CommandLine.Mixin;

/**
 * Chooses where past events are read. They are read from disk, which has all of them, if the user names a state directory or
 * if the usual one is readable; from a daemon if the user names one or if no directory is readable.
 */
public final class Source {
    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    @Mixin
    private final ServerOptions server = new ServerOptions();

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
