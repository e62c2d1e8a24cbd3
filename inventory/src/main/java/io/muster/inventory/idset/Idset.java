package io.muster.inventory.idset;

import io.muster.inventory.problem.MalformedException;
import java.util.NoSuchElementException;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * An immutable set of ids from 0 to {@link #MAX_ID}, in the text form of RFC 22.
 *
 * <p>One contiguous range, by far the commonest set of ranks, is stored as two ints, any other set as a compressed bitmap. A
 * contiguous set never has a bitmap, so the operations distinguish the two cases by {@code bits == null}. An array of range
 * bounds would serve long ranges as well, but takes thirty times the memory of a bitmap for alternating ids.
 */
public final class Idset {
    /** The highest id, one below {@code Integer.MAX_VALUE}, so that the end of a half-open range is still an int. */
    public static final int MAX_ID = Integer.MAX_VALUE - 1;

    public static final Idset EMPTY = new Idset(0, -1, 0, null);

    private final int first;
    private final int last;
    private final int size;
    private final @Nullable RoaringBitmap bits;
    private int hash;

    private Idset(int first, int last, int size, @Nullable RoaringBitmap bits) {
        this.first = first;
        this.last = last;
        this.size = size;
        this.bits = bits;
    }

    /**
     * Reads RFC 22 text, with or without brackets.
     *
     * @throws MalformedException naming the first character that cannot be right
     */
    public static Idset parse(CharSequence text) {
        return new IdsetParser(text.toString()).parse();
    }

    public static Idset of(int... ids) {
        Builder builder = builder();
        for (int id : ids) {
            builder.add(id);
        }
        return builder.build();
    }

    /** Returns all ids from {@code first} to {@code last}, both included. */
    public static Idset range(int first, int last) {
        checkRange(first, last);
        return new Idset(first, last, last - first + 1, null);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Makes a set of {@code bits}, a bitmap that must not change afterwards. */
    static Idset adopt(RoaringBitmap bits) {
        int size = bits.getCardinality();
        if (size == 0) {
            return EMPTY;
        }
        int first = bits.first();
        int last = bits.last();
        if (last - first == size - 1) {
            return new Idset(first, last, size, null);
        }
        bits.runOptimize();
        return new Idset(first, last, size, bits);
    }

    static void checkRange(int first, int last) {
        if (first < 0 || last > MAX_ID || first > last) {
            throw new IllegalArgumentException(
                    "not a range of ids between 0 and " + MAX_ID + ": " + first + "-" + last);
        }
    }

    /** Returns the ids that are in one of the sets. */
    public static Idset unionOf(Stream<Idset> sets) {
        Builder all = builder();
        sets.forEach(all::addAll);
        return all.build();
    }

    public Idset union(Idset o) {
        if (containsAll(o)) {
            return this;
        }
        if (o.containsAll(this)) {
            return o;
        }
        if (bits == null && o.bits == null && touches(o)) {
            return range(Math.min(first, o.first), Math.max(last, o.last));
        }
        return adopt(RoaringBitmap.or(bitmap(), o.bitmap()));
    }

    public Idset intersect(Idset o) {
        if (last < o.first || o.last < first) {
            return EMPTY;
        }
        if (o.spans(this)) {
            return this;
        }
        if (spans(o)) {
            return o;
        }
        if (bits == null && o.bits == null) {
            return range(Math.max(first, o.first), Math.min(last, o.last));
        }
        if (size == 1 || o.size == 1) {
            Idset one = size == 1 ? this : o;
            return (size == 1 ? o : this).contains(one.first) ? one : EMPTY;
        }
        return adopt(RoaringBitmap.and(bitmap(), o.bitmap()));
    }

    public Idset subtract(Idset o) {
        if (last < o.first || o.last < first) {
            return this;
        }
        if (o.spans(this)) {
            return EMPTY;
        }
        if (bits == null && o.bits == null && (o.first <= first || o.last >= last)) {
            return o.first <= first ? range(o.last + 1, last) : range(first, o.first - 1);
        }
        if (size == 1) {
            return o.contains(first) ? EMPTY : this;
        }
        return adopt(RoaringBitmap.andNot(bitmap(), o.bitmap()));
    }

    public Idset symmetricDifference(Idset o) {
        if (isEmpty() || o.isEmpty()) {
            return isEmpty() ? o : this;
        }
        return adopt(RoaringBitmap.xor(bitmap(), o.bitmap()));
    }

    public Idset with(int id) {
        checkRange(id, id);
        if (contains(id)) {
            return this;
        }
        if (bits == null) {
            return union(range(id, id));
        }
        RoaringBitmap copy = bits.clone();
        copy.add(id);
        return adopt(copy);
    }

    public Idset without(int id) {
        if (!contains(id)) {
            return this;
        }
        if (bits == null) {
            return subtract(range(id, id));
        }
        RoaringBitmap copy = bits.clone();
        copy.remove(id);
        return adopt(copy);
    }

    public boolean contains(int id) {
        return id >= first && id <= last && (bits == null || bits.contains(id));
    }

    public boolean containsAll(Idset o) {
        if (o.isEmpty()) {
            return true;
        }
        if (o.first < first || o.last > last || o.size > size) {
            return false;
        }
        if (bits == null) {
            return true;
        }
        return o.bits == null ? bits.contains(o.first, o.last + 1L) : bits.contains(o.bits);
    }

    public boolean intersects(Idset o) {
        if (isEmpty() || o.isEmpty() || last < o.first || o.last < first) {
            return false;
        }
        if (bits == null) {
            return o.bits == null || o.bits.intersects(first, last + 1L);
        }
        return o.bits == null ? bits.intersects(o.first, o.last + 1L) : RoaringBitmap.intersects(bits, o.bits);
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int size() {
        return size;
    }

    /**
     * Returns the lowest member.
     *
     * @throws NoSuchElementException if the set is empty
     */
    public int first() {
        checkNotEmpty();
        return first;
    }

    /**
     * Returns the highest member.
     *
     * @throws NoSuchElementException if the set is empty
     */
    public int last() {
        checkNotEmpty();
        return last;
    }

    /** Returns the smallest member greater than {@code after}, or -1 if there is none. */
    public int next(int after) {
        if (isEmpty() || after >= last) {
            return -1;
        }
        int from = Math.max(after + 1, first);
        return bits == null ? from : (int) bits.nextValue(from);
    }

    /** Returns the number of members less than {@code id}, which need not be a member. */
    public int position(int id) {
        if (id <= first) {
            return 0;
        }
        if (id > last) {
            return size;
        }
        return bits == null ? id - first : bits.rank(id - 1);
    }

    /**
     * Returns the member that has {@code index} members before it.
     *
     * @throws IndexOutOfBoundsException unless {@code 0 <= index < size()}
     */
    public int nth(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("member " + index + " of an idset of " + size);
        }
        return bits == null ? first + index : bits.select(index);
    }

    /** Visits the maximal ranges in ascending order; the cost depends on the number of ranges, not of members. */
    public void forEachRange(RangeConsumer c) {
        if (bits != null) {
            new RangeWalk(first, c).over(bits, last);
        } else if (size > 0) {
            c.accept(first, last);
        }
    }

    public int rangeCount() {
        int[] count = new int[1];
        forEachRange((from, to) -> count[0]++);
        return count[0];
    }

    public IntStream stream() {
        return bits == null ? IntStream.rangeClosed(first, last) : bits.stream();
    }

    public void forEach(IntConsumer c) {
        forEachRange((from, to) -> {
            for (int id = from; id <= to; id++) {
                c.accept(id);
            }
        });
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof Idset other
                && size == other.size
                && first == other.first
                && last == other.last
                && sameBits(other);
    }

    /** Compares the members, because the bitmap library's own equality depends on how each container is stored. */
    private boolean sameBits(Idset o) {
        if (bits == null || o.bits == null) {
            return bits == null && o.bits == null;
        }
        return RoaringBitmap.andCardinality(bits, o.bits) == size;
    }

    @Override
    public int hashCode() {
        if (hash == 0 && size > 0) {
            int[] h = {size};
            forEachRange((from, to) -> h[0] = 31 * (31 * h[0] + from) + to);
            hash = h[0];
        }
        return hash;
    }

    /** Returns RFC 22 text in canonical form: maximal ranges without brackets, "" for the empty set. */
    @Override
    public String toString() {
        IdsetWriter writer = new IdsetWriter();
        forEachRange(writer);
        return writer.text();
    }

    private RoaringBitmap bitmap() {
        if (bits != null) {
            return bits;
        }
        return isEmpty() ? new RoaringBitmap() : RoaringBitmap.bitmapOfRange(first, last + 1L);
    }

    /** Returns whether this is one range that covers {@code o}. */
    private boolean spans(Idset o) {
        return bits == null && first <= o.first && last >= o.last;
    }

    private boolean touches(Idset o) {
        return first <= o.last + 1 && o.first <= last + 1;
    }

    private void checkNotEmpty() {
        if (size == 0) {
            throw new NoSuchElementException("the idset is empty");
        }
    }

    /** Collects ids. Any order is possible, but ascending order is the cheapest. A builder belongs to one thread. */
    public static final class Builder {
        /** The length of a range up to which setting single bits is faster than the bitmap's operation for ranges. */
        private static final int SHORT = 16;

        private @Nullable RoaringBitmap bits;
        private int first;
        private int last = -1;

        private Builder() {}

        public Builder add(int id) {
            return addRange(id, id);
        }

        /** Adds all ids from {@code from} to {@code to}, both included. */
        public Builder addRange(int from, int to) {
            checkRange(from, to);
            if (last < 0) {
                first = from;
                last = to;
            } else if (from <= last + 1 && to >= first - 1) {
                first = Math.min(first, from);
                last = Math.max(last, to);
            } else {
                flush();
                first = from;
                last = to;
            }
            return this;
        }

        public Builder addAll(Idset set) {
            if (set.bits == null) {
                set.forEachRange(this::addRange);
            } else {
                bits = bits == null ? new RoaringBitmap() : bits;
                bits.or(set.bits);
            }
            return this;
        }

        public Idset build() {
            if (bits == null) {
                return last < 0 ? EMPTY : range(first, last);
            }
            flush();
            return adopt(bits.clone());
        }

        private void flush() {
            if (bits == null) {
                bits = new RoaringBitmap();
            }
            if (last - first < SHORT) {
                for (int id = first; id <= last; id++) {
                    bits.add(id);
                }
            } else {
                bits.add(first, last + 1L);
            }
        }
    }
}
