package io.muster.daemon.core;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.StateJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The core as the daemon builds it, on a disk in memory and a thread that the test drives. The journal runs on its usual thread; {@link
 * #settle} waits until the journal has completed everything.
 */
public final class Rig implements AutoCloseable {
    public static final Instant START = Instant.ofEpochSecond(1_700_000_000);
    public static final Principal ALICE = new Principal(1001, "alice", 4711);
    public static final Principal BOB = new Principal(1002, "bob", 4712);

    private static final long PATIENCE_SECONDS = 120;
    private static final int MANY = Integer.MAX_VALUE / 2;

    public final FaultyDisk disk;
    public final HandDriven core;
    public final Journal journal;
    public final Inventory inventory;
    public final AcquireStreams acquires;
    public final JournalStreams journals;
    public final Waiters waiters;
    public final Reporters reporters;
    public final Expiry expiry;
    public final WallClock clock;
    public final Meters meters = new Meters();

    /** Notes of the tests, in order. */
    public final List<String> told = new ArrayList<>();

    private final Semaphore forces = new Semaphore(MANY);
    /** Has a permit for each force that {@link #holdDisk} blocks. */
    private final Semaphore held = new Semaphore(0);

    private Rig(FaultyDisk disk, HandDriven core, int mostInFlight, int journalMax) {
        this.disk = disk;
        this.core = core;
        Past past = new Past(journalMax);
        clock = new WallClock(core, core::nanos, new WallClock.Limits(900, 7 * 86_400, 3600));
        try {
            journal = Journal.open(disk, JournalSettings.DEFAULT, past, new LedgerListener() {}, core, clock);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        clock.start(past.last);
        inventory = new Inventory(
                journal,
                new Committed(past.state, journal.durableSeq()),
                core,
                new Aside(core, core),
                clock,
                mostInFlight);
        acquires = new AcquireStreams(inventory, core, meters, core::nanos);
        journals = new JournalStreams(inventory, past.recent);
        waiters = new Waiters(inventory);
        reporters = new Reporters(inventory, core, core::nanos);
        expiry = new Expiry(inventory, core, meters::expired);
        inventory.listen(acquires);
        inventory.listen(journals);
        inventory.listen(waiters);
        inventory.listen(reporters);
        inventory.listen(expiry);
    }

    public static Rig empty() {
        return on(new FaultyDisk(new MemoryDisk()), new HandDriven(START));
    }

    /** Returns a rig that starts on an existing disk. */
    public static Rig on(FaultyDisk disk, HandDriven core) {
        return new Rig(disk, core, 1 << 16, 1000);
    }

    public static Rig with(int mostInFlight, int journalMax) {
        Rig rig = new Rig(new FaultyDisk(new MemoryDisk()), new HandDriven(START), mostInFlight, journalMax);
        rig.define(nodes("node[0-3]"));
        return rig;
    }

    /** Returns a rig of four nodes with four cores each, all online. */
    public static Rig ofFour() {
        Rig rig = empty();
        rig.define(nodes("node[0-3]"));
        return rig;
    }

    /** Returns a resource set of hosts with four cores each. */
    public static ResourceSet nodes(String hosts) {
        Hostlist names = Hostlist.parse(hosts);
        return ResourceSet.of(names, Idset.range(0, names.size() - 1), Idset.range(0, 3), Idset.EMPTY, Map.of());
    }

    public void define(ResourceSet resources) {
        submit(new DefinitionChanges.Define(resources, "configuration", Liveness.Status.ONLINE));
    }

    public double now() {
        return clock.now();
    }

    public InventoryState state() {
        return inventory.state();
    }

    /** Waits until the journal has completed all batches and the core has run all tasks that follow. */
    public void settle() {
        core.runReady();
        boolean[] answered = {false};
        inventory.whenAnswered(() -> answered[0] = true);
        while (!answered[0]) {
            core.runNext();
        }
        core.runReady();
    }

    public void advance(Duration time) {
        core.advance(time, this::settle);
    }

    /** Submits a command as alice and waits for the answer. */
    public Answer submit(Command command) {
        List<Answer> answers = new ArrayList<>();
        inventory.submit(command, ALICE, answers::add);
        settle();
        if (answers.size() != 1) {
            throw new AssertionError("answers: " + answers);
        }
        return answers.get(0);
    }

    public Answer drain(String targets) {
        return submit(drainCommand(targets, "because"));
    }

    public Answer undrain(String targets) {
        return submit(new HoldChanges.Undrain(targets, null, HoldChanges.Mode.NONE, null));
    }

    public Answer report(String status, String targets) {
        return submit(new LivenessChanges.SetLiveness(LivenessChange.of(status), targets, ""));
    }

    public static HoldChanges.Drain drainCommand(String targets, @Nullable String reason) {
        return new HoldChanges.Drain(targets, reason, HoldChanges.Mode.NONE, Hold.SHARED, 0);
    }

    /** Submits a command and adds its answer as {@code name: outcome} to {@link #told}; does not wait. */
    public void send(String name, Command command) {
        inventory.submit(command, ALICE, answer -> told.add(name + ": " + outcome(answer)));
    }

    public static String outcome(Answer answer) {
        if (answer instanceof Answer.Failed failed) {
            return failed.kind() + " " + failed.text();
        }
        return answer instanceof Answer.Rejected rejected
                ? rejected.rejection().kind() + " " + rejected.rejection().text()
                : "done " + ((Answer.Done) answer).entries().size();
    }

    /** Blocks every force until {@link #release}. */
    public void holdDisk() {
        forces.drainPermits();
        held.drainPermits();
        disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE) {
                held.release();
                forces.acquireUninterruptibly();
            }
            return -1;
        });
    }

    /** Waits until a force has begun. Call this after {@link #holdDisk} and a command that writes. */
    public void awaitForce() {
        boolean forcing;
        try {
            forcing = held.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (!forcing) {
            throw new AssertionError("nothing is being forced");
        }
    }

    public void release() {
        forces.drainPermits();
        forces.release(MANY);
    }

    /** Makes every later write fail. */
    public void fillDisk() {
        disk.fault((kind, name) -> kind == FaultyDisk.Kind.WRITE ? 0 : -1);
    }

    public void healDisk() {
        disk.fault(FaultyDisk.NONE);
    }

    @Override
    public void close() {
        release();
        try {
            journal.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Counts the calls. */
    public static final class Meters implements AcquireMeters {
        public int first;
        public int updates;
        public int errors;
        public int conflated;
        public int published;
        public int expired;

        @Override
        public void first() {
            first++;
        }

        @Override
        public void update() {
            updates++;
        }

        @Override
        public void error() {
            errors++;
        }

        @Override
        public void conflated() {
            conflated++;
        }

        @Override
        public void published(long nanos) {
            published++;
        }

        void expired(int holds) {
            expired += holds;
        }
    }

    private static final class Past implements Replay {
        private final RecentEvents recent;
        private InventoryState state = InventoryState.empty();
        private double last;

        Past(int most) {
            recent = new RecentEvents(most);
        }

        @Override
        public void snapshot(long seq, double timestamp, ObjectNode snapshot) {
            state = StateJson.parse(snapshot);
            recent.forgetUntil(timestamp);
            last = timestamp;
        }

        @Override
        public void event(JournalRecord record) {
            Entry entry = Entry.parse(record.event());
            state = entry.applyTo(state);
            recent.add(entry, entry.toBytes());
            last = entry.timestamp();
        }
    }
}
