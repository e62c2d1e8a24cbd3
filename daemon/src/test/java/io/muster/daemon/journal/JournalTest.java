package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class JournalTest {
    private final MemoryDisk disk = new MemoryDisk();

    /** Two daemons that both assume that they have the lock would overwrite each other's changes. */
    @Test
    void aJournalThatHasLostItsLockRefusesChanges() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        Client first = Client.open(disk);
        first.submit("a");
        first.settle();
        disk.deleteLock(Journal.LOCK);
        Client second = Client.open(disk);
        first.submit("b");
        first.snapshot();
        first.settle();
        second.submit("c");
        second.settle();
        first.journal().probe();
        first.close();
        second.submit("d");
        second.close();

        assertThat(first.refused).containsExactly("b");
        assertThat(disk.names).doesNotContainKey("snapshot.json");
        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 c", "3 d");
    }

    @Test
    void answeredChangesAreRecoveredAfterReopening() throws IOException {
        Client writing = Client.open(disk);
        writing.submit("drain");
        writing.submit("exclude", "undrain");
        writing.close();
        assertThat(writing.outcomes).hasSize(2).allMatch(Outcome::durable);

        assertThat(Client.recovered(disk)).containsExactly("1 drain", "2 exclude", "3 undrain");
    }

    @Test
    void aForceIsDelayedByTheConfiguredLingerTime() throws IOException {
        Duration linger = Duration.ofMillis(100);
        Client writing =
                Client.open(disk, new JournalSettings(1 << 20, Duration.ofDays(1), 1 << 20, () -> false, linger));
        long start = System.nanoTime();
        writing.submit("a");
        writing.settle();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(linger.toNanos());
        writing.submit("b");
        writing.close();

        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b");
    }

    @Test
    void sequenceNumbersContinueAfterReopening() throws IOException {
        Client first = Client.open(disk);
        first.submit("a", "b");
        first.close();
        Client second = Client.open(disk);
        assertThat(second.journal().firstSeq()).isEqualTo(3);
        second.submit("c");
        second.close();

        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b", "3 c");
    }

    @Test
    void replayBeginsAfterTheSnapshot() throws IOException {
        Client writing = Client.open(disk);
        writing.submit("a", "b");
        writing.settle();
        writing.snapshot();
        writing.submit("c");
        writing.close();
        assertThat(disk.names).containsKeys("snapshot.json", Segment.name(1), Segment.name(3));
        disk.set(Segment.name(1), new byte[0]);

        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b", "3 c");
    }

    @Test
    void aSnapshotThatTakesUntilTheJournalIsClosedIsNotWritten() throws IOException {
        Client client = Client.open(disk);
        client.submit("drain");
        client.close();
        client.journal().raise(Level.ONE);
        client.journal().snapshot(1, "{}".getBytes(StandardCharsets.UTF_8), client.outcomes::add);
        assertThat(client.outcomes).containsExactly(Outcome.DURABLE);
        assertThat(disk.names).doesNotContainKey("snapshot.json");
    }

    @Test
    void aSnapshotOfEventsThatAreNotDurableIsRefused() throws IOException {
        Client client = Client.open(disk);
        client.submit("a");
        client.journal().snapshot(2, "{}".getBytes(StandardCharsets.UTF_8), client.outcomes::add);
        client.close();

        assertThat(client.outcomes.get(1)).isEqualTo(Outcome.failed("seq 2 is not durable: 1 is"));
        assertThat(disk.names).doesNotContainKey("snapshot.json");
    }

    /** The state of a standby was taken before the standby was given a later state, and arrives at the disk after that one. */
    @Test
    void aSnapshotDoesNotReplaceALaterStateFromWhichTheFilesContinue() throws IOException {
        Client client = Client.open(disk);
        client.submit("a", "b");
        client.settle();
        client.journal()
                .rebase(9, "{\"events\":\"1 a,2 b,9 i\"}".getBytes(StandardCharsets.UTF_8), client.outcomes::add);
        client.snapshot();
        client.settle();
        client.close();

        assertThat(client.outcomes.get(2))
                .isEqualTo(Outcome.failed(
                        "the snapshot at seq 2 was not written: the files continue from a later one, at seq 9"));
        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b", "9 i");
    }

    /** Whatever operation of the disk fails, nothing is written to the earlier segment before the journal has gone on from the state. */
    @Test
    void aLaterStateThatTheDiskRefusesIsTakenBeforeFurtherEvents() throws IOException {
        boolean failed = true;
        for (int operation = 1; failed; operation++) {
            MemoryDisk files = new MemoryDisk();
            FaultyDisk faulty = new FaultyDisk(files);
            Client client = Client.open(faulty);
            client.submit("a", "b");
            client.settle();
            AtomicInteger left = new AtomicInteger(operation);
            faulty.fault((kind, name) -> {
                if (left.decrementAndGet() == 0) {
                    throw FaultyDisk.broken();
                }
                return -1;
            });
            client.journal()
                    .rebase(9, "{\"events\":\"1 a,2 b,9 i\"}".getBytes(StandardCharsets.UTF_8), client.outcomes::add);
            client.settle();
            failed = left.get() <= 0;
            faulty.fault(FaultyDisk.NONE);
            client.submit("c");
            client.snapshot();
            client.journal().probe();
            client.settle();
            long last = client.journal().durableSeq();
            client.journal().submit(new Batch(last + 1, List.of(Client.event("d")), client.outcomes::add));
            client.close();

            List<String> recovered = Client.recovered(files);
            assertThat(client.outcomes.get(client.outcomes.size() - 1)).isEqualTo(Outcome.DURABLE);
            assertThat(recovered)
                    .as("operation %d fails", operation)
                    .isIn(List.of("1 a", "2 b", "3 d"), List.of("1 a", "2 b", "9 i", "10 d"));
            assertThat(client.refused).containsExactly("c");
        }
    }

    @Test
    void changesThatArriveDuringAForceShareTheNextForce() throws IOException {
        CountDownLatch forcing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger forces = new AtomicInteger();
        FaultyDisk slow = new FaultyDisk(disk);
        Client client = Client.open(slow);
        slow.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE && forces.incrementAndGet() == 1) {
                forcing.countDown();
                Client.await(release);
            }
            return -1;
        });
        client.submit("first");
        Client.await(forcing);
        for (int i = 0; i < 1000; i++) {
            client.submit("n" + i);
        }
        release.countDown();
        client.close();

        assertThat(forces).hasValue(2);
        assertThat(client.outcomes).hasSize(1001).allMatch(Outcome::durable);
        assertThat(Client.recovered(disk)).hasSize(1001).endsWith("1001 n999");
    }

    @Test
    void answersAreInOrderAndFollowTheirForce() throws IOException {
        Client client = Client.open(disk);
        for (int i = 0; i < 50; i++) {
            client.submit("n" + i);
        }
        client.close();

        long acknowledged = 0;
        long written = 0;
        long forced = 0;
        for (MemoryDisk.Op op : disk.ops) {
            if (op instanceof MemoryDisk.Written write) {
                written += new String(write.bytes().array(), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.contains("\"seq\""))
                        .count();
            } else if (op instanceof MemoryDisk.Forced) {
                forced = written;
            } else if (op instanceof MemoryDisk.Mark mark && mark.text().equals("acknowledged")) {
                assertThat(mark.seq()).isEqualTo(++acknowledged).isLessThanOrEqualTo(forced);
            }
        }
        assertThat(acknowledged).isEqualTo(50);
    }

    @Test
    void anEmptyBatchCompletesWithoutAForce() throws IOException {
        Client client = Client.open(disk);
        int before = disk.ops.size();
        client.submit();
        client.close();

        assertThat(client.outcomes).containsExactly(Outcome.DURABLE);
        assertThat(disk.ops.subList(before, disk.ops.size())).noneMatch(MemoryDisk.Forced.class::isInstance);
    }

    @Test
    void batchesAfterAFailedBatchAreAbandoned() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Client client = Client.open(faulty);
        client.submit("good");
        client.settle();
        faulty.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.WRITE && writing.getCount() == 1) {
                writing.countDown();
                Client.await(release);
                return 10;
            }
            return -1;
        });
        client.submit("fails");
        Client.await(writing);
        client.submit("relies on it");
        client.submit();
        release.countDown();
        client.settle();
        client.submit("later");
        client.close();

        assertThat(client.outcomes.stream().map(Outcome::kind))
                .containsExactly(
                        Outcome.Kind.DURABLE,
                        Outcome.Kind.FAILED,
                        Outcome.Kind.ABANDONED,
                        Outcome.Kind.ABANDONED,
                        Outcome.Kind.DURABLE);
        assertThat(client.outcomes.get(2).reason())
                .isEqualTo("an earlier change could not be made durable: No space left on device"
                        + " (seq 3 does not follow 1)");
        assertThat(Client.recovered(disk)).containsExactly("1 good", "2 later");
    }

    @Test
    void ifOneBatchOfAGroupFailsTheBatchesAfterItAreAbandoned() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        CountDownLatch forcing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger writes = new AtomicInteger();
        Client client = Client.open(faulty);
        faulty.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE && forcing.getCount() == 1) {
                forcing.countDown();
                Client.await(release);
            }
            return kind == FaultyDisk.Kind.WRITE && writes.incrementAndGet() == 2 ? 0 : -1;
        });
        client.submit("good");
        Client.await(forcing);
        client.submit();
        client.submit("fails");
        client.submit();
        client.submit("relies on it");
        release.countDown();
        client.close();

        assertThat(client.outcomes.stream().map(Outcome::kind))
                .containsExactly(
                        Outcome.Kind.DURABLE,
                        Outcome.Kind.DURABLE,
                        Outcome.Kind.FAILED,
                        Outcome.Kind.ABANDONED,
                        Outcome.Kind.ABANDONED);
    }

    @Test
    void afterABugTheJournalRefusesEveryChange() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        Client client = Client.open(faulty);
        client.submit("good");
        client.settle();
        faulty.fault((kind, name) -> {
            throw new IllegalStateException("unforeseen");
        });
        client.submit("a");
        client.settle();
        faulty.fault(FaultyDisk.NONE);
        client.submit("b");
        client.close();

        assertThat(client.bugs).hasSize(1);
        assertThat(client.outcomes.get(2).reason())
                .isEqualTo("a bug made the journal fail; restart the daemon: "
                        + "java.lang.IllegalStateException: unforeseen");
        assertThat(Client.recovered(disk)).containsExactly("1 good");
    }

    @Test
    void afterABugInASnapshotEveryChangeIsAnswered() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Client client = Client.open(faulty);
        faulty.fault((kind, name) -> {
            if (name.startsWith(SnapshotFile.FILE)) {
                throw new IllegalStateException("unforeseen");
            }
            if (kind == FaultyDisk.Kind.WRITE && writing.getCount() == 1) {
                writing.countDown();
                Client.await(release);
            }
            return -1;
        });
        client.submit("held up");
        Client.await(writing);
        client.journal().snapshot(0, new byte[] {'{', '}'}, outcome -> {});
        client.submit("waits behind the snapshot");
        release.countDown();
        client.close();

        assertThat(client.bugs).hasSize(1);
        assertThat(client.outcomes).hasSize(2);
        assertThat(client.outcomes.get(0).durable()).isTrue();
        assertThat(client.outcomes.get(1).kind()).isEqualTo(Outcome.Kind.FAILED);
    }

    /** The disk may complete a write after all callers have given up. */
    @Test
    @Timeout(60)
    void aJournalWhoseExecutorHasEndedCanBeClosed() throws Exception {
        FaultyDisk faulty = new FaultyDisk(disk);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Journal journal = Journal.open(
                faulty,
                JournalSettings.DEFAULT,
                new NoReplay(),
                new LedgerListener() {},
                task -> {
                    throw new RejectedExecutionException("gone");
                },
                InstantSource.system());
        faulty.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.WRITE) {
                writing.countDown();
                Client.await(release);
            }
            return -1;
        });
        byte[] event = "{\"timestamp\":1.5,\"name\":\"a\"}".getBytes(StandardCharsets.UTF_8);
        journal.submit(new Batch(1, List.of(event), outcome -> {}));
        Client.await(writing);
        journal.submit(new Batch(2, List.of(event), outcome -> {}));
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        Thread closing = new Thread(() -> {
            try {
                journal.close();
                closed.complete(true);
            } catch (IOException e) {
                closed.completeExceptionally(e);
            }
        });
        closing.start();
        while (closing.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        release.countDown();
        assertThat(closed.get()).isTrue();
    }

    private static final class NoReplay implements Replay {
        @Override
        public void snapshot(long seq, double timestamp, ObjectNode state) {}

        @Override
        public void event(JournalRecord event) {}
    }

    @Test
    void afterABugWhileAWriteIsUndoneEveryChangeIsAnswered() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        Client client = Client.open(faulty);
        faulty.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.TRUNCATE) {
                throw new IllegalStateException("unforeseen");
            }
            if (kind == FaultyDisk.Kind.FORCE) {
                throw FaultyDisk.broken();
            }
            return -1;
        });
        client.submit("lost");
        client.settle();
        faulty.fault(FaultyDisk.NONE);
        client.close();

        assertThat(client.outcomes).hasSize(1);
        assertThat(client.outcomes.get(0).kind()).isEqualTo(Outcome.Kind.FAILED);
        assertThat(client.outcomes.get(0).reason()).contains("restart the daemon", "unforeseen");
    }

    @Test
    void aBugInOneCallbackDoesNotAffectOtherBatches() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        Client client = Client.open(faulty);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        faulty.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE && writing.getCount() == 1) {
                writing.countDown();
                Client.await(release);
            }
            return -1;
        });
        client.submit("held up");
        Client.await(writing);
        client.journal().submit(new Batch(2, List.of(), outcome -> {
            throw new IllegalStateException("unforeseen");
        }));
        client.submit("in the same group");
        release.countDown();
        client.close();

        assertThat(client.outcomes).hasSize(2).allMatch(Outcome::durable);
        assertThat(client.bugs).hasSize(1);
    }

    @Test
    void aClosedJournalRefusesSubmissions() throws IOException {
        Client client = Client.open(disk);
        client.close();
        client.close();

        assertThat(client.journal().status().condition()).isEqualTo(Condition.CLOSED);
        assertThatThrownBy(() -> client.submit("late")).hasMessage("the journal is closed");
    }

    @Test
    void eventsThatWouldBreakTheLineFormatAreRefused() throws IOException {
        for (String event :
                List.of("", "{}", "[1,2,3,4]", "{\"a\":\n1}", "{\"a\":1}\n", " {\"a\":1}", "{\"a\":\"\0\"}")) {
            byte[] bytes = event.getBytes(StandardCharsets.UTF_8);
            assertThatThrownBy(() -> new Batch(1, List.of(bytes), outcome -> {}))
                    .as(event)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("an event must be one ");
        }
        byte[] large = new byte[Line.LIMIT];
        Arrays.fill(large, (byte) ' ');
        large[0] = '{';
        large[1] = '"';
        large[large.length - 1] = '}';
        Client client = Client.open(disk);
        assertThatThrownBy(() -> client.journal().submit(new Batch(1, List.of(large), outcome -> {})))
                .hasMessage("an event of 134217728 bytes exceeds the journal's line limit of 134217728");
        client.close();
    }

    @Test
    void eventsLargerThanTheBufferAreRecovered() throws IOException {
        Client writing = Client.open(disk);
        String large = "x".repeat(1 << 20);
        writing.submit("a", large, "b");
        writing.close();

        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 " + large, "3 b");
    }
}
