package io.muster.daemon.etcd;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A ledger on etcd as in a daemon, with a simple core whose state is the list of its events. The core of a leader submits events and adds
 * the durable ones to the list; a standby adds the events that it is sent.
 */
final class Node implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final EtcdLedger ledger;
    private final LocalCopy local;
    final Disk disk;
    private final ExecutorService core = Executors.newSingleThreadExecutor();
    private final List<String> events = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final AtomicBoolean leads = new AtomicBoolean();
    private final AtomicBoolean silent = new AtomicBoolean();
    private volatile @Nullable Leader leader;
    private long proposed;
    private boolean closed;
    /** Used by the core only. */
    private boolean stopped;

    /** The parts of a node. */
    record Parts(
            List<URI> endpoints,
            String member,
            Disk disk,
            Duration patience,
            UnaryOperator<Store> stores,
            boolean compact) {
        static Parts of(List<URI> endpoints, String member) {
            return new Parts(endpoints, member, new MemoryDisk(), Duration.ofSeconds(10), store -> store, false);
        }

        Parts on(Disk other) {
            return new Parts(endpoints, member, other, patience, stores, compact);
        }

        Parts patient(Duration other) {
            return new Parts(endpoints, member, disk, other, stores, compact);
        }

        Parts with(UnaryOperator<Store> other) {
            return new Parts(endpoints, member, disk, patience, other, compact);
        }

        Parts compacting() {
            return new Parts(endpoints, member, disk, patience, stores, true);
        }
    }

    Node(Parts parts) throws IOException {
        disk = parts.disk;
        AtomicLast last = new AtomicLast();
        LedgerListener listener = new LedgerListener() {
            @Override
            public void warning(String sentence) {
                synchronized (warnings) {
                    warnings.add(sentence);
                }
            }

            @Override
            public void broken(Throwable bug) {
                bug.printStackTrace();
                warning("BUG " + bug);
            }
        };
        Journal journal = Journal.open(
                disk, JournalSettings.DEFAULT, last, new LedgerListener() {}, core, InstantSource.system());
        events.addAll(last.events);
        EtcdSettings settings = new EtcdSettings(
                new EtcdAccess(parts.endpoints, new EtcdTls(null, null, null), "", null),
                "/muster/test/",
                new Leader(parts.member, UUID.randomUUID().toString(), "host", 1, List.of("local:///s"), "1", 1),
                Duration.ofSeconds(2),
                parts.patience,
                true,
                parts.compact,
                20,
                InstantSource.system(),
                Machine.REAL);
        local = new LocalCopy(journal, disk, last.event, listener, Machine.REAL);
        ledger = new EtcdLedger(
                settings, local, listener, core, first -> new EtcdGateway(settings.access(), first), parts.stores);
        proposed = events.size();
        ledger.begin(new RoleActions(this));
        ledger.allowLead();
    }

    private static final class AtomicLast implements Replay {
        private final List<String> events = new ArrayList<>();
        private long event;

        @Override
        public void snapshot(long seq, double timestamp, ObjectNode state) {
            state.path("events").forEach(event -> events.add(event.asText()));
        }

        @Override
        public void event(JournalRecord record) {
            events.add(text(record));
            event = record.fingerprint();
        }
    }

    private static String text(JournalRecord record) {
        return record.context().path("text").asText();
    }

    private record RoleActions(Node node) implements io.muster.daemon.etcd.RoleActions {
        @Override
        public Level level() {
            return Level.NEWEST;
        }

        @Override
        public void begins(Level level) {}

        @Override
        public void follow(List<List<JournalRecord>> commands) throws InterruptedException {
            node.onCore(() -> commands.forEach(command -> command.forEach(record -> {
                node.add(record.seq(), text(record));
                node.proposed = node.events.size();
            })));
        }

        @Override
        public void load(long seq, double time, ObjectNode state) throws InterruptedException {
            node.onCore(() -> {
                node.events.clear();
                state.path("events").forEach(event -> node.events.add(event.asText()));
                node.proposed = node.events.size();
            });
        }

        @Override
        public void lead() {
            node.core.execute(() -> node.leads.set(true));
        }

        @Override
        public void stand(@Nullable Leader leader, @Nullable Runnable then) {
            node.leader = leader;
            node.core.execute(() -> {
                node.leads.set(false);
                if (then != null) {
                    then.run();
                }
            });
        }

        @Override
        public OptionalDouble time() {
            return OptionalDouble.of(0);
        }

        @Override
        public boolean agrees(double time, double age, boolean lives) {
            return true;
        }

        @Override
        public void silent(boolean silent) {
            node.silent.set(silent);
        }
    }

    private void add(long seq, String text) {
        if (seq != events.size() + 1) {
            throw new IllegalStateException("seq " + seq + " after " + events.size());
        }
        events.add(text);
    }

    private void onCore(Runnable task) throws InterruptedException {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        core.execute(() -> {
            try {
                task.run();
                done.complete(true);
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        try {
            done.get();
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Submits an event and returns its outcome, or a failure if this node does not lead. */
    CompletableFuture<Outcome> write(String text) {
        return writeAll(List.of(text));
    }

    /** Submits the events of one command. */
    CompletableFuture<Outcome> writeAll(List<String> texts) {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        core.execute(() -> {
            if (!leads.get() || stopped) {
                outcome.complete(Outcome.failed("does not lead"));
                return;
            }
            long first = proposed + 1;
            proposed += texts.size();
            List<byte[]> lines = texts.stream()
                    .map(text -> ("{\"timestamp\":1.0,\"name\":\"note\",\"context\":{\"text\":\"" + text + "\"}}")
                            .getBytes(StandardCharsets.UTF_8))
                    .toList();
            ledger.submit(new Batch(first, lines, result -> {
                if (result.durable()) {
                    for (int i = 0; i < texts.size(); i++) {
                        add(first + i, texts.get(i));
                    }
                } else if (result.kind() == Outcome.Kind.FAILED) {
                    proposed = events.size();
                }
                outcome.complete(result);
            }));
        });
        return outcome;
    }

    /** Returns whether the local copy has every event of this node. */
    boolean isCopied() {
        return local.durableSeq() == events().size();
    }

    /** Writes a snapshot of the events of this node. */
    Outcome snapshot() throws Exception {
        return beginSnapshot().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    CompletableFuture<Outcome> beginSnapshot() {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        core.execute(() -> {
            ObjectNode state = com.fasterxml.jackson.databind.node.JsonNodeFactory.instance.objectNode();
            events.forEach(state.putArray("events")::add);
            ledger.snapshot(events.size(), state.toString().getBytes(StandardCharsets.UTF_8), outcome::complete);
        });
        return outcome;
    }

    Outcome writeAndWait(String text) throws Exception {
        return write(text).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    List<String> events() {
        try {
            return core.submit(() -> List.copyOf(events)).get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    List<String> warnings() {
        synchronized (warnings) {
            return List.copyOf(warnings);
        }
    }

    boolean leads() {
        return leads.get();
    }

    boolean isSilent() {
        return silent.get();
    }

    @Nullable
    Leader leader() {
        return leader;
    }

    Node awaitLead() {
        await().atMost(PATIENCE).until(this::leads);
        return this;
    }

    void awaitEvents(List<String> expected) {
        await().atMost(PATIENCE).until(() -> events().equals(expected));
    }

    void awaitReason(String part) {
        await().atMost(PATIENCE).until(() -> ledger.status().reason(), reason -> reason.contains(part));
    }

    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            CompletableFuture.runAsync(() -> stopped = true, core).join();
            ledger.close();
            core.shutdown();
        }
    }
}
