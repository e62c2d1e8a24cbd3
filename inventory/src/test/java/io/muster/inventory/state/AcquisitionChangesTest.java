package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Principal;
import org.junit.jupiter.api.Test;

class AcquisitionChangesTest {
    private static final Command CLAIM = new AcquisitionChanges.Claim("flux", 60);

    private static String refusal(InventoryState state, Command command, Principal by) {
        Decision.Rejection rejection = command.decide(state, 100, by).rejection();
        return rejection == null ? "" : rejection.kind() + " " + rejection.text();
    }

    private static InventoryState after(InventoryState state, Command command) {
        for (Event event : command.decide(state, 100, States.ALICE).events()) {
            state = state.apply(event, 100, States.ALICE);
        }
        return state;
    }

    @Test
    void aRepeatedClaimChangesOnlyTheGrace() {
        InventoryState first = after(InventoryState.empty(), CLAIM);
        assertThat(CLAIM.decide(first, 200, States.ALICE).events()).isEmpty();
        InventoryState longer = first.apply(
                new AcquisitionChanges.Claim("flux", 90)
                        .decide(first, 200, States.ALICE)
                        .events()
                        .get(0),
                200,
                States.ALICE);
        assertThat(longer.acquisitions().get("flux")).satisfies(held -> {
            assertThat(held.grace()).isEqualTo(90);
            assertThat(held.since()).isEqualTo(100);
        });
    }

    @Test
    void anAcquisitionIsWrittenToAndReadFromTheSnapshot() {
        InventoryState state = after(States.four().state(), CLAIM);
        String snapshot = States.snapshot(state);
        assertThat(snapshot).contains("acquisitions");
        InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(state)));
        assertThat(States.snapshot(read)).isEqualTo(snapshot);
        assertThat(read.acquisitions()).isEqualTo(state.acquisitions());
        assertThat(States.snapshot(after(state, new AcquisitionChanges.Release("flux", null))))
                .doesNotContain("acquisitions");
    }

    @Test
    void refusalsNameTheReasonAndTheRemedy() {
        InventoryState none = InventoryState.empty();
        InventoryState one = after(none, CLAIM);
        InventoryState two = after(one, new AcquisitionChanges.Claim("slurm", 5));
        assertThat(refusal(one, CLAIM, States.BOB))
                .isEqualTo("HELD_BY_OTHER the acquisition of flux belongs to alice(1001): use another owner");
        assertThat(refusal(none, new AcquisitionChanges.Claim("a b", 60), States.BOB))
                .isEqualTo("INVALID owner \"a b\": letters, digits and ._:@- only");
        assertThat(refusal(none, new AcquisitionChanges.Claim("", 60), States.BOB))
                .isEqualTo("INVALID an owner's name has 1 to 128 characters, not 0");
        assertThat(refusal(none, new AcquisitionChanges.Claim("a", -1), States.BOB))
                .isEqualTo("INVALID grace must be 0 to 86400 seconds, not -1.0");
        assertThat(refusal(none, new AcquisitionChanges.Claim("a", Double.NaN), States.BOB))
                .startsWith("INVALID grace");
        assertThat(refusal(none, new AcquisitionChanges.Release("", null), States.BOB))
                .isEqualTo("INVALID no acquisition has an owner: nothing can be released");
        assertThat(refusal(one, new AcquisitionChanges.Release("x", null), States.BOB))
                .isEqualTo("INVALID no acquisition has the owner \"x\": the owners are flux");
        assertThat(refusal(two, new AcquisitionChanges.Release("", null), States.BOB))
                .isEqualTo("INVALID 2 acquisitions have owners: name one of flux, slurm");
    }
}
