package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.state.StateJson;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PastDocumentsTest {
    private final Rig rig = Rig.ofFour();
    private final Stage stage = new Stage(rig);
    private final Stage.Caller owner = stage.join(Stage.owner());
    private final PastDocuments past = stage.backend.answers().past();

    @AfterEach
    void close() {
        stage.close();
    }

    private void drain(String targets) {
        rig.drain(targets);
        snapshot();
    }

    /** Ends a segment. */
    private void snapshot() {
        CompletableFuture<Outcome> done = new CompletableFuture<>();
        rig.journal.snapshot(rig.inventory.seq(), StateJson.toBytes(rig.state()), done::complete);
        while (!done.isDone()) {
            rig.core.runNext();
        }
        assertThat(done.join()).isEqualTo(Outcome.DURABLE);
    }

    private void prepare() {
        past.prepare();
        rig.settle();
    }

    private long sums() throws IOException {
        return rig.disk.list("journal").stream()
                .filter(file -> file.name().endsWith(".sums"))
                .count();
    }

    /** The first question about availability after a segment has ended is then as fast as later ones. */
    @Test
    void sumsAreMadeBeforeAnybodyAsks() throws Exception {
        prepare();
        assertThat(sums()).isZero();
        drain("0");
        prepare();
        assertThat(sums()).isEqualTo(1);
        drain("1");
        drain("2");
        prepare();
        assertThat(sums()).isEqualTo(3);
        rig.advance(Duration.ofHours(1));
        String counted = owner.ask("resource.availability", "{\"by\":\"host\"}");
        for (int i = 0; i < 4; i++) {
            assertThat(counted).contains("\"host\":\"node" + i + "\"");
        }
    }

    /** The sums of the one event in the second segment are longer than the segment. */
    @Test
    void sumsOfManyHostsFollowAShortSegment() throws Exception {
        rig.define(Rig.nodes("node[0-999]"));
        rig.drain(IntStream.range(0, 500).mapToObj(i -> Integer.toString(2 * i)).collect(Collectors.joining(",")));
        snapshot();
        rig.report("offline", "0-999");
        snapshot();
        prepare();
        assertThat(sums()).isEqualTo(2);
    }

    @Test
    void sumsAreMadeOnce() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        drain("0");
        prepare();
        rig.disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.READ) {
                reads.incrementAndGet();
            }
            return -1;
        });
        prepare();
        assertThat(reads).hasValue(0);
    }

    /** Questions and sums are made by the same thread, and a user waits for the questions. */
    @Test
    void noSumsAreMadeWhileAQuestionIsOpen() throws Exception {
        drain("0");
        stage.answersHeld = true;
        owner.send("resource.history", "{}", 0);
        rig.core.runReady();
        past.prepare();
        stage.answersHeld = false;
        while (!stage.heldAnswers.isEmpty()) {
            stage.heldAnswers.remove(stage.heldAnswers.size() - 1).run();
        }
        rig.settle();
        assertThat(owner.received()).hasSize(1);
        assertThat(sums()).isZero();
        prepare();
        assertThat(sums()).isEqualTo(1);
    }

    @Test
    void aDiskThatCannotBeReadIsTriedOnce() throws Exception {
        drain("0");
        rig.disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.READ && name.endsWith(".log")) {
                throw FaultyDisk.broken();
            }
            return -1;
        });
        prepare();
        assertThat(sums()).isZero();
        rig.disk.fault(FaultyDisk.NONE);
        drain("1");
        prepare();
        assertThat(sums()).isEqualTo(2);
    }
}
