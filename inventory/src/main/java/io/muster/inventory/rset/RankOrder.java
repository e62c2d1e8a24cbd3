package io.muster.inventory.rset;

import io.muster.inventory.idset.Idset;
import java.util.Arrays;

/** A table that finds the rank at a position in a set of ranks. For many searches, the table is faster than the set itself. */
final class RankOrder {
    private final int[] firsts;
    /** positions[i] is the position of firsts[i]; one more element holds the size. */
    private final int[] positions;

    RankOrder(Idset ranks) {
        firsts = new int[ranks.rangeCount()];
        positions = new int[firsts.length + 1];
        int[] range = {0};
        ranks.forEachRange((first, last) -> {
            int i = range[0]++;
            firsts[i] = first;
            positions[i + 1] = positions[i] + (last - first) + 1;
        });
    }

    int rank(int position) {
        int range = range(position);
        return firsts[range] + (position - positions[range]);
    }

    /** Returns how many ranks follow each other without a gap, counted from the rank at the position. */
    int upToGap(int position) {
        return positions[range(position) + 1] - position;
    }

    private int range(int position) {
        int found = Arrays.binarySearch(positions, 0, firsts.length, position);
        return found >= 0 ? found : -found - 2;
    }
}
