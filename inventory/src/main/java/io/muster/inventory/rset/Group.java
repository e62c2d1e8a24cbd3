package io.muster.inventory.rset;

import io.muster.inventory.idset.Idset;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Ranks of a resource set that have the same resources, which R writes as one entry of R_lite. */
public final class Group {
    private final Idset ranks;
    private final Contents contents;

    Group(Idset ranks, Contents contents) {
        this.ranks = ranks;
        this.contents = contents;
    }

    public Idset ranks() {
        return ranks;
    }

    /** Returns the ids by child type, cores first. A type without ids is left out. */
    public SortedMap<String, Idset> children() {
        return contents.children();
    }

    Contents contents() {
        return contents;
    }

    Group withRanks(Idset others) {
        return new Group(others, contents);
    }

    static String bracketed(Idset ids) {
        return ids.size() > 1 ? "[" + ids + "]" : ids.toString();
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof Group that && ranks.equals(that.ranks) && contents.equals(that.contents);
    }

    @Override
    public int hashCode() {
        return 31 * ranks.hashCode() + contents.hashCode();
    }

    /** Returns the text that {@code flux R decode --short} prints: {@code rank[0-1]/core[0-3],gpu0}. */
    @Override
    public String toString() {
        return "rank" + bracketed(ranks) + "/" + contents;
    }
}
