package io.muster.inventory.idset;

/** The ranges of an idset in an array, so that a tree operation can halve them. The halves share the array of bounds. */
final class Ranges {
    private final int[] bounds;
    private final int from;
    private final int to;

    private Ranges(int[] bounds, int from, int to) {
        this.bounds = bounds;
        this.from = from;
        this.to = to;
    }

    static Ranges of(Idset ids) {
        int[] bounds = new int[2 * ids.rangeCount()];
        int[] at = new int[1];
        ids.forEachRange((first, last) -> {
            bounds[at[0]++] = first;
            bounds[at[0]++] = last;
        });
        return new Ranges(bounds, 0, bounds.length / 2);
    }

    boolean isEmpty() {
        return from == to;
    }

    int first() {
        return bounds[2 * middle()];
    }

    int last() {
        return bounds[2 * middle() + 1];
    }

    /** Returns the ranges below the middle range, which goes from {@link #first()} to {@link #last()}. */
    Ranges below() {
        return new Ranges(bounds, from, middle());
    }

    Ranges above() {
        return new Ranges(bounds, middle() + 1, to);
    }

    private int middle() {
        return (from + to) >>> 1;
    }
}
