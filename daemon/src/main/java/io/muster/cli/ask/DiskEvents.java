package io.muster.cli.ask;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Progress;
import io.muster.daemon.journal.JournalDump;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the events in all segments that the disk has. A line that cannot be read is reported on standard error and skipped. */
public final class DiskEvents implements Closeable {
    private final JournalDump dump;
    private final Progress progress;
    private boolean damaged;

    public DiskEvents(Disk disk, JournalDump.Range range, Console console) throws IOException {
        this.dump = JournalDump.open(disk, range, damage -> {
            damaged = true;
            StateDirOptions.say(console, String.valueOf(damage.getMessage()));
        });
        this.progress = new Progress(console, "reading the journal", dump.totalBytes());
    }

    public @Nullable JournalRecord nextRecord() throws IOException {
        JournalRecord next = dump.next();
        progress.at(dump.bytesRead());
        return next;
    }

    public boolean isDamaged() {
        return damaged;
    }

    @Override
    public void close() throws IOException {
        progress.close();
        dump.close();
    }
}
