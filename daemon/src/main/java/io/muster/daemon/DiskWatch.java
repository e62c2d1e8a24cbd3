package io.muster.daemon;

import io.muster.daemon.journal.Condition;
import io.muster.daemon.journal.Journal;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** While the disk refuses changes, asks it again every so often, so that it is well again before the next admin asks. */
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
        Condition condition = journal.status().condition();
        if (condition == Condition.READ_ONLY || condition == Condition.UNCERTAIN) {
            journal.probe();
        }
    }
}
