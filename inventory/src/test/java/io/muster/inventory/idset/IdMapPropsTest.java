package io.muster.inventory.idset;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Idsets;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

class IdMapPropsTest {
    private static final int BOUND = 300;

    @Seeds
    void everyVersionBehavesLikeItsHashMap(Random random) {
        IdMap<String> map = IdMap.empty();
        Map<Integer, String> oracle = new HashMap<>();
        List<IdMap<String>> versions = new ArrayList<>();
        List<Map<Integer, String>> oracles = new ArrayList<>();
        for (int step = 0; step < 40; step++) {
            Idset ids = Idsets.small(random, 1 + random.nextInt(BOUND));
            map = step(map, oracle, ids, random);
            versions.add(map);
            oracles.add(new HashMap<>(oracle));
        }
        for (int i = 0; i < versions.size(); i++) {
            assertThat(members(versions.get(i))).isEqualTo(oracles.get(i));
        }
    }

    @Seeds
    void queriesMatchAHashMap(Random random) {
        IdMap<String> map = IdMap.empty();
        Map<Integer, String> oracle = new HashMap<>();
        for (int step = 0; step < 10; step++) {
            map = step(map, oracle, Idsets.small(random, BOUND), random);
        }
        for (int id = 0; id < BOUND + 2; id++) {
            assertThat(map.get(id)).isEqualTo(oracle.get(id));
        }
        assertThat(map.keys().stream().boxed()).containsExactlyInAnyOrderElementsOf(oracle.keySet());
        assertThat(map.isEmpty()).isEqualTo(oracle.isEmpty());
        Idset window = Idsets.small(random, BOUND);
        Map<Integer, String> inside = new HashMap<>();
        map.forEachIn(window, (first, last, value) -> fill(inside, first, last, value));
        oracle.keySet().removeIf(id -> !window.contains(id));
        assertThat(inside).isEqualTo(oracle);
    }

    @Seeds
    void intervalsStayMaximalAndTheTreeBalanced(Random random) {
        IdMap<String> map = IdMap.empty();
        for (int step = 0; step < 60; step++) {
            map = step(map, new HashMap<>(), Idsets.small(random, BOUND), random);
            List<Object> seen = new ArrayList<>(List.of(-2, ""));
            map.forEach((first, last, value) -> {
                int end = (int) seen.get(seen.size() - 2);
                assertThat(first).isGreaterThan(end);
                assertThat(first == end + 1 && value.equals(seen.get(seen.size() - 1)))
                        .isFalse();
                seen.addAll(List.of(last, value));
            });
            int intervals = seen.size() / 2 - 1;
            assertThat((double) map.height()).isLessThanOrEqualTo(1.45 * Math.log(intervals + 2) / Math.log(2));
        }
    }

    @Seeds
    void mapsWithTheSameContentAreEqual(Random random) {
        IdMap<String> map = IdMap.empty();
        for (int step = 0; step < 10; step++) {
            map = step(map, new HashMap<>(), Idsets.small(random, BOUND), random);
        }
        IdMap<String> again = IdMap.empty();
        for (Map.Entry<String, Idset> group : map.groups().entrySet()) {
            again = again.put(group.getValue(), group.getKey());
        }
        assertThat(again).isEqualTo(map).hasSameHashCodeAs(map).hasToString(map.toString());
    }

    private static IdMap<String> step(IdMap<String> map, Map<Integer, String> oracle, Idset ids, Random random) {
        String value = String.valueOf((char) ('a' + random.nextInt(3)));
        return switch (random.nextInt(4)) {
            case 0 -> {
                ids.forEach(oracle::remove);
                yield map.remove(ids);
            }
            case 1 -> {
                UnaryOperator<@Nullable String> f = old -> old == null ? value : old.equals(value) ? null : value;
                ids.forEach(id -> oracle.compute(id, (k, old) -> f.apply(old)));
                yield map.update(ids, f);
            }
            default -> {
                ids.forEach(id -> oracle.put(id, value));
                yield map.put(ids, value);
            }
        };
    }

    private static Map<Integer, String> members(IdMap<String> map) {
        Map<Integer, String> members = new HashMap<>();
        map.forEach((first, last, value) -> fill(members, first, last, value));
        return members;
    }

    private static void fill(Map<Integer, String> members, int first, int last, String value) {
        for (int id = first; id <= last; id++) {
            assertThat(members.put(id, Objects.requireNonNull(value))).isNull();
        }
    }
}
