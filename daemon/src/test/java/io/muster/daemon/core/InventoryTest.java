package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.journal.FaultyDisk;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InventoryTest {
    private Rig rig = Rig.ofFour();

    @AfterEach
    void close() {
        rig.close();
    }

    private Idset held() {
        return rig.state().holds().held();
    }

    @Test
    void aChangeIsNotVisibleBeforeItIsDurable() {
        rig.holdDisk();
        rig.send("drain", Rig.drainCommand("1", "x"));
        rig.core.runReady();

        assertThat(held()).isEqualTo(Idset.EMPTY);
        assertThat(rig.inventory.seq()).isEqualTo(1);
        assertThat(rig.told).isEmpty();

        rig.release();
        rig.settle();
        assertThat(held()).isEqualTo(Idset.of(1));
        assertThat(rig.inventory.seq()).isEqualTo(2);
        assertThat(rig.told).containsExactly("drain: done 1");
    }

    @Test
    void aBugInAListenerDoesNotAffectAnswersOrOtherListeners() {
        List<String> heard = new ArrayList<>();
        rig.inventory.listen(new Commits() {
            @Override
            public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
                throw new IllegalStateException("a bug at the commit");
            }

            @Override
            public void settled() {
                throw new IllegalStateException("a bug at the end");
            }
        });
        rig.inventory.listen(new Commits() {
            @Override
            public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
                heard.add("commit");
            }

            @Override
            public void settled() {
                heard.add("end");
            }
        });
        rig.send("drain", Rig.drainCommand("1", "x"));
        assertThatThrownBy(rig.core::runNext).hasMessage("a bug at the commit");
        assertThatThrownBy(rig.core::runNext).hasMessage("a bug at the end");
        rig.core.runNext();
        assertThat(rig.told).containsExactly("drain: done 1");
        assertThat(heard).containsExactly("commit", "end");
    }

    @Test
    void aChangeThatAStartCouldNotReadIsRefused() {
        long before = rig.inventory.seq();
        Principal author = new Principal(1001, "\u00c3\u0089mile", 0);
        rig.inventory.submit(Rig.drainCommand("1", "x"), author, answer -> rig.told.add(Rig.outcome(answer)));
        rig.settle();
        assertThat(rig.told).hasSize(1);
        assertThat(rig.told.get(0)).contains("drain cannot be written: ", "/context/user: has the character U+0089");
        assertThat(rig.inventory.seq()).isEqualTo(before);
        rig.send("drain", Rig.drainCommand("1", "\u00c9 is a letter"));
        rig.settle();
        assertThat(rig.told).last().isEqualTo("drain: done 1");
    }

    /** The second change becomes durable between the call of the listeners for the first change and its answer. */
    @Test
    void anAnswerWaitsForTheListenersOfItsChange() {
        rig.inventory.listen(new Commits() {
            @Override
            public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {}

            @Override
            public void settled() {
                rig.told.add("listeners");
            }
        });
        rig.send("one", Rig.drainCommand("1", "x"));
        rig.core.runNext(); // the first change is durable
        rig.send("two", Rig.drainCommand("2", "x"));
        rig.settle();
        assertThat(rig.told).containsExactly("listeners", "one: done 1", "listeners", "two: done 1");
    }

    @Test
    void commandsAreDecidedOnTheStateAfterEarlierProposals() {
        rig.holdDisk();
        rig.send("one", Rig.drainCommand("1", "x"));
        rig.send("two", Rig.drainCommand("1", "y"));
        rig.send("three", new HoldChanges.Undrain("1", null, HoldChanges.Mode.NONE, null));
        rig.release();
        rig.settle();

        assertThat(rig.told)
                .containsExactly("one: done 1", "two: EXISTS rank 1 already drained: node1", "three: done 1");
        assertThat(held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void aRefusalThatDependsOnAPendingChangeWaitsForIt() {
        rig.holdDisk();
        rig.send("one", Rig.drainCommand("1", "x"));
        rig.send("two", Rig.drainCommand("1", "y"));
        rig.core.runReady();

        assertThat(rig.told).isEmpty();
    }

    @Test
    void aRefusalThatDependsOnAFailedChangeIsDecidedAgain() {
        rig.holdDisk();
        rig.send("drain", Rig.drainCommand("1", "x"));
        rig.send("again", Rig.drainCommand("1", "y"));
        rig.disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE) {
                rig.healDisk();
                throw FaultyDisk.broken();
            }
            return -1;
        });
        rig.release();
        rig.settle();

        // The disk may have accepted either of the two changes, depending on whether the first force had begun.
        assertThat(rig.told).hasSize(2);
        assertThat(held()).isEqualTo(Idset.of(1));
        if (rig.told.get(0).startsWith("drain: LEDGER")) {
            assertThat(rig.told.get(1)).isEqualTo("again: done 1");
        } else {
            assertThat(rig.told).containsExactly("drain: done 1", "again: EXISTS rank 1 already drained: node1");
        }
    }

    @Test
    void aRefusalWithoutPendingChangesIsAnsweredImmediately() {
        rig.send("undrain", new HoldChanges.Undrain("1", null, HoldChanges.Mode.NONE, null));
        assertThat(rig.told).containsExactly("undrain: EXISTS rank 1 not drained: node1");
    }

    @Test
    void aRefusalDoesNotOvertakeTheAnswersBeforeIt() {
        rig.inventory.listen(new Commits() {
            @Override
            public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
                // The change is durable, but neither published nor answered: another request may arrive in this state.
                rig.send("again", Rig.drainCommand("1", "y"));
            }
        });
        rig.send("first", Rig.drainCommand("1", "x"));
        rig.settle();
        rig.settle(); // for the second command, which was sent while the first was awaited

        assertThat(rig.told).containsExactly("first: done 1", "again: EXISTS rank 1 already drained: node1");
    }

    @Test
    void aFailedWriteChangesNothingAndIsAnsweredWithTheReason() {
        rig.fillDisk();
        assertThat(Rig.outcome(rig.drain("1"))).isEqualTo("LEDGER No space left on device");
        assertThat(held()).isEqualTo(Idset.EMPTY);
        assertThat(rig.inventory.fault()).isEqualTo("No space left on device");

        rig.healDisk();
        assertThat(Rig.outcome(rig.drain("1"))).isEqualTo("done 1");
        assertThat(rig.inventory.seq()).as("no number is left out").isEqualTo(2);
        assertThat(rig.inventory.fault()).isEmpty();
    }

    @Test
    void changesThatDependOnAFailedChangeFailToo() {
        rig.fillDisk();
        rig.send("one", Rig.drainCommand("1", "x"));
        rig.send("two", Rig.drainCommand("2", "x"));
        rig.send("three", Rig.drainCommand("3", "x"));
        rig.settle();
        rig.healDisk();

        assertThat(rig.told).hasSize(3).allSatisfy(answer -> assertThat(answer).contains("No space left on device"));
        assertThat(held()).isEqualTo(Idset.EMPTY);
        assertThat(Rig.outcome(rig.drain("3"))).isEqualTo("done 1");
        assertThat(held()).isEqualTo(Idset.of(3));
        assertThat(rig.inventory.seq()).isEqualTo(2);
    }

    @Test
    void aChangeIsPublishedBeforeItIsAnswered() {
        rig.inventory.listen(new Commits() {
            @Override
            public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
                rig.told.add("committed " + entries.size());
            }

            @Override
            public void settled() {
                rig.told.add("published");
            }
        });
        rig.send("drain", Rig.drainCommand("1", "x"));
        rig.settle();

        assertThat(rig.told.subList(0, 3)).containsExactly("committed 1", "published", "drain: done 1");
    }

    @Test
    void changesOfOneForceArePublishedOnce() {
        rig.holdDisk();
        List<String> published = new ArrayList<>();
        rig.inventory.listen(new Commits() {
            @Override
            public void settled() {
                published.add(held().toString());
            }
        });
        rig.send("one", Rig.drainCommand("1", "x")); // this change may already be in a separate write
        rig.send("two", Rig.drainCommand("2", "x"));
        rig.send("three", Rig.drainCommand("3", "x"));
        rig.release();
        rig.settle();

        assertThat(published.get(published.size() - 1)).isEqualTo("1-3");
        assertThat(published.stream().distinct().count()).isLessThanOrEqualTo(2);
    }

    @Test
    void changesBeyondTheLimitOfPendingChangesAreRefused() {
        rig.close();
        rig = Rig.with(2, 100);
        rig.holdDisk();
        rig.send("one", Rig.drainCommand("1", "x"));
        rig.send("two", Rig.drainCommand("2", "x"));
        rig.send("three", Rig.drainCommand("3", "x"));

        assertThat(rig.told).containsExactly("three: BUSY 2 changes wait for the ledger already: try again later");
        rig.release();
        rig.settle();
        assertThat(Rig.outcome(rig.drain("3"))).isEqualTo("done 1");
    }

    @Test
    void aBugInOneCallbackDoesNotAffectOtherAnswers() {
        rig.holdDisk();
        rig.inventory.submit(Rig.drainCommand("1", "x"), Rig.ALICE, answer -> {
            throw new IllegalStateException("a bug");
        });
        rig.send("two", Rig.drainCommand("2", "x"));
        rig.release();
        assertThatThrownBy(rig::settle).hasMessage("a bug");
        rig.settle();

        assertThat(rig.told).containsExactly("two: done 1");
    }

    @Test
    void aCommandThatChangesNothingWritesNothing() {
        rig.drain("1");
        Command again = new HoldChanges.Drain("1", "other", HoldChanges.Mode.UPDATE, "admin", 0);
        assertThat(Rig.outcome(rig.submit(again))).isEqualTo("done 0");
        assertThat(rig.inventory.seq()).isEqualTo(2);
    }

    @Test
    void aPreviewReturnsTheNewStateAndChangesNothing() {
        Preview preview = rig.inventory.preview(Rig.drainCommand("1-2", "x"), Rig.ALICE);

        assertThat(preview.after().view().up()).isEqualTo(Idset.of(0, 3));
        assertThat(preview.decision().events()).hasSize(1);
        rig.settle();
        assertThat(rig.state().view().up()).isEqualTo(Idset.range(0, 3));
        assertThat(rig.inventory.seq()).isEqualTo(1);
    }

    @Test
    void stalledSecondsIsPositiveWhileAForceIsPending() {
        rig.advance(Duration.ofSeconds(1));
        assertThat(rig.inventory.stalledSeconds()).isZero();
        rig.holdDisk();
        rig.send("drain", Rig.drainCommand("1", "x"));
        rig.core.advance(Duration.ofSeconds(1), () -> {});
        assertThat(rig.inventory.stalledSeconds()).isPositive();
        rig.release();
        rig.settle();
        assertThat(rig.inventory.stalledSeconds()).isZero();
    }

    private double since(int rank) {
        return Objects.requireNonNull(rig.state().holds().on(rank)).oldest().since();
    }

    @Test
    void timesOfEventsDoNotGoBackWithTheClock() {
        rig.advance(Duration.ofSeconds(100));
        rig.drain("1");
        double before = since(1);
        rig.core.jump(Duration.ofMinutes(-1));
        rig.drain("2");
        assertThat(since(2)).isEqualTo(before);
        rig.advance(Duration.ofSeconds(61));
        rig.drain("3");
        assertThat(since(3)).isGreaterThan(before);
    }

    @Test
    void submitOnAnotherThreadIsRefused() {
        CompletableFuture<Void> elsewhere =
                CompletableFuture.runAsync(() -> rig.inventory.submit(Rig.drainCommand("1", "x"), Rig.ALICE, a -> {}));
        assertThatThrownBy(elsewhere::get)
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("the inventory belongs to");
    }

    private static ResourceSet withGraphOf(int megabytes) {
        ResourceSet plain = Rig.nodes("node[0-3]");
        String megabyte = "\"" + "x".repeat(1 << 20) + "\"";
        String graph =
                ",\"scheduling\":{\"graph\":[" + String.join(",", Collections.nCopies(megabytes, megabyte)) + "]}}";
        String text = plain.toString();
        return ResourceSet.parse((text.substring(0, text.length() - 1) + graph).getBytes(StandardCharsets.UTF_8));
    }

    /** With 150 characters for each core, this is the size of the graph of a cluster of 1,000 hosts. */
    @Test
    void aLargeGraphIsAccepted() {
        rig.define(withGraphOf(18));
        assertThat(rig.inventory.seq()).isEqualTo(2);
    }

    @Test
    void anEventLongerThanTheLineLimitIsRefusedAndDoesNotAffectOthers() {
        Command define = new DefinitionChanges.Define(withGraphOf(128), "reload", Liveness.Status.ONLINE);
        assertThat(Rig.outcome(rig.submit(define)))
                .matches("TOO_LONG resource-define of 13\\d+ bytes exceeds the journal's line limit of 134217728");
        assertThat(rig.inventory.stalledSeconds()).isZero();
        assertThat(Rig.outcome(rig.drain("1"))).isEqualTo("done 1");
    }

    /** Returns an inventory whose work beside the core thread waits in a queue of the test. */
    private Inventory beside(Queue<Runnable> work) {
        Committed found = new Committed(rig.state(), rig.inventory.seq());
        return new Inventory(rig.journal, found, rig.core, new Aside(rig.core, work::add), rig.clock, 2);
    }

    @Test
    void changesWaitWhileAnEarlierChangeIsDecidedAside() {
        Queue<Runnable> work = new ArrayDeque<>();
        Inventory inventory = beside(work);
        Consumer<Answer> note = answer -> rig.told.add(Rig.outcome(answer));
        inventory.submitAside(state -> Rig.drainCommand("0", null), Rig.ALICE, note);
        inventory.submit(Rig.drainCommand("0", null), Rig.BOB, note);
        inventory.submit(Rig.drainCommand("1", null), Rig.BOB, note);
        inventory.submit(Rig.drainCommand("2", null), Rig.BOB, note);
        inventory.whenAnswered(() -> rig.told.add("all"));
        rig.core.runReady();
        assertThat(rig.told).containsExactly("BUSY 2 changes wait for the ledger already: try again later");
        assertThat(inventory.isRedefining()).isTrue();
        work.remove().run();
        while (!rig.told.contains("all")) {
            rig.core.runNext();
        }
        assertThat(rig.told.subList(1, 5)).containsExactly("done 1", "done 0", "done 1", "all");
        assertThat(inventory.isRedefining()).isFalse();
    }

    @Test
    void changesThatWaitAreRefusedIfThisDaemonStopsLeading() {
        Queue<Runnable> work = new ArrayDeque<>();
        Inventory inventory = beside(work);
        long before = inventory.seq();
        Consumer<Answer> note = answer -> rig.told.add(Rig.outcome(answer));
        inventory.submitAside(state -> Rig.drainCommand("0", null), Rig.ALICE, note);
        inventory.submit(Rig.drainCommand("1", null), Rig.BOB, note);
        inventory.refuse(new Answer.Failed(Answer.Failed.Kind.ELSEWHERE, "another daemon leads"), false);
        work.remove().run();
        inventory.whenAnswered(() -> rig.told.add("all"));
        while (!rig.told.contains("all")) {
            rig.core.runNext();
        }
        assertThat(rig.told).containsExactly("ELSEWHERE another daemon leads", "ELSEWHERE another daemon leads", "all");
        assertThat(inventory.isAt(before)).isTrue();
    }

    @Test
    void aChangeDecidedAsideIsDecidedAgainIfAnEarlierChangeFails() {
        Queue<Runnable> work = new ArrayDeque<>();
        Inventory inventory = beside(work);
        rig.fillDisk();
        inventory.submit(Rig.drainCommand("0", null), Rig.ALICE, answer -> rig.told.add(Rig.outcome(answer)));
        List<String> held = new ArrayList<>();
        inventory.submitAside(
                state -> {
                    held.add(state.holds().held().toString());
                    return null;
                },
                Rig.ALICE,
                answer -> rig.told.add(Rig.outcome(answer)));
        while (rig.told.isEmpty()) {
            rig.core.runNext();
        }
        work.remove().run();
        rig.core.runReady();
        work.remove().run();
        rig.core.runReady();
        assertThat(held).containsExactly("0", "");
        assertThat(rig.told).hasSize(2).last().isEqualTo("done 0");
    }
}
