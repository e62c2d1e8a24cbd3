package io.muster.daemon;

import io.muster.daemon.config.AcquireSettings;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Storage;
import io.muster.daemon.core.AcquireStreams;
import io.muster.daemon.core.ChangeLog;
import io.muster.daemon.core.Committed;
import io.muster.daemon.core.Expiry;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.JournalStreams;
import io.muster.daemon.core.Reporters;
import io.muster.daemon.core.Snapshots;
import io.muster.daemon.core.Waiters;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.service.Streams;
import io.muster.inventory.axis.Liveness;
import org.jspecify.annotations.Nullable;

/**
 * The ledger, and the parts that run on the core thread.
 *
 * @param shared the ledger if it is on etcd; otherwise null
 */
record Core(
        Ledger ledger,
        @Nullable EtcdLedger shared,
        Inventory inventory,
        Streams streams,
        Expiry expiry,
        Snapshots snapshots)
        implements Configurable {

    /**
     * Builds the parts. Listeners are called in the order in which they are added: schedulers are sent a change before all
     * other clients.
     */
    static Core build(
            Ledger ledger,
            @Nullable EtcdLedger shared,
            Recovered recovered,
            Config config,
            Workers threads,
            Telemetry telemetry) {
        Committed found = new Committed(recovered.state(), ledger.durableSeq());
        Inventory inventory = new Inventory(
                ledger,
                found,
                threads.core(),
                threads.beside(threads.answers()),
                recovered.clock(),
                Inventory.MOST_IN_FLIGHT);
        AcquireStreams acquires =
                new AcquireStreams(inventory, threads.core(), telemetry.acquire(), threads.machine()::nanos);
        JournalStreams journals = new JournalStreams(inventory, recovered.recent());
        Waiters waiters = new Waiters(inventory);
        Reporters reporters = new Reporters(inventory, threads.core(), threads.machine()::nanos);
        Expiry expiry = new Expiry(inventory, threads.core(), telemetry.expired());
        Snapshots snapshots = new Snapshots(
                inventory, ledger, threads.worker(), config.storage().snapshotEvery(), telemetry::snapshot);
        inventory.brakes().count(telemetry::braked);
        inventory.listen(acquires);
        inventory.listen(journals);
        inventory.listen(waiters);
        inventory.listen(reporters);
        inventory.listen(expiry);
        inventory.listen(new ChangeLog(threads.worker()));
        inventory.listen(snapshots);
        Streams streams = new Streams(acquires, journals, waiters, reporters);
        Core core = new Core(ledger, shared, inventory, streams, expiry, snapshots);
        core.configure(config);
        return core;
    }

    /** Passes the settings that a reload may change to the parts, which know no configuration. For the core thread. */
    @Override
    public void configure(Config config) {
        AcquireSettings settings = config.streams();
        streams.acquires()
                .configure(
                        settings.acquire() == AcquireSettings.Acquire.SHARED,
                        settings.batch().toDuration());
        inventory.brakes().configure(config.brakes());
        expiry.policies().configure(config.policies());
        expiry.configure(config.holds()::taskFault);
        streams.reporters().configure(config.flux().live());
        inventory.clock().limits(limits(config));
        streams.journals().keep(config.storage().journalMax());
        snapshots.every(config.storage().snapshotEvery());
    }

    static WallClock.Limits limits(Config config) {
        Storage.Clock clock = config.clock();
        return new WallClock.Limits(
                clock.jump().seconds(), clock.gap().seconds(), clock.settle().seconds());
    }

    static Liveness.Status initial(Config config) {
        return config.streams().initial() == AcquireSettings.Initial.ONLINE
                ? Liveness.Status.ONLINE
                : Liveness.Status.OFFLINE;
    }
}
