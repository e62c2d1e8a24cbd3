package io.muster.daemon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.journal.JournalLines;
import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import io.muster.inventory.level.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is written in several transactions, while etcd is restored from a backup of the same term between two of them. */
class UploadsTest {
    private static final Keys KEYS = new Keys(SimLedger.PREFIX);
    private static final long SECOND = 1_000_000_000;

    private final Simulation simulation = new Simulation(1);
    private final EtcdModel model = new EtcdModel(simulation);
    private final SimMachine machine = new SimMachine(simulation, "a");
    private final Etcd client = model.client(machine, 0, () -> false);
    private final Store store = new Store(client, KEYS, machine);
    /** A restore of etcd happens before such a key is put or deleted. */
    private Predicate<String> restoredBefore = key -> false;

    private EtcdModel.@Nullable Backup backup;

    private final Store restoring = new Store(
            (Etcd) Proxy.newProxyInstance(
                    Etcd.class.getClassLoader(), new Class<?>[] {Etcd.class}, (proxy, method, arguments) -> {
                        boolean now = method.getName().equals("transact")
                                && ((List<?>) arguments[1]).stream().anyMatch(op -> restoredBefore.test(written(op)));
                        if (now) {
                            restoredBefore = key -> false;
                            model.restore(backup);
                            machine.park(20 * SECOND);
                        }
                        try {
                            return method.invoke(client, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }),
            KEYS,
            machine);

    private static String written(Object op) {
        return op instanceof Etcd.Op.Put put ? put.key() : op instanceof Etcd.Op.Delete delete ? delete.key() : "";
    }

    /** What a leader does in its term. */
    private interface Turn {
        Object run(long term) throws Exception;
    }

    private Object led(Turn turn) {
        AtomicReference<Object> outcome = new AtomicReference<>("nothing came of it");
        machine.thread("a", () -> {
                    try {
                        store.campaign("{}", client.grant(60, Store.ATTEMPT_MILLIS));
                        outcome.set(turn.run(model.revision(KEYS.leader())));
                    } catch (Exception e) {
                        outcome.set(e);
                    }
                })
                .start();
        simulation.runUntil(60 * SECOND);
        machine.kill();
        if (outcome.get() instanceof Exception e) {
            throw new AssertionError(e);
        }
        return Objects.requireNonNull(outcome.get());
    }

    private static Writer writer(Store store, long term) {
        return new Writer(store, term, EventGroup.Head.NONE, 0, "n", Duration.ofMinutes(1));
    }

    private String append(long term) throws Exception {
        Writer writer = writer(store, term);
        byte[] lines = JournalLines.encode(1, List.of(List.of("{}".getBytes(StandardCharsets.UTF_8))));
        assertThat(writer.write(writer.next(1, Level.NEWEST, lines)).kind()).isEqualTo(Writer.Kind.DURABLE);
        return writer.head().txn();
    }

    private boolean publish(long term, String txn) throws Exception {
        return new Uploads(restoring).publish(term, 1, txn, Terms.NONE, 1, Level.NEWEST, new byte[10]);
    }

    @Test
    void aSnapshotIsPublished() {
        assertThat(led(term -> publish(term, append(term)))).isEqualTo(true);
        assertThat(model.text(KEYS.snapshot())).isNotNull();
    }

    @Test
    void aSnapshotWhosePiecesARestoreHasTakenAwayIsNotPublished() {
        restoredBefore = KEYS.snapshot()::equals;
        assertThat(led(term -> {
                    String txn = append(term);
                    backup = model.backup();
                    return publish(term, txn);
                }))
                .isEqualTo(false);
        assertThat(model.text(KEYS.snapshot())).isNull();
    }

    @Test
    void aSnapshotBeyondTheRestoredLogIsNotPublished() {
        restoredBefore = key -> key.startsWith(KEYS.snapshots());
        assertThat(led(term -> {
                    backup = model.backup();
                    return publish(term, append(term));
                }))
                .isEqualTo(false);
        assertThat(model.text(KEYS.snapshot())).isNull();
    }

    /** The leader was stopped after it had published the third snapshot, and etcd was restored with the first one. */
    @Test
    void theSnapshotOfARestoredEtcdIsNotDeletedAsAnEarlierOne() {
        assertThat(led(term -> {
                    Writer writer = writer(store, term);
                    Uploads uploads = new Uploads(restoring);
                    for (long seq = 1; seq <= 3; seq++) {
                        byte[] lines =
                                JournalLines.encode(seq, List.of(List.of("{}".getBytes(StandardCharsets.UTF_8))));
                        writer.write(writer.next(seq, Level.NEWEST, lines));
                        restoredBefore = seq == 3 ? KEYS.log(0)::equals : key -> false;
                        String txn = writer.head().txn();
                        assertThat(uploads.publish(term, seq, txn, Terms.NONE, 1, Level.NEWEST, new byte[(int) seq]))
                                .isTrue();
                        backup = seq == 1 ? model.backup() : backup;
                    }
                    Uploads.Ref current =
                            Objects.requireNonNull(uploads.published().current());
                    assertThat(current.seq()).isEqualTo(1);
                    return Objects.requireNonNull(uploads.load(current)).length;
                }))
                .isEqualTo(1);
    }

    private Writer.Verdict writeParts(long term) throws Exception {
        byte[] random = new byte[2 * Pack.PIECE];
        new Random(1).nextBytes(random);
        Writer writer = writer(restoring, term);
        return writer.write(writer.next(1, Level.NEWEST, random));
    }

    @Test
    void aGroupWithPartsIsWritten() {
        assertThat(led(this::writeParts)).isEqualTo(Writer.Verdict.DURABLE);
    }

    @Test
    void aGroupWhosePartsARestoreHasTakenAwayIsNotWritten() {
        restoredBefore = KEYS.log(1)::equals;
        assertThat(led(term -> {
                    backup = model.backup();
                    return writeParts(term);
                }))
                .isEqualTo(new Writer.Verdict(
                        Writer.Kind.FAILED, "etcd was restored from a backup without a part of the change"));
        assertThat(model.text(KEYS.log(1))).isNull();
    }
}
