package io.muster.inventory.hostlist;

import java.util.Comparator;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Finds the ranges of one prefix that contain a number. The ranges are in an interval tree, which is stored in arrays.
 * Ranges may overlap, because a list may repeat a name.
 */
final class NumberIndex {
    private final int[] ranges;
    private final long[] firsts;
    private final long[] lasts;
    /** For each position m, the highest of {@code lasts} in the subtree whose root is m. */
    private final long[] highest;

    NumberIndex(HostRange[] all, List<Integer> members) {
        ranges = members.stream()
                .sorted(Comparator.comparingLong(i -> all[i].first()))
                .mapToInt(Integer::intValue)
                .toArray();
        firsts = new long[ranges.length];
        lasts = new long[ranges.length];
        highest = new long[ranges.length];
        for (int i = 0; i < ranges.length; i++) {
            firsts[i] = all[ranges[i]].first();
            lasts[i] = all[ranges[i]].last();
        }
        fill(0, ranges.length);
    }

    /** Visits the index of every range that has a number in common with {@code first..last}. */
    void forEachOverlap(long first, long last, IntConsumer c) {
        visit(0, ranges.length, first, last, c);
    }

    private long fill(int from, int to) {
        if (from == to) {
            return -1;
        }
        int root = (from + to) >>> 1;
        highest[root] = Math.max(lasts[root], Math.max(fill(from, root), fill(root + 1, to)));
        return highest[root];
    }

    private void visit(int from, int to, long first, long last, IntConsumer c) {
        if (from == to) {
            return;
        }
        int root = (from + to) >>> 1;
        if (highest[root] < first) {
            return;
        }
        visit(from, root, first, last, c);
        if (firsts[root] <= last) {
            if (lasts[root] >= first) {
                c.accept(ranges[root]);
            }
            visit(root + 1, to, first, last, c);
        }
    }
}
