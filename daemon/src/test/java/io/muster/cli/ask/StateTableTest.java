package io.muster.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.look.PropertyGroups;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
                R,
                List.of(
                        Column.left("reason", "REASON"),
                        Column.right("nnodes", "NNODES"),
                        Column.flexible("nodelist", "NODELIST")),
                false);
        StateGroup.of(state, Idset.EMPTY, R.ranks())
                .forEach(group -> fold.add(Map.of("reason", group.reason()), group.ranks()));

        assertThat(fold.table().render(false, Style.PLAIN))
                .isEqualTo("            50 n[50-99]\nmaintenance 50 n[0-49]\n");
    }

    @Test
    void filtersOfStateAndLivenessAreCombined() {
        InventoryState state = ALL_UP.apply(drain("1-2", "bad", "admin", 0), 2, ADA)
                .apply(new LivenessChanges.LivenessChanged(LivenessChange.OFFLINE, targets("2-3"), ""), 3, ADA);
        List<StateGroup> groups = StateGroup.of(state, Idset.EMPTY, R.ranks());

        assertThat(StateFilter.of("drain").keep(groups))
                .extracting(StateGroup::word)
                .containsExactly("drained", "drained*");
        assertThat(StateFilter.of("offline").keep(groups))
                .extracting(StateGroup::word)
                .containsExactly("avail*", "drained*");
        assertThat(StateFilter.of("drained,online").keep(groups))
                .extracting(StateGroup::word)
                .containsExactly("drained");
        assertThat(StateFilter.of("all").keep(groups)).isEqualTo(groups);
        assertThat(StateFilter.of(null).keep(groups)).isEqualTo(groups);
    }

    @Test
    void ranksAreGroupedByTheirSetsOfProperties() {
        ResourceSet tagged = R;
        for (int i = 0; i < 40; i++) {
            tagged = tagged.withProperty("p" + i, Idset.range(i, 99));
        }
        assertThat(PropertyGroups.of(tagged, tagged.ranks())).hasSize(40).containsEntry(List.of("p0"), Idset.of(0));
    }

    /** A comparison of each group with each property would take minutes. */
    @Test
    @Timeout(60)
    void ranksAreGroupedByTensOfThousandsOfProperties() {
        int count = 50_000;
        Map<String, Idset> racks = new HashMap<>();
        for (int i = 0; i < count; i++) {
            racks.put("rack" + i, Idset.of(2 * i));
        }
        Idset all = Idset.range(0, 2 * count - 1);
        ResourceSet tagged = ResourceSet.of(Hostlist.parse("n[0-99999]"), all, Idset.of(0), Idset.EMPTY, racks);

        assertThat(PropertyGroups.of(tagged, all)).hasSize(count + 1).containsEntry(List.of("rack7"), Idset.of(14));
    }

    @Test
    void groupsOfPropertiesAreInTheOrderOfTheirLowestRanks() {
        ResourceSet tagged = R.withProperty("c", Idset.of(0, 7))
                .withProperty("b", Idset.of(2, 7))
                .withProperty("a", Idset.of(5));

        assertThat(PropertyGroups.of(tagged, Idset.parse("0-2,4-9")))
                .containsExactly(
                        Map.entry(List.of("c"), Idset.of(0)),
                        Map.entry(List.of(), Idset.parse("1,4,6,8-9")),
                        Map.entry(List.of("b"), Idset.of(2)),
                        Map.entry(List.of("a"), Idset.of(5)),
                        Map.entry(List.of("b", "c"), Idset.of(7)));
        assertThat(PropertyGroups.of(tagged, Idset.EMPTY)).isEmpty();
    }
}
