package io.muster.inventory.hostlist;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds a hostlist: appends ranges in order and joins neighbours that continue each other. A builder belongs to one thread. */
final class HostlistBuilder {
    private final List<HostRange> ranges = new ArrayList<>();
    private int size;
    private int suffixed;
    private int written;

    /**
     * Appends a range.
     *
     * @throws IllegalArgumentException if the list would become too long; {@link #refusal} says beforehand whether it would
     */
    HostlistBuilder add(HostRange range) {
        String refusal = refusal(range.count(), range.suffix());
        if (refusal != null) {
            throw new IllegalArgumentException(refusal);
        }
        size += range.count();
        suffixed += range.suffix().isEmpty() ? 0 : range.count();
        int end = ranges.size() - 1;
        if (end >= 0 && ranges.get(end).joins(range)) {
            ranges.set(end, ranges.get(end).join(range));
        } else {
            ranges.add(range);
        }
        return this;
    }

    HostlistBuilder addAll(Iterable<HostRange> more) {
        more.forEach(this::add);
        return this;
    }

    /** Returns why the list cannot take {@code count} more hosts, or null if it can. */
    @Nullable
    String refusal(long count, String suffix) {
        if (count > Hostlist.MAX_HOSTS - size) {
            return "a hostlist holds " + Hostlist.MAX_HOSTS + " hosts at most";
        }
        if (!suffix.isEmpty() && count > Hostlist.MAX_SUFFIXED - suffixed) {
            return "a hostlist holds " + Hostlist.MAX_SUFFIXED + " hosts with a suffix at most";
        }
        return null;
    }

    /**
     * Counts the names and ranges that result from writing out an expression with several bracket groups, because they take as
     * much memory as hosts with a suffix. Returns why they are too many or too long, or null.
     *
     * @param length the number of characters in the longest of them; 0 if they share their text
     */
    @Nullable
    String writeOut(long count, int length) {
        if (count > Hostlist.MAX_SUFFIXED - suffixed) {
            return "several bracket groups stand for " + Hostlist.MAX_SUFFIXED + " ranges at most";
        }
        if (count * length > Hostlist.MAX_WRITTEN - written) {
            return "the names that several bracket groups stand for have " + Hostlist.MAX_WRITTEN
                    + " characters at most";
        }
        suffixed += (int) count;
        written += (int) count * length;
        return null;
    }

    Hostlist build() {
        return ranges.isEmpty() ? Hostlist.EMPTY : new Hostlist(ranges.toArray(new HostRange[0]));
    }
}
