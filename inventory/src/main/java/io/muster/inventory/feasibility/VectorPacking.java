package io.muster.inventory.feasibility;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether hosts can together hold given numbers of several kinds of slot that share hosts. This is vector packing,
 * which is NP-hard. If a pool is too small in total, the answer is no; if a greedy packing succeeds, the answer is yes, for
 * any number of kinds. Otherwise the mixes of slots that one host can hold, without those that another mix exceeds, are
 * summed host by host (similar hosts by doubling), and each number is cut off at the requested number. This is exact for up
 * to {@link #KINDS} kinds of slot as long as the work stays within {@link #BUDGET}. An object serves one question.
 */
final class VectorPacking {
    /** The number of mixes that are created or compared before the search gives up, which takes a few milliseconds. */
    static final int BUDGET = 50_000;

    /** The highest number of kinds of slot for which a search is made. The limit also bounds the depth of the recursion. */
    static final int KINDS = 16;

    private final long[] wanted;
    private final List<Hosts> hosts;
    private long work;

    /** @param wanted requested number of each kind of slot, in the order of {@link Hosts#draws} */
    VectorPacking(long[] wanted, List<Hosts> hosts) {
        this.wanted = wanted.clone();
        this.hosts = List.copyOf(hosts);
    }

    /** Thrown and caught within this class when the budget is spent. */
    private static final class SpentException extends RuntimeException {
        private static final long serialVersionUID = 1;

        SpentException() {
            super("the search is past its bound", null, false, false);
        }
    }

    /** One kind of host: the number of hosts, their pools, and what one slot of each kind takes from each pool. */
    record Hosts(long count, List<Long> pools, List<List<Long>> draws) {}

    /** Hosts whose pools have the same amounts left after some slots were placed. */
    private record Rest(long count, List<Long> remainder) {}

    /** Decides whether the requested slots fit. The result is OPEN if a limit was exceeded before the answer was certain. */
    Ruling fits() {
        if (hosts.isEmpty() || isShortInAll()) {
            return Ruling.NO;
        }
        if (packsGreedily()) {
            return Ruling.YES;
        }
        @Nullable List<long[]> mixes = mixes();
        if (mixes == null) {
            return Ruling.OPEN;
        }
        return isEnough(mixes) ? Ruling.YES : Ruling.NO;
    }

    /** Returns how many slots of each kind fit together, for the largest total number of slots; null if a limit was exceeded. */
    long @Nullable [] most() {
        @Nullable List<long[]> mixes = mixes();
        return mixes == null
                ? null
                : mixes.stream()
                        .max(Comparator.comparingLong(mix -> Arrays.stream(mix).sum()))
                        .orElse(null);
    }

    private boolean isShortInAll() {
        int pools = hosts.isEmpty() ? 0 : hosts.get(0).pools().size();
        for (int pool = 0; pool < pools; pool++) {
            long requested = 0;
            long available = 0;
            for (int slot = 0; slot < wanted.length; slot++) {
                long draw = hosts.get(0).draws().get(slot).get(pool);
                requested = Math.min(Fit.MANY, requested + Fit.times(draw, wanted[slot]));
            }
            for (Hosts kind : hosts) {
                available =
                        Math.min(Fit.MANY, available + Fit.times(kind.pools().get(pool), kind.count()));
            }
            if (requested > available) {
                return true;
            }
        }
        return false;
    }

    /**
     * Places the largest kinds of slot first, each on the hosts that have the least left in the pools that the kind does not
     * need.
     */
    private boolean packsGreedily() {
        work = 0;
        List<Rest> rests = new ArrayList<>();
        hosts.forEach(kind -> rests.add(new Rest(kind.count(), kind.pools())));
        List<Integer> order = new ArrayList<>();
        for (int slot = 0; slot < wanted.length; slot++) {
            order.add(slot);
        }
        order.sort(Comparator.comparingLong(this::least));
        try {
            for (int slot : order) {
                if (!place(slot, rests)) {
                    return false;
                }
            }
            return true;
        } catch (SpentException e) {
            return false;
        }
    }

    /** Returns how many of {@code slot} fit on the host that holds most of them. */
    private long least(int slot) {
        return hosts.stream()
                .mapToLong(kind -> fitting(draws(slot), kind.pools()))
                .max()
                .orElse(0);
    }

    private List<Long> draws(int slot) {
        return hosts.get(0).draws().get(slot);
    }

    private static long fitting(List<Long> draw, List<Long> remainder) {
        long most = Fit.MANY;
        for (int pool = 0; pool < draw.size(); pool++) {
            most = draw.get(pool) == 0 ? most : Math.min(most, remainder.get(pool) / draw.get(pool));
        }
        return most;
    }

    private boolean place(int slot, List<Rest> rests) {
        List<Long> draw = draws(slot);
        rests.sort(Comparator.comparingLong(rest -> unneeded(draw, rest)));
        long open = wanted[slot];
        List<Rest> changed = new ArrayList<>();
        for (Rest rest : rests) {
            spend(draw.size());
            long each = open == 0 ? 0 : fitting(draw, rest.remainder());
            long full = each == 0 ? 0 : Math.min(rest.count(), open / each);
            open -= full * each;
            long last = each > 0 && full < rest.count() ? open : 0;
            open -= last;
            add(changed, full, rest, draw, each);
            add(changed, last > 0 ? 1 : 0, rest, draw, last);
            add(changed, rest.count() - full - (last > 0 ? 1 : 0), rest, draw, 0);
        }
        rests.clear();
        rests.addAll(changed);
        return open == 0;
    }

    private static long unneeded(List<Long> draw, Rest rest) {
        long sum = 0;
        for (int pool = 0; pool < draw.size(); pool++) {
            sum = Math.min(
                    Fit.MANY, sum + (draw.get(pool) == 0 ? rest.remainder().get(pool) : 0));
        }
        return sum;
    }

    private static void add(List<Rest> rests, long count, Rest from, List<Long> draw, long times) {
        if (count > 0) {
            rests.add(new Rest(count, less(from.remainder(), draw, times)));
        }
    }

    private static List<Long> less(List<Long> remainder, List<Long> draw, long times) {
        List<Long> less = new ArrayList<>(remainder.size());
        for (int pool = 0; pool < remainder.size(); pool++) {
            less.add(remainder.get(pool) - draw.get(pool) * times);
        }
        return less;
    }

    /**
     * Returns the mixes of slots that all hosts together can hold, without those that another mix exceeds; null if a limit
     * was exceeded.
     */
    private @Nullable List<long[]> mixes() {
        if (wanted.length > KINDS) {
            return null;
        }
        work = 0;
        try {
            List<long[]> sum = List.of(new long[wanted.length]);
            for (Hosts kind : hosts) {
                sum = sum(sum, times(mixes(kind), kind.count()));
            }
            return sum;
        } catch (SpentException e) {
            return null;
        }
    }

    private boolean isEnough(List<long[]> points) {
        return points.stream().anyMatch(p -> Arrays.equals(p, wanted));
    }

    private List<long[]> mixes(Hosts kind) {
        List<long[]> mixes = new ArrayList<>();
        mixes(kind, 0, new long[wanted.length], kind.pools(), mixes);
        return undominated(mixes);
    }

    private void mixes(Hosts kind, int slot, long[] mix, List<Long> remainder, List<long[]> into) {
        List<Long> draw = kind.draws().get(slot);
        long most = Math.min(wanted[slot], fitting(draw, remainder));
        boolean last = slot == wanted.length - 1;
        for (long n = last ? most : 0; n <= most; n++) {
            spend(1);
            mix[slot] = n;
            if (last) {
                into.add(mix.clone());
            } else {
                mixes(kind, slot + 1, mix, less(remainder, draw, n), into);
            }
        }
        mix[slot] = 0;
    }

    private List<long[]> times(List<long[]> points, long count) {
        List<long[]> result = List.of(new long[wanted.length]);
        List<long[]> power = points;
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

    private List<long[]> sum(List<long[]> a, List<long[]> b) {
        spend((long) a.size() * b.size());
        List<long[]> sums = new ArrayList<>(a.size() * b.size());
        for (long[] x : a) {
            for (long[] y : b) {
                long[] s = new long[wanted.length];
                for (int i = 0; i < s.length; i++) {
                    s[i] = Math.min(wanted[i], x[i] + y[i]);
                }
                sums.add(s);
            }
        }
        return undominated(sums);
    }

    /**
     * Returns the points that no other point dominates, that is, exceeds in some numbers and equals in the rest. The points
     * are sorted in descending order, so that only an earlier point can dominate a later one.
     */
    private List<long[]> undominated(List<long[]> points) {
        points.sort((p, q) -> Arrays.compare(q, p));
        List<long[]> kept = new ArrayList<>();
        long best = -1;
        for (long[] p : points) {
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

    private static boolean dominates(long[] a, long[] b) {
        for (int i = 0; i < a.length; i++) {
            if (a[i] < b[i]) {
                return false;
            }
        }
        return true;
    }

    private void spend(long points) {
        work += points;
        if (work > BUDGET) {
            throw new SpentException();
        }
    }
}
