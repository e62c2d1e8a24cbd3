package io.muster.inventory.hostlist;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the indexes of a name in a hostlist: by suffix, then by prefix, then by number. An index is immutable once it is
 * made.
 */
final class HostIndex {
    private final Hostlist hosts;
    /** For each name without a number, the indexes of the ranges that consist of it. */
    private final Map<String, List<Integer>> unnumbered = new HashMap<>();
    /** The ranges with a number, by suffix, then by prefix. */
    private final Map<String, Map<String, NumberIndex>> numbered = new HashMap<>();

    private final boolean hasSuffixes;

    HostIndex(Hostlist hosts) {
        this.hosts = hosts;
        Map<String, Map<String, List<Integer>>> groups = new HashMap<>();
        HostRange[] ranges = hosts.ranges();
        for (int i = 0; i < ranges.length; i++) {
            HostRange range = ranges[i];
            Map<String, List<Integer>> group =
                    range.isNumbered() ? groups.computeIfAbsent(range.suffix(), s -> new HashMap<>()) : unnumbered;
            group.computeIfAbsent(range.prefix(), p -> new ArrayList<>(1)).add(i);
        }
        groups.forEach((suffix, group) -> {
            Map<String, NumberIndex> byPrefix = new HashMap<>();
            group.forEach((prefix, members) -> byPrefix.put(prefix, new NumberIndex(ranges, members)));
            numbered.put(suffix, byPrefix);
        });
        this.hasSuffixes = numbered.size() > (numbered.containsKey("") ? 1 : 0);
    }

    int first(String name) {
        int[] first = {Integer.MAX_VALUE};
        forEach(name, i -> first[0] = Math.min(first[0], i));
        return first[0] == Integer.MAX_VALUE ? -1 : first[0];
    }

    /** Visits every index of {@code name} once, in no particular order. */
    void forEach(String name, IntConsumer c) {
        for (int range : unnumbered.getOrDefault(name, List.of())) {
            c.accept(hosts.start(range));
        }
        forEach(name, "", c);
        if (hasSuffixes) {
            for (int cut = name.length() - 1; cut > 0; cut--) {
                if (HostRange.isDigit(name.charAt(cut - 1))) {
                    forEach(name.substring(0, cut), name.substring(cut), c);
                }
            }
        }
    }

    private void forEach(String stem, String suffix, IntConsumer c) {
        Map<String, NumberIndex> group = numbered.get(suffix);
        if (group == null) {
            return;
        }
        HostRange wanted = HostRange.ofName(stem);
        NumberIndex candidates = wanted.isNumbered() ? group.get(wanted.prefix()) : null;
        if (candidates != null) {
            forEachMatch(candidates, wanted, 0, (index, nameIndex, count) -> c.accept(index));
        }
    }

    /** Visits every run of consecutive hosts that this list and {@code names} share. */
    void forEachMatch(Hostlist names, MatchConsumer c) {
        HostRange[] wanted = names.ranges();
        for (int i = 0; i < wanted.length; i++) {
            int start = names.start(i);
            if (hasSuffixes || !wanted[i].isNumbered() || !wanted[i].suffix().isEmpty()) {
                forEachByName(wanted[i], start, c);
            } else {
                NumberIndex candidates = candidates(wanted[i].prefix());
                if (candidates != null) {
                    forEachMatch(candidates, wanted[i], start, c);
                }
            }
        }
    }

    private @Nullable NumberIndex candidates(String prefix) {
        return numbered.getOrDefault("", Map.of()).get(prefix);
    }

    private void forEachByName(HostRange wanted, int start, MatchConsumer c) {
        for (int offset = 0; offset < wanted.count(); offset++) {
            int nameIndex = start + offset;
            forEach(wanted.name(offset), index -> c.accept(index, nameIndex, 1));
        }
    }

    private void forEachMatch(NumberIndex candidates, HostRange wanted, int start, MatchConsumer c) {
        candidates.forEachOverlap(wanted.first(), wanted.last(), range -> {
            HostRange held = hosts.ranges()[range];
            long first = Math.max(Math.max(wanted.first(), held.first()), sameFrom(wanted, held));
            long last = Math.min(wanted.last(), held.last());
            if (first <= last) {
                int index = hosts.start(range) + (int) (first - held.first());
                c.accept(index, start + (int) (first - wanted.first()), (int) (last - first + 1));
            }
        });
    }

    /**
     * Returns the lowest number from which on ranges {@code a} and {@code b} write every number in the same way, for any
     * widths.
     */
    private static long sameFrom(HostRange a, HostRange b) {
        return a.width() == b.width() ? 0 : HostRange.power(Math.max(a.width(), b.width()) - 1);
    }
}
