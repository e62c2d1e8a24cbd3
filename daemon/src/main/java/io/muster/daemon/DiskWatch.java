package io.muster.daemon;

import io.muster.daemon.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Asks the ledger regularly whether it can write, so that health reports a missing state directory, and a disk that refused changes is
 * used again before the next request arrives. Also measures the free space, on the worker thread, because a disk may not answer.
 */
final class DiskWatch {
    private static final long EVERY_SECONDS = 2;

    private final Ledger ledger;
    private final Path directory;
    private final Executor worker;
    private final AtomicBoolean waiting = new AtomicBoolean();
    private volatile double free = Double.NaN;

    /** @param directory the state directory */
    DiskWatch(Ledger ledger, Path directory, Executor worker) {
        this.ledger = ledger;
        this.directory = directory;
        this.worker = worker;
    }

    void start(ScheduledExecutorService executor) {
        var unused = executor.scheduleWithFixedDelay(this::look, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
    }

    void look() {
        ledger.probe();
        if (waiting.compareAndSet(false, true)) {
            worker.execute(this::measure);
        }
    }

    private void measure() {
        waiting.set(false);
        try {
            free = (double) Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            free = Double.NaN;
        }
    }

    /** Returns how many bytes the daemon can still write; NaN if that is not known. Any thread may call this. */
    double free() {
        return free;
    }
}
