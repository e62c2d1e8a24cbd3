package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.Once;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A change that arrives twice with the same id is one change with one answer. */
class SentTwiceTest {
    private static Once drain(String targets) {
        ChangeId id = ChangeId.of(new UUID(1, 1), targets);
        return new Once(Rig.drainCommand(targets, "because"), id);
    }

    private static HoldChanges.Undrain undrain(String targets) {
        return new HoldChanges.Undrain(targets, null, HoldChanges.Mode.NONE, null);
    }

    @Test
    void aRepetitionOfAPendingChangeIsAnsweredAfterTheChange() {
        try (Rig rig = Rig.ofFour()) {
            long seq = rig.inventory.seq();
            rig.holdDisk();
            rig.send("first", drain("1"));
            rig.awaitForce();
            rig.send("second", drain("1"));
            rig.send("other", drain("2"));
            rig.core.runReady();
            assertThat(rig.told).isEmpty();
            rig.release();
            rig.settle();
            assertThat(rig.told)
                    .containsExactly(
                            "first: done 1",
                            "second: done 0",
                            "other: INVALID id 00000000-0000-0001-0000-000000000001 belongs to another change already,"
                                    + " seq 2: give each change an id of its own");
            assertThat(rig.inventory.seq()).isEqualTo(seq + 1);
        }
    }

    @Test
    void aRepetitionOfAFailedChangeIsMade() {
        try (Rig rig = Rig.ofFour()) {
            rig.fillDisk();
            rig.send("first", drain("1"));
            rig.healDisk();
            rig.settle();
            rig.send("second", drain("1"));
            rig.settle();
            rig.send("third", drain("1"));
            rig.settle();
            assertThat(rig.told).last().isEqualTo("third: done 0");
            assertThat(rig.state().holds().held()).hasToString("1");
        }
    }

    @Test
    void aRepetitionAfterARestartWithOrWithoutASnapshotIsNotMade(@TempDir Path directory) throws IOException {
        HandDriven clock = new HandDriven(Rig.START);
        try (Rig rig = Rig.on(new FaultyDisk(LocalDisk.at(directory.resolve("state"))), clock)) {
            rig.define(Rig.nodes("node[0-3]"));
            rig.submit(drain("1"));
            rig.submit(undrain("1"));
        }
        for (int start = 0; start < 2; start++) {
            try (Rig rig = Rig.on(new FaultyDisk(LocalDisk.existing(directory.resolve("state"))), clock)) {
                assertThat(rig.submit(drain("1"))).isInstanceOf(Answer.Done.class);
                assertThat(rig.state().holds().held().isEmpty()).isTrue();
                List<Outcome> outcomes = new ArrayList<>();
                new Snapshots(rig.inventory, rig.journal, Runnable::run, 1, outcomes::add).refresh();
                while (outcomes.isEmpty()) {
                    rig.core.runNext();
                }
                assertThat(rig.journal.snapshotSeq()).isEqualTo(rig.inventory.seq());
            }
        }
        try (Rig rig = Rig.on(new FaultyDisk(LocalDisk.existing(directory.resolve("state"))), clock)) {
            rig.advance(Duration.ofMinutes(31));
            rig.submit(new Once(drain("2").command(), ChangeId.of(new UUID(8, 8), "drain 2")));
            rig.submit(drain("1"));
            assertThat(rig.state().holds().held()).hasToString("1-2");
        }
    }
}
