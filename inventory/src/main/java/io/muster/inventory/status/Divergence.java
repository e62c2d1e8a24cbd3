package io.muster.inventory.status;

import io.muster.inventory.idset.Idset;
import java.util.Comparator;
import java.util.Locale;
import java.util.SortedMap;

/**
 * One way in which what a scheduler believes about hosts differs from what it should believe.
 *
 * @param what the name of a part or a property; "" if the difference is about whole hosts
 */
public record Divergence(Kind kind, String what) implements Comparable<Divergence> {
    private static final Comparator<Divergence> ORDER =
            Comparator.comparing(Divergence::kind).thenComparing(Divergence::what);

    /** The kinds of differences. */
    public enum Kind {
        UP("has the host up, and was sent that it is down"),
        DOWN("has the host down, and was sent that it is up"),
        UNKNOWN("does not know the host, which it was sent"),
        UNMARKED("has %s up, which is marked down"),
        MARKED("has %s down, which is not marked down"),
        LACKS_PROPERTY("lacks the property %s"),
        HAS_PROPERTY("has the property %s, which the host does not have"),
        ALLOCATED_DRAINED("began a job on the host while it was drained"),
        ALLOCATED_LOST("has a job on the host, which is lost");

        private final String sentence;

        Kind(String sentence) {
            this.sentence = sentence;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Returns what the scheduler does, as the rest of a sentence. */
    public String sentence() {
        return kind.sentence.replace("%s", what);
    }

    /** Adds ranks, unless there are none. */
    static void add(SortedMap<Divergence, Idset> all, Kind kind, String what, Idset ranks) {
        if (!ranks.isEmpty()) {
            all.merge(new Divergence(kind, what), ranks, Idset::union);
        }
    }

    @Override
    public int compareTo(Divergence other) {
        return ORDER.compare(this, other);
    }
}
