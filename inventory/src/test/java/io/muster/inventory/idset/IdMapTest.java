package io.muster.inventory.idset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IdMapTest {
    private static final IdMap<String> MAP =
            IdMap.<String>empty().put(Idset.parse("0-9"), "up").put(Idset.parse("3-4,20"), "down");

    @Test
    void neighboursWithEqualValuesAreOneInterval() {
        assertThat(MAP).hasToString("{0-2=up, 3-4=down, 5-9=up, 20=down}");
        assertThat(MAP.put(Idset.parse("3-4,10-19"), "up")).hasToString("{0-19=up, 20=down}");
    }

    @Test
    void aChangeDoesNotAffectOlderVersions() {
        MAP.remove(Idset.parse("0-100"));
        MAP.put(Idset.parse("0-100"), "x");
        assertThat(MAP).hasToString("{0-2=up, 3-4=down, 5-9=up, 20=down}");
    }

    @Test
    void idsAreLookedUpAndRemoved() {
        assertThat(MAP.get(4)).isEqualTo("down");
        assertThat(MAP.get(10)).isNull();
        assertThat(MAP.keys()).hasToString("0-9,20");
        assertThat(MAP.remove(Idset.parse("1-6"))).hasToString("{0=up, 7-9=up, 20=down}");
        assertThat(MAP.remove(Idset.parse("0-20")).isEmpty()).isTrue();
    }

    @Test
    void anUpdateSeesEveryIntervalAndEveryGapOnce() {
        List<String> seen = new ArrayList<>();
        IdMap<String> updated = MAP.update(Idset.parse("2-3,8-22"), old -> {
            seen.add(String.valueOf(old));
            return old == null ? "new" : old.equals("down") ? null : old;
        });
        assertThat(seen).containsExactlyInAnyOrder("up", "down", "up", "null", "down", "null");
        assertThat(updated).hasToString("{0-2=up, 4=down, 5-9=up, 10-19=new, 21-22=new}");
    }

    @Test
    void groupsComeByTheirLowestId() {
        assertThat(MAP.groups().toString()).isEqualTo("{up=0-2,5-9, down=3-4,20}");
    }

    @Test
    void aVisitWithinASetCutsTheIntervals() {
        List<String> seen = new ArrayList<>();
        MAP.forEachIn(Idset.parse("1-3,9-30"), (first, last, value) -> seen.add(first + "-" + last + value));
        assertThat(seen).containsExactly("1-2up", "3-3down", "9-9up", "20-20down");
    }

    @Test
    void mapsAreEqualByContent() {
        IdMap<String> other = IdMap.<String>empty()
                .put(Idset.parse("20"), "down")
                .put(Idset.parse("3-4"), "down")
                .put(Idset.parse("0-2,5-9"), "up");
        assertThat(other).isEqualTo(MAP).hasSameHashCodeAs(MAP).isNotEqualTo(MAP.remove(Idset.of(0)));
    }
}
