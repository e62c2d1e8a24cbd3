package io.muster.inventory.hostlist;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An immutable ordered list of host names, duplicates allowed, read and written as RFC 29 has it.
 *
 * <p>Held as ranges: a million {@code node[0-1048575]} is one object. A host's index leads to its name, and a name to its
 * indexes, in O(log ranges).
 */
public final class Hostlist {
    /** Hosts of one bracketed range, as many as flux-core takes. */
    public static final int MAX_RANGE = 1 << 20;

    /** Hosts of a whole list: a short text may not stand for more work than this. */
    public static final int MAX_HOSTS = 1 << 24;

    /** Hosts of a whole list that have a suffix behind their number, which must be written out one by one. */
    public static final int MAX_SUFFIXED = 1 << 20;

    /** Characters of a name; flux-core writes names through a buffer of 1024. */
    public static final int MAX_NAME = 1023;

    public static final Hostlist EMPTY = new Hostlist(new HostRange[0]);

    /** How many names a hash looks at: the text form of a list must not matter, and a million names take too long. */
    private static final int HASHED = 8;

    private final HostRange[] ranges;
    /** starts[i] is the index of the first host of ranges[i]; one more entry holds the size. */
    private final int[] starts;
    /** Made when a name is first looked up; two threads may make it twice, which does no harm. */
    private volatile @Nullable HostIndex index;

    /** Takes over {@code ranges}. */
    Hostlist(HostRange[] ranges) {
        this.ranges = ranges;
        this.starts = new int[ranges.length + 1];
        for (int i = 0; i < ranges.length; i++) {
            starts[i + 1] = starts[i] + ranges[i].count();
        }
    }

    /**
     * Reads RFC 29 text; spaces and tabs separate like commas, as in flux-core.
     *
     * @throws MalformedException naming the first character that cannot be right
     */
    public static Hostlist parse(CharSequence text) {
        return parse(List.of(text.toString()));
    }

    /** Reads several texts into one list. */
    public static Hostlist parse(List<String> texts) {
        HostlistBuilder hosts = new HostlistBuilder();
        for (String text : texts) {
            new HostlistParser(text, hosts).parse();
        }
        return hosts.build();
    }

    public static Hostlist of(String... names) {
        return of(Arrays.asList(names));
    }

    /** The list of these names, in which brackets and separators mean nothing and are refused. */
    public static Hostlist of(List<String> plainNames) {
        HostlistBuilder hosts = new HostlistBuilder();
        for (String name : plainNames) {
            hosts.add(HostRange.ofName(HostlistParser.checkName(name)));
        }
        return hosts.build();
    }

    public int size() {
        return starts[ranges.length];
    }

    public boolean isEmpty() {
        return ranges.length == 0;
    }

    /** @throws IndexOutOfBoundsException unless {@code 0 <= index < size()} */
    public String nth(int i) {
        checkIndex(i);
        int range = rangeAt(i);
        return ranges[range].name(i - starts[range]);
    }

    /** The first place of {@code name}, or -1. Names differ by their zeros: {@code foo03} is not {@code foo3}. */
    public int indexOf(String name) {
        return index().first(name);
    }

    public Idset indexesOf(String name) {
        Idset.Builder indexes = Idset.builder();
        index().forEach(name, indexes::add);
        return indexes.build();
    }

    public boolean contains(String name) {
        return indexOf(name) >= 0;
    }

    /** All places of all of {@code names}. */
    public Idset indexesOf(Hostlist names) {
        Idset.Builder indexes = Idset.builder();
        index().forEachMatch(names, (here, there, count) -> indexes.addRange(here, here + count - 1));
        return indexes.build();
    }

    /**
     * Visits, in runs and in no order, each host that both lists have: its nth place here with its nth place there. Costs by
     * ranges, except for hosts that repeat.
     */
    public void forEachPair(Hostlist that, MatchConsumer c) {
        new HostPairs(this, that).forEach(c);
    }

    /** Those of {@code names} that this list lacks, in their order. */
    public Hostlist missing(Hostlist names) {
        if (names.isEmpty()) {
            return EMPTY;
        }
        Idset.Builder found = Idset.builder();
        index().forEachMatch(names, (here, there, count) -> found.addRange(there, there + count - 1));
        return names.select(Idset.range(0, names.size() - 1).subtract(found.build()));
    }

    /** @throws IndexOutOfBoundsException if {@code indexes} holds one that this list does not have */
    public Hostlist select(Idset indexes) {
        if (indexes.isEmpty()) {
            return EMPTY;
        }
        checkIndex(indexes.last());
        HostlistBuilder selected = new HostlistBuilder();
        indexes.forEachRange((first, last) -> copy(first, last + 1, selected));
        return selected.build();
    }

    public Hostlist append(Hostlist more) {
        return new HostlistBuilder()
                .addAll(Arrays.asList(ranges))
                .addAll(Arrays.asList(more.ranges))
                .build();
    }

    /**
     * By prefix, then by length of the number, then by number, as flux-core compares single hosts; duplicates stay. Costs by
     * ranges, except for hosts that repeat.
     */
    public Hostlist sort() {
        return HostSort.keepingDuplicates().of(this);
    }

    /** Sorted as {@link #sort()} and every name once, as flux-core's {@code hostlist_uniq}. */
    public Hostlist unique() {
        return HostSort.droppingDuplicates().of(this);
    }

    public List<String> expand() {
        return stream().toList();
    }

    public Stream<String> stream() {
        return Arrays.stream(ranges).flatMap(r -> IntStream.range(0, r.count()).mapToObj(r::name));
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof Hostlist other && size() == other.size() && sameHosts(other);
    }

    private boolean sameHosts(Hostlist o) {
        return Arrays.equals(ranges, o.ranges) || ((hasSuffixes() || o.hasSuffixes()) && sameNames(o));
    }

    @Override
    public int hashCode() {
        int hash = size();
        int samples = Math.min(HASHED, hash);
        for (int i = 0; i < samples; i++) {
            int at = (int) ((long) i * (size() - 1) / Math.max(1, samples - 1));
            hash = 31 * hash + nth(at).hashCode();
        }
        return hash;
    }

    /**
     * RFC 29 text in canonical form: equal lists have one text. Names with a suffix behind the number are written out, as by
     * flux-core.
     */
    @Override
    public String toString() {
        HostlistWriter writer = new HostlistWriter();
        forEachPlain(writer::add);
        return writer.text();
    }

    HostRange[] ranges() {
        return ranges;
    }

    /** The index of the first host of a range. */
    int start(int range) {
        return starts[range];
    }

    /** Visits ranges without suffixes that make up this list: the one form that equal lists can share, once joined. */
    void forEachPlain(Consumer<HostRange> c) {
        for (HostRange range : ranges) {
            if (range.suffix().isEmpty()) {
                c.accept(range);
            } else {
                IntStream.range(0, range.count()).forEach(i -> c.accept(HostRange.ofName(range.name(i))));
            }
        }
    }

    private boolean hasSuffixes() {
        return Arrays.stream(ranges).anyMatch(r -> !r.suffix().isEmpty());
    }

    private boolean sameNames(Hostlist o) {
        Iterator<String> theirs = o.stream().iterator();
        return stream().allMatch(name -> name.equals(theirs.next()));
    }

    private void copy(int from, int to, HostlistBuilder target) {
        int at = from;
        for (int range = rangeAt(from); at < to; range++) {
            int end = Math.min(to, starts[range + 1]);
            target.add(ranges[range].slice(at - starts[range], end - at));
            at = end;
        }
    }

    private int rangeAt(int i) {
        int found = Arrays.binarySearch(starts, 0, ranges.length, i);
        return found >= 0 ? found : -found - 2;
    }

    private void checkIndex(int i) {
        if (i < 0 || i >= size()) {
            throw new IndexOutOfBoundsException("host " + i + " of a hostlist of " + size());
        }
    }

    private HostIndex index() {
        HostIndex made = index;
        if (made == null) {
            made = new HostIndex(this);
            index = made;
        }
        return made;
    }
}
