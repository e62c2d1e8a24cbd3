package io.muster.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Style;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.status.StateFilter;
import io.muster.inventory.status.StateGroup;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StateTableTest {
    private static final Principal ADA = new Principal(1000, "ada", 0);
    private static final ResourceSet R =
            ResourceSet.of(Hostlist.parse("n[0-99]"), Idset.range(0, 99), Idset.of(0), Idset.EMPTY, Map.of());
    private static final InventoryState ALL_UP =
            InventoryState.empty().apply(new DefinitionChanges.Defined("test", R, Liveness.Status.ONLINE), 1, ADA);

    private static Event.Targets targets(String ranks) {
        Idset idset = Idset.parse(ranks);
        return new Event.Targets(idset, R.hostsOf(idset).toString());
    }

    private static Event drain(String ranks, String reason, String holder, double until) {
        return new HoldChanges.Drained(targets(ranks), reason, HoldChanges.Overwrite.NOTHING, holder, until);
    }

    @Test
    void rowsThatDifferOnlyInTheirRanksAreMerged() {
        InventoryState state = ALL_UP;
        for (int rank = 0; rank < 50; rank++) {
            state = state.apply(drain(Integer.toString(rank), "maintenance", "admin", 0), 2 + rank, ADA);
        }
        Fold fold = new Fold(
                List.of(
                        Column.left("reason", "REASON"),
                        Column.right("nnodes", "NNODES"),
                        Column.flexible("nodelist", "NODELIST")),
                false);
        StateGroup.of(state, Idset.EMPTY, R.ranks())
                .forEach(group -> fold.add(Map.of("reason", group.reason()), new StateRow(group.toJson(R, false))));

        assertThat(fold.table().render(false, Style.PLAIN))
                .isEqualTo("            50 n[50-99]\nmaintenance 50 n[0-49]\n");
    }

    @Test
    void severalHoldsAreNamedByTheirHolders() {
        InventoryState state = ALL_UP.apply(drain("1", "bad", "admin", 0), 2, ADA)
                .apply(drain("1-2", "firmware", "ops", 100), 3, new Principal(1, "bob", 0));
        StateRow both = new StateRow(
                StateGroup.of(state, Idset.EMPTY, Idset.of(1)).get(0).toJson(R, false));
        StateRow one = new StateRow(
                StateGroup.of(state, Idset.EMPTY, Idset.of(2)).get(0).toJson(R, false));

        assertThat(both.reason()).isEqualTo("admin: bad; ops: firmware");
        assertThat(both.holders()).isEqualTo("admin,ops");
        assertThat(both.by()).isEqualTo("ada,bob");
        assertThat(both.since()).isEqualTo(2);
        assertThat(both.until()).as("the other hold stays").isZero();
        assertThat(one.until()).isEqualTo(100);
    }

    @Test
    void filtersOfStateAndLivenessAreCombined() {
        InventoryState state = ALL_UP.apply(drain("1-2", "bad", "admin", 0), 2, ADA)
                .apply(new LivenessChanges.LivenessChanged(LivenessChange.OFFLINE, targets("2-3"), ""), 3, ADA);
        List<StateGroup> groups = StateGroup.of(state, Idset.EMPTY, R.ranks());

        assertThat(StateFilter.of("drain").keep(groups))
                .extracting(StateGroup::word)
                .containsExactly("drained", "drained,offline");
        assertThat(StateFilter.of("offline").keep(groups))
                .extracting(StateGroup::word)
                .containsExactly("offline", "drained,offline");
        assertThat(StateFilter.of("drained,online").keep(groups))
                .extracting(StateGroup::word)
                .containsExactly("drained");
        assertThat(StateFilter.of("avail*").keep(groups))
                .extracting(StateGroup::word)
                .containsExactly("offline");
        assertThat(StateFilter.of("avail,drain*").keep(groups))
                .extracting(StateGroup::word)
                .containsExactly("available", "drained,offline");
        assertThat(StateFilter.of("all").keep(groups)).isEqualTo(groups);
        assertThat(StateFilter.of(null).keep(groups)).isEqualTo(groups);
    }
}
