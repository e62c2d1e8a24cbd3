package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The axis of membership: which ranks of R are not offered to schedulers at all. Such a rank is absent. There are three
 * kinds of absence, and a rank can be absent in several of them at once: if the configuration takes back an exclusion, the
 * exclusion by an admin remains.
 */
public final class Membership {
    public static final Membership ALL = new Membership(new EnumMap<>(Kind.class));

    /** Absent ranks by kind; kinds in which no rank was ever absent are left out. */
    private final Map<Kind, Absent> kinds;

    private final Idset excluded;

    private Membership(EnumMap<Kind, Absent> kinds) {
        this.kinds = kinds;
        this.excluded = ranks(Kind.CONFIG).union(ranks(Kind.ADMIN));
    }

    public enum Kind {
        /** Excluded by the configuration, until a new configuration includes the rank. */
        CONFIG,
        /** Excluded by an admin, until an admin includes the rank. */
        ADMIN,
        /** Removed from the instance ({@code shrink}, RFC 28); an include offers the rank again at the next acquire. */
        LOST;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Kind read(Fields in) {
            return in.choice("kind", Kind.class, Kind::word);
        }
    }

    /** @param extras members that another version wrote and this version does not know */
    public record Absence(Kind kind, @Nullable String reason, double since, Principal by, Extras extras) {
        private static final Set<String> KEYS = Set.of("idset", "nodelist", "kind", "reason", "since", "by");

        public Absence(Kind kind, @Nullable String reason, double since, Principal by) {
            this(kind, reason, since, by, Extras.NONE);
        }

        /** Reads an absence from an object that may also name its ranks. */
        public static Absence read(Fields in) {
            return new Absence(
                    Kind.read(in),
                    in.optional("reason"),
                    Epoch.seconds(in, "since"),
                    Principal.readBy(in),
                    Extras.besides(in, KEYS));
        }

        /** Writes the members into the current JSON object. */
        public void write(JsonGenerator out) throws IOException {
            out.writeStringField("kind", kind.word());
            Fields.writeOptional(out, "reason", reason);
            Epoch.write(out, "since", since);
            by.writeBy(out);
            extras.write(out);
        }

        // These methods are written out for speed, as Principal explains.

        @Override
        public boolean equals(@Nullable Object o) {
            return o instanceof Absence that
                    && kind == that.kind
                    && Objects.equals(reason, that.reason)
                    && Double.compare(since, that.since) == 0
                    && by.equals(that.by)
                    && extras.equals(that.extras);
        }

        @Override
        public int hashCode() {
            return 31 * kind.hashCode() + Double.hashCode(since);
        }
    }

    /**
     * The absent ranks of one kind.
     *
     * @param why the absence of each rank
     * @param ranks all ranks in {@code why}
     */
    private record Absent(IdMap<Absence> why, Idset ranks) {
        static final Absent NONE = new Absent(IdMap.empty(), Idset.EMPTY);
    }

    /** Collects absences. A builder is cheaper than adding many absences one by one to an immutable membership. */
    public static final class Builder {
        private final EnumMap<Kind, IdMap<Absence>> kinds = new EnumMap<>(Kind.class);

        public void add(Idset ranks, Absence absence) {
            IdMap<Absence> sameKind = kinds.getOrDefault(absence.kind(), IdMap.empty());
            kinds.put(absence.kind(), sameKind.put(ranks, absence));
        }

        public Membership build() {
            EnumMap<Kind, Absent> absent = new EnumMap<>(Kind.class);
            kinds.forEach((kind, why) -> absent.put(kind, new Absent(why, why.keys())));
            return new Membership(absent);
        }
    }

    public Idset excluded() {
        return excluded;
    }

    public Idset lost() {
        return ranks(Kind.LOST);
    }

    /** Returns the ranks that are absent in {@code kind}, whether or not they are absent in another kind too. */
    public Idset ranks(Kind kind) {
        return kinds.getOrDefault(kind, Absent.NONE).ranks;
    }

    /** Returns every absence of a rank; none for a rank that is offered to schedulers. */
    public List<Absence> of(int rank) {
        List<Absence> found = new ArrayList<>();
        for (Absent absent : kinds.values()) {
            Absence absence = absent.why.get(rank);
            if (absence != null) {
                found.add(absence);
            }
        }
        return found;
    }

    /** Returns the ranks grouped by equal absences, kind by kind. */
    public Map<Absence, Idset> groups() {
        return collect(IdMap::groups);
    }

    /** Returns the groups of these ranks. */
    public Map<Absence, Idset> groups(Idset ranks) {
        return collect(why -> why.groups(ranks));
    }

    private Map<Absence, Idset> collect(Function<IdMap<Absence>, Map<Absence, Idset>> part) {
        Map<Absence, Idset> groups = new LinkedHashMap<>();
        kinds.values().forEach(absent -> groups.putAll(part.apply(absent.why)));
        return groups;
    }

    /** Returns the ranks in {@code ranks} that are absent in at least one kind. */
    public Idset absent(Idset ranks) {
        return ranks.intersect(excluded).union(ranks.intersect(lost()));
    }

    public Membership leave(Idset ranks, Absence absence) {
        Absent absent = kinds.getOrDefault(absence.kind(), Absent.NONE);
        return with(absence.kind(), new Absent(absent.why.put(ranks, absence), absent.ranks.union(ranks)));
    }

    public Membership rejoin(Idset ranks, Kind kind) {
        Absent absent = kinds.getOrDefault(kind, Absent.NONE);
        return absent.ranks.intersects(ranks)
                ? with(kind, new Absent(absent.why.remove(ranks), absent.ranks.subtract(ranks)))
                : this;
    }

    private Membership with(Kind kind, Absent absent) {
        EnumMap<Kind, Absent> next = new EnumMap<>(Kind.class);
        next.putAll(kinds);
        next.put(kind, absent);
        return new Membership(next);
    }
}
