package io.muster.inventory.rset;

import io.muster.inventory.idset.Idset;
import java.util.Arrays;

/** The ranges of a set of ranks by position, for whoever asks for many: to search the set anew for each is slow. */
final class RankOrder {
    private final int[] firsts;
    /** positions[i] is that of firsts[i]; one more entry holds the size. */
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

    /** How many ranks follow each other without a gap from a position on, itself included. */
    int upToGap(int position) {
        return positions[range(position) + 1] - position;
    }

    private int range(int position) {
        int found = Arrays.binarySearch(positions, 0, firsts.length, position);
        return found >= 0 ? found : -found - 2;
    }
}
