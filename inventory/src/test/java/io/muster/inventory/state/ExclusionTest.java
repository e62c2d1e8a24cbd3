package io.muster.inventory.state;

import static io.muster.inventory.state.States.ALICE;
import static io.muster.inventory.state.States.BOB;
import static io.muster.inventory.state.States.config;
import static io.muster.inventory.state.States.drain;
import static io.muster.inventory.state.States.exclude;
import static io.muster.inventory.state.States.hold;
import static io.muster.inventory.state.States.include;
import static io.muster.inventory.state.States.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The effects of exclusions on holds. At the start, four hosts, host0 to host3, are online. */
class ExclusionTest {
    private final States four = States.four();

    private InventoryState state() {
        return four.state();
    }

    private Hold named(int rank) {
        HoldSet set = Objects.requireNonNull(state().holds().on(rank));
        assertThat(set.holds()).hasSize(1);
        return set.holds().get(0);
    }

    @Test
    void theSharedHoldEndsAndANamedHoldStays() {
        four.after(drain("1-2", "x"), hold("1", "ops", 0));
        Hold before = Objects.requireNonNull(
                Objects.requireNonNull(state().holds().on(1)).of("ops"));
        assertThat(words(four.run(exclude("1-2"), BOB)))
                .isEqualTo("undrain {'idset':'1-2','nodelist':'host[1-2]','reason':'excluded','overwrite':0,"
                        + "'holder':'admin'}\n"
                        + "exclude {'idset':'1-2','nodelist':'host[1-2]','kind':'admin'}");
        assertThat(named(1)).isEqualTo(before);
        assertThat(before.by()).isEqualTo(ALICE);
        four.after(include("1-2"));
        assertThat(state().view().up()).hasToString("0,2-3");
    }

    @Test
    void anExclusionByTheConfigurationEndsOnlyTheSharedHold() {
        four.after(drain("1", "x"), hold("1-2", "ops", 0), config("1-2"));
        assertThat(named(1).holder()).isEqualTo("ops");
        four.after(exclude("1"), config(""), include("1"));
        assertThat(named(1).holder()).isEqualTo("ops");
        assertThat(state().members()).hasToString("0-3");
        assertThat(state().view().up()).hasToString("0,3");
    }
}
