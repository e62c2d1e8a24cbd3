package io.muster.inventory.rset;

import io.muster.inventory.idset.Idset;
import java.util.Arrays;

/**
 * A table that finds the rank at a position in a set of ranks. If many positions are searched, the table is faster than the
 * set itself.
 */
final class RankOrder {
    private final int[] firsts;
    /** For each i, the position of firsts[i]. One more element holds the number of ranks. */
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

    /** Returns the number of ranks from the rank at {@code position} up to the next gap. */
    int upToGap(int position) {
        return positions[range(position) + 1] - position;
    }

    private int range(int position) {
        int found = Arrays.binarySearch(positions, 0, firsts.length, position);
        return found >= 0 ? found : -found - 2;
    }
}
