package io.muster.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.Config;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.Committed;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.etcd.RoleActions;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.ledger.Leader;
import io.muster.inventory.level.Level;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes this daemon a leader or a standby, as the ledger on etcd decides. A standby applies the leader's changes and answers
 * all queries. Only the leader accepts changes and serves schedulers and reporters.
 */
final class Leadership implements RoleActions {
    private static final Logger log = LoggerFactory.getLogger("ledger");

    private final Core core;
    private final Workers threads;
    private final Preparation preparation;
    private final EtcdLedger ledger;
    /** Completed when the daemon has the newest state. */
    private final CompletableFuture<Boolean> caughtUp = new CompletableFuture<>();

    /** Completed when the daemon leads, or follows another daemon. */
    private final CompletableFuture<Boolean> settled = new CompletableFuture<>();
    /** The time until which a start waits for the ledger. */
    private final long end;

    /** How many times this daemon was made a leader or a standby. Used by the core thread only. */
    private long turns;

    private boolean leads;
    private @Nullable String silence;

    /** @param patience how long a start waits for the ledger */
    Leadership(Core core, Workers threads, Preparation preparation, EtcdLedger ledger, Duration patience) {
        this.core = core;
        this.threads = threads;
        this.preparation = preparation;
        this.ledger = ledger;
        this.end = threads.machine().nanos() + patience.toNanos();
    }

    /**
     * Begins to follow, and waits until the daemon has the newest state. The daemon does not lead yet: first it must be able to serve.
     *
     * @throws IOException if the daemon has no state in time
     */
    void catchUp(Config config) throws Exception {
        threads.onCore(() -> {
            core.inventory().refuse(refusal(null), false);
            return true;
        });
        preparation.defer(config);
        ledger.begin(this);
        await(caughtUp);
    }

    /**
     * Lets the daemon lead, and waits until it leads or follows another daemon.
     *
     * @throws IOException if the daemon neither leads nor follows in time, and has no inventory to show
     */
    void settle() throws Exception {
        ledger.allowLead();
        if (!await(settled)) {
            log.warn(
                    "the daemon starts with the state that it had when it stopped: {}",
                    ledger.status().reason());
        }
    }

    private boolean await(CompletableFuture<Boolean> done) throws Exception {
        try {
            return threads.machine()
                    .get(done, Math.max(0, end - threads.machine().nanos()));
        } catch (TimeoutException e) {
            String reason = ledger.status().reason();
            if (core.inventory().seq() == 0) {
                throw new IOException("there is no inventory to show: "
                        + (reason.isEmpty() ? "nobody leads, and this daemon cannot lead yet" : reason));
            }
            return false;
        }
    }

    private static Answer.Failed refusal(@Nullable Leader leader) {
        return elsewhere(
                leader == null
                        ? "this daemon is a standby, and no daemon is known to lead: try again in a few seconds"
                        : "this daemon is a standby: " + leader + " leads, and takes changes and schedulers");
    }

    private static Answer.Failed elsewhere(String sentence) {
        return new Answer.Failed(Answer.Failed.Kind.ELSEWHERE, sentence);
    }

    @Override
    public Level level() {
        return core.inventory().state().level();
    }

    @Override
    public void begins(Level level) throws IOException, InterruptedException {
        if (level != level()) {
            onCore(() -> core.inventory().replace(new Committed(InventoryState.empty(level), 0)));
        }
    }

    @Override
    public void follow(List<List<JournalRecord>> commands) throws IOException, InterruptedException {
        List<Entry> entries = new ArrayList<>();
        List<byte[]> lines = new ArrayList<>();
        long seq = 0;
        try {
            for (List<JournalRecord> command : commands) {
                for (JournalRecord record : command) {
                    seq = record.seq();
                    Entry entry = Entry.parse(record.event());
                    entries.add(entry);
                    byte[] line = record.submitted();
                    lines.add(line == null ? entry.toBytes() : line);
                }
            }
        } catch (IllegalArgumentException e) {
            throw new IOException("this version does not understand event " + seq
                    + ": was it written by a newer version? " + e.getMessage());
        }
        onCore(() -> core.inventory().follow(entries, lines));
    }

    @Override
    public void load(long seq, double time, ObjectNode state) throws IOException, InterruptedException {
        log.warn("the events up to seq {} are not kept any more: the state is loaded from a snapshot", seq);
        Committed loaded = new Committed(StateJson.parse(state), seq);
        onCore(() -> {
            core.inventory().clock().reached(time);
            core.streams().journals().forgetUntil(time);
            core.inventory().replace(loaded);
        });
    }

    /** Runs a task on the core thread and waits for it. */
    private void onCore(Runnable task) throws IOException, InterruptedException {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        threads.core().execute(() -> {
            try {
                task.run();
                done.complete(true);
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        try {
            threads.await(done);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InvalidException invalid) {
                throw new IOException(
                        "the ledger in etcd does not continue the state of this daemon: " + invalid.getMessage(), e);
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public void lead() {
        threads.core().execute(() -> serve(true));
    }

    /**
     * Serves clients after the configuration is in force.
     *
     * @param isNew whether another daemon may have led before
     */
    private void serve(boolean isNew) {
        long turn = ++turns;
        leads = true;
        core.inventory().refuse(elsewhere("this daemon begins to lead: try again in a few seconds"), true);
        core.streams().acquires().start(); // an acquisition that is kept decides which parts of a new R wait
        threads.reloads().execute(() -> prepare(turn, isNew));
    }

    private void prepareAgain(long turn, boolean isNew) {
        if (turn == turns) {
            threads.reloads().execute(() -> prepare(turn, isNew));
        }
    }

    private void prepare(long turn, boolean isNew) {
        try {
            preparation.startDeferred(isNew);
        } catch (IOException e) {
            if (core.inventory().isClosed()) {
                return; // the daemon stops, or its start has failed
            }
            log.error("this daemon leads, but has no inventory, and tries again: {}", e.getMessage());
            threads.core().schedule(() -> prepareAgain(turn, isNew), 5, TimeUnit.SECONDS);
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        threads.core().execute(() -> {
            if (turn == turns) {
                if (silence == null) {
                    core.inventory().refuse(null, false);
                }
                core.streams().reporters().start();
                core.expiry().start();
                log.info("this daemon leads from seq {} on", core.inventory().seq());
                settled.complete(true);
            }
        });
    }

    @Override
    public void stand(@Nullable Leader leader, @Nullable Runnable then) {
        threads.core().execute(() -> {
            turns++;
            boolean led = leads;
            leads = false;
            Answer.Failed refusal = refusal(leader);
            core.inventory().refuse(refusal, false);
            if (led) {
                log.warn(
                        "this daemon does not lead any more, at seq {}",
                        core.inventory().seq());
                end(Objects.requireNonNull(refusal.error()));
            }
            if (leader != null) {
                log.info(
                        "{} leads; this daemon follows from seq {}",
                        leader,
                        core.inventory().seq());
                settled.complete(true);
            }
            caughtUp.complete(true);
            silence = null;
            core.streams().acquires().refuse(null);
            if (then != null) {
                then.run();
            }
        });
    }

    private void end(RpcException reason) {
        core.streams().acquires().handOver(reason);
        core.streams().journals().endAll(reason);
        core.streams().reporters().endAll(reason);
    }

    @Override
    public OptionalDouble time() {
        return core.inventory().clock().own();
    }

    @Override
    public boolean agrees(double time, double age, boolean lives) {
        WallClock clock = core.inventory().clock();
        return lives ? clock.agrees(time, age) : clock.isNear(time, age);
    }

    @Override
    public void silent(boolean silent) {
        threads.core().execute(() -> {
            if (leads && silent && silence == null) {
                silence = "etcd does not answer, so another daemon may lead: try again in a few seconds";
                log.error("etcd does not answer: streams end, and new changes are refused");
                Answer.Failed why = elsewhere(silence);
                end(why.error());
                core.streams().acquires().refuse(why);
                core.inventory().refuse(why, true);
            } else if (!silent && silence != null) {
                silence = null;
                core.streams().acquires().refuse(null);
                if (leads) {
                    log.info("etcd answers again, and this daemon still leads");
                    serve(false);
                }
            }
        });
    }
}
