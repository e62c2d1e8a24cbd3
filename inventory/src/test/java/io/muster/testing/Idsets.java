package io.muster.testing;

import io.muster.inventory.idset.Idset;
import java.util.BitSet;
import java.util.Random;

/** Generates idsets of every relevant shape, and the {@link BitSet} that each should behave like. */
public final class Idsets {
    /** Bound of all generated ids except those of {@link #huge}: five containers of the bitmap, small for a BitSet. */
    public static final int UNIVERSE = 5 << 16;

    private Idsets() {}

    /** Returns a set of any shape except {@link #huge}. */
    public static Idset any(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> Idset.EMPTY;
            case 1 -> contiguous(random);
            case 2 -> alternating(random);
            case 3 -> blocky(random).symmetricDifference(alternating(random));
            case 4 -> Idset.of(random.nextInt(UNIVERSE));
            case 5, 6 -> blocky(random);
            default -> sparse(random);
        };
    }

    /** Returns a few small ids, for tests that are not about the shape of sets. */
    public static Idset small(Random random, int bound) {
        BitSet bits = new BitSet();
        int density = 1 + random.nextInt(4);
        for (int id = 0; id < bound; id++) {
            bits.set(id, random.nextInt(4) < density && random.nextInt(4) > 0);
        }
        return of(bits);
    }

    public static Idset contiguous(Random random) {
        int first = random.nextInt(UNIVERSE);
        return Idset.range(first, first + random.nextInt(UNIVERSE - first));
    }

    public static Idset sparse(Random random) {
        return Idset.of(random.ints(random.nextInt(40), 0, UNIVERSE).toArray());
    }

    /** Returns blocks of ids, many of which start or end where the bitmap changes containers. */
    public static Idset blocky(Random random) {
        Idset.Builder ids = Idset.builder();
        for (int blocks = random.nextInt(30); blocks >= 0; blocks--) {
            int first = random.nextInt(4) == 0 ? edge(random) : random.nextInt(UNIVERSE);
            int last = random.nextInt(4) == 0 ? edge(random) : first + random.nextInt(2000);
            ids.addRange(Math.min(first, last), Math.max(first, last));
        }
        return ids.build();
    }

    /** Returns every second or third id of a range. */
    public static Idset alternating(Random random) {
        int step = 2 + random.nextInt(2);
        int first = random.nextInt(UNIVERSE);
        int end = Math.min(UNIVERSE, first + random.nextInt(20_000));
        Idset.Builder ids = Idset.builder();
        for (int id = first; id < end; id += step) {
            ids.add(id);
        }
        return ids.build();
    }

    /** Returns a few ranges anywhere up to the highest id, which are too large for a BitSet. */
    public static Idset huge(Random random) {
        Idset.Builder ids = Idset.builder();
        for (int ranges = random.nextInt(4); ranges >= 0; ranges--) {
            int first = random.nextInt(Integer.MAX_VALUE);
            int last = random.nextBoolean() ? first : first + random.nextInt(Integer.MAX_VALUE - first);
            ids.addRange(first, last);
        }
        return random.nextInt(3) == 0 ? ids.add(0).add(Idset.MAX_ID).build() : ids.build();
    }

    public static Idset of(BitSet bits) {
        return Idset.of(bits.stream().toArray());
    }

    public static BitSet bits(Idset ids) {
        BitSet bits = new BitSet();
        ids.forEach(bits::set);
        return bits;
    }

    private static int edge(Random random) {
        int edge = random.nextInt(UNIVERSE >> 16) << 16;
        return Math.max(0, edge - random.nextInt(3));
    }
}
