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
 * An immutable ordered list of host names, duplicates allowed, in the text form of RFC 29.
 *
 * <p>A list is stored as ranges: the million hosts of {@code node[0-1048575]} are one object. Finding the name at an index, or
 * the indexes of a name, takes O(log ranges).
 */
public final class Hostlist {
    /** The number of characters after which {@link #abridged} cuts. */
    private static final int MOST_SHOWN = 200;

    /** The highest number of hosts in one bracketed range, the same limit as in flux-core. */
    public static final int MAX_RANGE = 1 << 20;

    /** The highest number of hosts in a list, so that a short text cannot cause unlimited work. */
    public static final int MAX_HOSTS = 1 << 24;

    /** The highest number of hosts in a list that have a suffix after their number. Such hosts are written out one by one. */
    public static final int MAX_SUFFIXED = 1 << 20;

    /** The highest number of characters in the names that result from writing out several bracket groups. */
    static final int MAX_WRITTEN = 1 << 24;

    /** The highest number of characters in a name. flux-core writes names through a buffer of 1024 bytes. */
    public static final int MAX_NAME = 1023;

    public static final Hostlist EMPTY = new Hostlist(new HostRange[0]);

    /**
     * The number of names that hashCode covers. Hashing a million names takes too long, and ranges cannot be hashed because
     * equal lists may be divided into different ranges.
     */
    private static final int HASHED = 8;

    private final HostRange[] ranges;
    /** For each i, the index of the first host of ranges[i]. One more entry holds the number of hosts. */
    private final int[] starts;
    /** The index by name, built at the first lookup. Two threads may both build it, which does no harm. */
    private volatile @Nullable HostIndex index;

    /** Makes a list of {@code ranges}, an array that must not change afterwards. */
    Hostlist(HostRange[] ranges) {
        this.ranges = ranges;
        this.starts = new int[ranges.length + 1];
        for (int i = 0; i < ranges.length; i++) {
            starts[i + 1] = starts[i] + ranges[i].count();
        }
    }

    /**
     * Reads RFC 29 text. As in flux-core, spaces and tabs separate hosts as commas do.
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

    /** Returns the list of these names. A name with brackets or separators is refused. */
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

    /**
     * Returns the name at an index.
     *
     * @throws IndexOutOfBoundsException unless {@code 0 <= i < size()}
     */
    public String nth(int i) {
        checkIndex(i);
        int range = rangeAt(i);
        return ranges[range].name(i - starts[range]);
    }

    /** Returns the first index of {@code name}, or -1. Leading zeros matter: {@code foo03} is not {@code foo3}. */
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

    /** Returns every index of every host in {@code names}. */
    public Idset indexesOf(Hostlist names) {
        Idset.Builder indexes = Idset.builder();
        index().forEachMatch(names, (index, nameIndex, count) -> indexes.addRange(index, index + count - 1));
        return indexes.build();
    }

    /**
     * Visits every host that both lists have, pairing its nth index in this list with its nth index in {@code that}. Hosts are
     * visited in runs and in no particular order. The cost depends on the number of ranges, except for hosts that repeat.
     */
    public void forEachPair(Hostlist that, MatchConsumer c) {
        new HostPairs(this, that).forEach(c);
    }

    /** Returns the hosts of {@code names} that this list does not have, in the order of {@code names}. */
    public Hostlist missing(Hostlist names) {
        if (names.isEmpty()) {
            return EMPTY;
        }
        Idset.Builder found = Idset.builder();
        index().forEachMatch(names, (index, nameIndex, count) -> found.addRange(nameIndex, nameIndex + count - 1));
        return names.select(Idset.range(0, names.size() - 1).subtract(found.build()));
    }

    /**
     * Returns the hosts at {@code indexes}, in ascending order of the index.
     *
     * @throws IndexOutOfBoundsException if an index is not below {@code size()}
     */
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
     * Sorts by prefix, then by length of the number, then by number, as flux-core compares single hosts. Duplicates stay.
     * The cost depends on the number of ranges, except for hosts that repeat.
     */
    public Hostlist sort() {
        return new HostSort(false).of(this);
    }

    /** Sorts like {@link #sort()} and keeps every name once, like flux-core's {@code hostlist_uniq}. */
    public Hostlist unique() {
        return new HostSort(true).of(this);
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
     * Returns RFC 29 text in canonical form: equal lists have the same text. Names with a suffix after the number are
     * written one by one, as in flux-core.
     */
    @Override
    public String toString() {
        HostlistWriter writer = new HostlistWriter();
        forEachPlain(writer::add);
        return writer.text();
    }

    /** Returns {@link #toString} cut to 200 characters, for people: an R has too many hosts for a line of a log. */
    public String abridged() {
        return Listing.HOSTS.cut(toString(), MOST_SHOWN);
    }

    HostRange[] ranges() {
        return ranges;
    }

    /** Returns the index of the first host of a range. */
    int start(int range) {
        return starts[range];
    }

    /** Visits ranges without suffixes that make up this list. If neighbours are joined, equal lists give equal ranges. */
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
        Iterator<String> otherNames = o.stream().iterator();
        return stream().allMatch(name -> name.equals(otherNames.next()));
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
        HostIndex built = index;
        if (built == null) {
            built = new HostIndex(this);
            index = built;
        }
        return built;
    }
}
