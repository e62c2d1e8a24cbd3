package io.muster.daemon;

import io.muster.daemon.journal.Journal;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Asks the journal every so often whether it can write, so that health says that the state directory is gone, and a disk that
 * refused changes is in use again, before the next admin asks.
 */
final class DiskWatch {
    private static final long EVERY_SECONDS = 2;

    private final Journal journal;

    DiskWatch(Journal journal) {
        this.journal = journal;
    }

    void start(ScheduledExecutorService executor) {
        var unused = executor.scheduleWithFixedDelay(this::look, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
    }

    void look() {
        journal.probe();
    }
}
