package io.muster.daemon.core;

import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.level.Level;
import io.muster.inventory.state.StateJson;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Takes a snapshot of the state after a certain number of events, which keeps replay short, and when an upgrade is finished. The
 * worker thread serialises the state, which is immutable.
 */
public final class Snapshots implements Commits {
    private final Inventory inventory;
    private final Ledger ledger;
    private final Executor worker;
    private final Consumer<Outcome> done;
    private int every;
    private long taken;
    private Level level;

    /**
     * @param every number of events between snapshots
     * @param done receives the outcome of each snapshot, on the core thread
     */
    public Snapshots(Inventory inventory, Ledger ledger, Executor worker, int every, Consumer<Outcome> done) {
        this.inventory = inventory;
        this.ledger = ledger;
        this.worker = worker;
        this.every = every;
        this.done = done;
        this.taken = ledger.snapshotSeq();
        this.level = inventory.state().level();
    }

    /** Sets the number of events between snapshots. */
    public void every(int events) {
        every = events;
    }

    @Override
    public void settled() {
        if (inventory.seq() - taken >= every
                || (inventory.seq() > 0 && inventory.state().level() != level)) {
            take(done);
        }
    }

    public boolean isDue() {
        return inventory.seq() > taken;
    }

    /**
     * Takes a snapshot only to record that time has passed: the next start compares its clock with the last time that it
     * finds on disk.
     */
    public void refresh() {
        if (inventory.seq() > 0) {
            take(done);
        }
    }

    public void take(Consumer<Outcome> then) {
        Committed now = inventory.committed();
        taken = now.seq();
        level = now.state().level();
        worker.execute(() -> {
            ledger.raise(now.state().level());
            ledger.snapshot(now.seq(), StateJson.toBytes(now.state()), then);
        });
    }
}
