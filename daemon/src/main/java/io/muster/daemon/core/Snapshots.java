package io.muster.daemon.core;

import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.level.Level;
import io.muster.inventory.state.StateJson;
import java.util.concurrent.CompletableFuture;
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
    private CompletableFuture<Outcome> last = CompletableFuture.completedFuture(Outcome.DURABLE);

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
            take();
        }
    }

    /** Takes a snapshot if the last one failed or lacks events. Returns the outcome of the last one, which may be under way. */
    public CompletableFuture<Outcome> finish() {
        if (inventory.seq() > taken || (last.isDone() && !last.join().durable())) {
            take();
        }
        return last;
    }

    /**
     * Takes a snapshot only to record that time has passed: the next start compares its clock with the last time that it
     * finds on disk.
     */
    public void refresh() {
        if (inventory.seq() > 0) {
            take();
        }
    }

    private void take() {
        Committed now = inventory.committed();
        taken = now.seq();
        level = now.state().level();
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        last = outcome;
        worker.execute(() -> {
            ledger.raise(now.state().level());
            ledger.snapshot(now.seq(), StateJson.toBytes(now.state()), result -> {
                outcome.complete(result);
                done.accept(result);
            });
        });
    }
}
