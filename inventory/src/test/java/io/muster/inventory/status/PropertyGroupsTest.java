package io.muster.inventory.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PropertyGroupsTest {
    private static final ResourceSet R =
            ResourceSet.of(Hostlist.parse("n[0-99]"), Idset.range(0, 99), Idset.of(0), Idset.EMPTY, Map.of());

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
