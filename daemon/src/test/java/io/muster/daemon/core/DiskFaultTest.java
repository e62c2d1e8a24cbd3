package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.journal.FaultyDisk;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.Once;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The visible effects for admins and schedulers if the disk is slow or broken, or if the clock jumps. */
class DiskFaultTest {
    private static final Duration SLOW = Duration.ofSeconds(2);

    private final Rig rig = Rig.ofFour();
    private final FakeSink sink = new FakeSink();

    @AfterEach
    void close() {
        rig.healDisk();
        rig.close();
    }

    private void acquire() {
        rig.acquires.acquire(sink, Rig.ALICE, null);
        rig.settle();
        sink.received();
    }

    /**
     * Every force takes two seconds. No change is answered and no update is sent before the end of its force, no other work waits, and all
     * changes that arrive during a force share the next force.
     */
    @Test
    void aSlowForceDelaysOnlyChanges() {
        acquire();
        AtomicInteger forces = new AtomicInteger();
        CountDownLatch forcing = new CountDownLatch(1);
        CountDownLatch allSent = new CountDownLatch(1);
        rig.disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE) {
                forces.incrementAndGet();
                forcing.countDown();
                await(allSent);
                long end = System.nanoTime() + SLOW.toNanos();
                while (System.nanoTime() < end) {
                    LockSupport.parkNanos(end - System.nanoTime());
                }
            }
            return -1;
        });
        rig.advance(Duration.ofSeconds(1)); // the clock shows 0 before
        long start = System.nanoTime();
        for (int i = 0; i < 500; i++) {
            rig.send("drain" + i, Rig.drainCommand("1", "x"));
            rig.send("undrain" + i, new HoldChanges.Undrain("1", null, HoldChanges.Mode.NONE, null));
        }
        rig.send("last", Rig.drainCommand("2", "x"));
        await(forcing);
        rig.core.runReady();
        assertThat(rig.told).as("answers before anything is durable").isEmpty();
        assertThat(rig.state().holds().held().isEmpty()).isTrue();
        assertThat(sink.received()).as("what a scheduler hears before that").isEmpty();
        rig.core.advance(Duration.ofSeconds(1), () -> {});
        assertThat(rig.inventory.stalledSeconds()).isPositive();

        allSent.countDown();
        rig.settle();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SLOW.toNanos());
        assertThat(rig.told).hasSize(1001).allMatch(answer -> answer.endsWith(": done 1"));
        assertThat(forces).as("forces for 1,001 changes").hasValueLessThanOrEqualTo(3);
        assertThat(sink.received()).last().asString().contains("\"down\":\"2\"");
        assertThat(rig.inventory.stalledSeconds()).isZero();
    }

    /**
     * The refusal was decided on a change that then failed, so the command is decided again on the committed state; it does not wait for
     * the repair of the disk.
     */
    @Test
    void aRefusalThatDependsOnAFailedChangeIsDecidedAgainWhileTheDiskIsBroken() {
        rig.drain("3");
        rig.disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE || kind == FaultyDisk.Kind.TRUNCATE) {
                throw FaultyDisk.broken();
            }
            return -1;
        });
        rig.send("one", Rig.drainCommand("1", "x"));
        rig.send("again", Rig.drainCommand("3", "x"));
        rig.settle();

        assertThat(rig.told).hasSize(2);
        assertThat(rig.told.get(0)).startsWith("one: LEDGER Input/output error");
        assertThat(rig.told.get(1)).startsWith("again: EXISTS");
    }

    /**
     * The id of the first request is remembered when the second request arrives, and is no longer remembered when the second is decided.
     */
    @Test
    void aRepetitionOfAChangeThatFailedIsRefusedAndChangesNothing() {
        ChangeId id = ChangeId.of(new UUID(1, 2), "drain 1");
        CountDownLatch forcing = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        rig.disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE) {
                forcing.countDown();
                await(go);
                rig.healDisk();
                throw FaultyDisk.broken();
            }
            return -1;
        });
        rig.send("first", new Once(Rig.drainCommand("1", "x"), id));
        await(forcing);
        rig.send("again", new Once(new Once.Repetition("admin"), id));
        go.countDown();
        rig.settle();
        assertThat(rig.told).hasSize(2);
        assertThat(rig.told.get(0)).startsWith("first: LEDGER");
        assertThat(rig.told.get(1)).startsWith("again: FORGOTTEN");
        assertThat(rig.state().holds().held().isEmpty()).isTrue();
    }

    /** The first force waits for the returned latch and then fails; later forces succeed. */
    private CountDownLatch failOnce(Runnable failure) {
        CountDownLatch forcing = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        rig.disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE) {
                forcing.countDown();
                await(go);
                rig.healDisk();
                failure.run();
                throw FaultyDisk.broken();
            }
            return -1;
        });
        rig.send("drain", Rig.drainCommand("1", "x"));
        await(forcing);
        return go;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whenAnsweredWaitsForCommandsThatAreDecidedAgain() {
        CountDownLatch go = failOnce(() -> {});
        rig.send("again", Rig.drainCommand("1", "y"));
        go.countDown();
        rig.core.runNext();
        assertThat(rig.told).as("landed, not answered").isEmpty();
        rig.inventory.whenAnswered(() -> rig.told.add("all"));
        rig.settle();
        rig.settle(); // this call also uses whenAnswered, and may be called back first

        assertThat(rig.told).containsExactly("drain: LEDGER Input/output error", "again: done 1", "all");
    }

    @Test
    void afterABugInTheJournalLaterCommandsFailWithTheSameReason() {
        CountDownLatch go = failOnce(() -> {
            throw new IllegalStateException("unforeseen");
        });
        rig.send("again", Rig.drainCommand("1", "y"));
        go.countDown();
        rig.settle();

        String broken =
                ": LEDGER a bug made the journal fail; restart the daemon: java.lang.IllegalStateException: unforeseen";
        assertThat(rig.told).containsExactly("drain" + broken, "again" + broken);
    }

    @Test
    void aClockThatJumpsBackNeitherEndsAHoldEarlyNorLosesAHold() {
        acquire();
        double until = rig.now() + 100;
        rig.submit(new HoldChanges.Drain("1", "x", HoldChanges.Mode.NONE, "admin", until));
        assertThat(sink.received()).containsExactly("{\"down\":\"1\"}");

        rig.core.jump(Duration.ofHours(-1));
        rig.drain("2");
        assertThat(sink.received()).containsExactly("{\"down\":\"2\"}");
        rig.advance(Duration.ofSeconds(110));
        assertThat(rig.state().holds().held())
                .as("its time is an hour away again")
                .hasToString("1-2");
        rig.core.jump(Duration.ofHours(1));
        rig.advance(Duration.ofSeconds(60));
        assertThat(sink.received()).as("looked at every minute").containsExactly("{\"up\":\"1\"}");
        assertThat(rig.state().holds().held()).hasToString("2");

        rig.close();
        try (Rig again = Rig.on(rig.disk, new HandDriven(Rig.START.minus(Duration.ofDays(1))))) {
            assertThat(again.state().holds().held())
                    .as("read with an earlier clock")
                    .hasToString("2");
            assertThat(again.drain("3")).isNotInstanceOf(Answer.Failed.class);
            assertThat(again.inventory.seq()).isGreaterThan(rig.inventory.seq());
        }
    }
}
