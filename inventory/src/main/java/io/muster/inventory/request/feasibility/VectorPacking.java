package io.muster.inventory.request.feasibility;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether hosts can together hold given numbers of several kinds of slot that share hosts: vector packing, which is NP-hard.
 * Exact as long as the work stays within {@link #BUDGET}: the undominated mixes that one host holds are summed host by host,
 * like hosts by doubling, everything cut off at what is asked.
 */
final class VectorPacking {
    /** Points compared or made before the search gives up: a few milliseconds. */
    static final int BUDGET = 250_000;

    private final int[] wanted;
    private int work;

    VectorPacking(int[] wanted) {
        this.wanted = wanted.clone();
    }

    /** Thrown inwards only, when the budget is spent. */
    private static final class SpentException extends RuntimeException {
        SpentException() {
            super("the search is past its bound", null, false, false);
        }
    }

    /** One kind of host: how many there are, its pools, and what one slot of each kind draws on each pool. */
    record Hosts(long count, List<Long> pools, List<List<Long>> draws) {}

    /** Null when the budget was spent before an answer was certain. */
    @Nullable
    Boolean fits(List<Hosts> kinds) {
        try {
            List<int[]> sum = List.of(new int[wanted.length]);
            for (Hosts kind : kinds) {
                sum = sum(sum, times(mixes(kind), kind.count()));
                if (isEnough(sum)) {
                    return true;
                }
            }
            return isEnough(sum);
        } catch (SpentException e) {
            return null;
        }
    }

    private boolean isEnough(List<int[]> points) {
        return points.stream().anyMatch(p -> Arrays.equals(p, wanted));
    }

    private List<int[]> mixes(Hosts kind) {
        List<int[]> mixes = new ArrayList<>();
        mixes(kind, 0, new int[wanted.length], new ArrayList<>(kind.pools()), mixes);
        return undominated(mixes);
    }

    private void mixes(Hosts kind, int slot, int[] mix, List<Long> left, List<int[]> into) {
        long most = wanted[slot];
        List<Long> draw = kind.draws().get(slot);
        for (int pool = 0; pool < left.size(); pool++) {
            most = draw.get(pool) == 0 ? most : Math.min(most, left.get(pool) / draw.get(pool));
        }
        boolean last = slot == wanted.length - 1;
        for (long n = last ? most : 0; n <= most; n++) {
            spend(1);
            mix[slot] = (int) n;
            if (last) {
                into.add(mix.clone());
            } else {
                List<Long> rest = new ArrayList<>();
                for (int pool = 0; pool < left.size(); pool++) {
                    rest.add(left.get(pool) - n * draw.get(pool));
                }
                mixes(kind, slot + 1, mix, rest, into);
            }
        }
        mix[slot] = 0;
    }

    private List<int[]> times(List<int[]> points, long count) {
        List<int[]> result = List.of(new int[wanted.length]);
        List<int[]> power = points;
        for (long n = count; n > 0; n >>= 1) {
            if ((n & 1) == 1) {
                result = sum(result, power);
            }
            if (n > 1) {
                power = sum(power, power);
            }
        }
        return result;
    }

    private List<int[]> sum(List<int[]> a, List<int[]> b) {
        spend((long) a.size() * b.size());
        List<int[]> sums = new ArrayList<>(a.size() * b.size());
        for (int[] x : a) {
            for (int[] y : b) {
                int[] s = new int[wanted.length];
                for (int i = 0; i < s.length; i++) {
                    s[i] = (int) Math.min(wanted[i], (long) x[i] + y[i]);
                }
                sums.add(s);
            }
        }
        return undominated(sums);
    }

    /** Lexicographically descending, so that a point can only be dominated by one before it. */
    private List<int[]> undominated(List<int[]> points) {
        points.sort((p, q) -> Arrays.compare(q, p));
        List<int[]> kept = new ArrayList<>();
        int best = -1;
        for (int[] p : points) {
            if (wanted.length == 2) {
                if (p[1] > best) {
                    best = p[1];
                    kept.add(p);
                }
            } else {
                spend(kept.size());
                if (kept.stream().noneMatch(k -> dominates(k, p))) {
                    kept.add(p);
                }
            }
        }
        return kept;
    }

    private static boolean dominates(int[] a, int[] b) {
        for (int i = 0; i < a.length; i++) {
            if (a[i] < b[i]) {
                return false;
            }
        }
        return true;
    }

    private void spend(long points) {
        if (work > BUDGET - points) {
            throw new SpentException();
        }
        work += (int) points;
    }
}
