package io.muster.inventory.feasibility;

import io.muster.inventory.request.Resource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Computes how much of each requested resource the usable hosts have, in the unit of the request. {@link Reason} uses the
 * result for its sentences.
 */
final class Levels {
    /** A requested amount of one type, summed over all vertices of the request. */
    record Need(String type, String unit, long amount) {
        Need times(long n) {
            return new Need(type, unit, Fit.times(amount, n));
        }

        /** Returns text such as {@code 8 core} or {@code 256GB memory}. */
        String text(long number) {
            return number + unit + " " + type;
        }
    }

    private final AreaFit fit;

    Levels(AreaFit fit) {
        this.fit = fit;
    }

    /** Returns what one copy of {@code item} takes: the leaves below it, or the item itself if it is a leaf. */
    static List<Need> needs(Resource item) {
        return item.with().isEmpty() ? List.of(new Need(item.type(), Units.of(item), 1)) : needs(item.with());
    }

    /** Returns what one copy of {@code list} takes, summed by type. */
    static List<Need> needs(List<Resource> list) {
        Map<List<String>, Long> amounts = new LinkedHashMap<>();
        add(list, 1, amounts);
        List<Need> needs = new ArrayList<>();
        amounts.forEach((type, amount) -> needs.add(new Need(type.get(0), type.get(1), amount)));
        return needs;
    }

    private static void add(List<Resource> list, long times, Map<List<String>, Long> into) {
        for (Resource item : list) {
            long count = Fit.times(times, item.count().min());
            if (item.with().isEmpty()) {
                into.merge(List.of(item.type(), Units.of(item)), count, (a, b) -> Math.min(Fit.MANY, a + b));
            } else {
                add(item.with(), count, into);
            }
        }
    }

    /** Returns the number of hosts for each amount of the type that some host has. */
    NavigableMap<Long, Long> of(Need need) {
        NavigableMap<Long, Long> levels = new TreeMap<>();
        long[] counts = fit.counts(fit.top());
        for (int k = 0; k < counts.length; k++) {
            if (counts[k] > 0) {
                levels.merge(amount(fit.cells().get(k).kind(), need), counts[k], Long::sum);
            }
        }
        return levels;
    }

    private static long amount(VertexKind kind, Need need) {
        return kind.isPool(need.type())
                ? kind.units(need.type(), Units.base(need.unit())) / Units.factor(need.unit())
                : kind.vertices(need.type());
    }

    /** Returns the total amount of the type, in hosts and outside of hosts. */
    long total(Need need) {
        long total = fit.top().units(need.type(), Units.base(need.unit())) / Units.factor(need.unit());
        for (Map.Entry<Long, Long> level : of(need).entrySet()) {
            total = Math.min(Fit.MANY, total + Fit.times(level.getKey(), level.getValue()));
        }
        return total;
    }

    /** Returns the number of hosts that have at least the needed amount. */
    long having(Need need) {
        return of(need).tailMap(need.amount()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
