package io.muster.inventory.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.InvalidException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Any JSON from the disk is either refused with the place of the fault, or read and written again unchanged. {@code .ci/fuzz
 * 1000000 StateFuzzTest} searches for exceptions.
 */
class StateFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void anyEntryIsRefusedOrReadWithoutLoss(byte[] json) {
        JsonNode tree = tree(json);
        if (tree == null) {
            return;
        }
        Entry entry;
        try {
            entry = Entry.parse(tree);
        } catch (InvalidException e) {
            assertThat(e.problems()).isNotEmpty();
            return;
        }
        Entry again = Entry.parse(States.tree(entry));
        assertThat(States.tree(again)).isEqualTo(States.tree(entry));
        try {
            assertThat(again.applyTo(States.four().state())).isNotNull();
        } catch (InvalidException e) {
            assertThat(e).hasMessageStartingWith("journal entry " + entry.seq() + ": /context: ");
        }
    }

    @FuzzTest(maxDuration = "5m")
    void anySnapshotIsRefusedOrReadWithoutLoss(byte[] json) {
        JsonNode tree = tree(json);
        if (tree == null) {
            return;
        }
        InventoryState state;
        try {
            state = StateJson.parse(tree);
        } catch (InvalidException e) {
            assertThat(e.problems()).isNotEmpty();
            return;
        }
        String written = States.snapshot(state);
        assertThat(States.snapshot(StateJson.parse(States.tree(written.getBytes(UTF_8)))))
                .isEqualTo(written);
    }

    private static @Nullable JsonNode tree(byte[] json) {
        try {
            return StrictJson.stored(json);
        } catch (IOException | NumberFormatException notJson) {
            return null;
        }
    }
}
