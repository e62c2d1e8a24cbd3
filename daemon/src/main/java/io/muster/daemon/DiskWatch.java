package io.muster.daemon;

import io.muster.daemon.ledger.Ledger;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Asks the ledger regularly whether it can write, so that health reports a missing state directory, and a disk that refused changes is
 * used again before the next request arrives.
 */
final class DiskWatch {
    private static final long EVERY_SECONDS = 2;

    private final Ledger ledger;

    DiskWatch(Ledger ledger) {
        this.ledger = ledger;
    }

    void start(ScheduledExecutorService executor) {
        var unused = executor.scheduleWithFixedDelay(this::look, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
    }

    void look() {
        ledger.probe();
    }
}
