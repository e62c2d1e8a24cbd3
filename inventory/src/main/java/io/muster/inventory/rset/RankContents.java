package io.muster.inventory.rset;

import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The contents of all ranks, as groups: the groups have disjoint ranks and distinct contents, and are ordered by lowest
 * rank. Time and memory depend on the number of groups and of the ranges of their ranks; no method may loop over ranks.
 */
final class RankContents {
    static final RankContents EMPTY = new RankContents(List.of(), Idset.EMPTY);

    private static final Comparator<Group> BY_LOWEST_RANK =
            Comparator.comparingInt(group -> group.ranks().first());

    private final List<Group> groups;
    private final Idset ranks;

    private RankContents(List<Group> groups, Idset ranks) {
        this.groups = groups;
        this.ranks = ranks;
    }

    List<Group> groups() {
        return groups;
    }

    Idset ranks() {
        return ranks;
    }

    long count(String type, Idset among) {
        long sum = 0;
        for (Group group : groups) {
            int ids = group.contents().ids(type).size();
            if (ids > 0) {
                sum += (long) ids * group.ranks().intersect(among).size();
            }
        }
        return sum;
    }

    long count(String type) {
        long sum = 0;
        for (Group group : groups) {
            sum += (long) group.contents().ids(type).size() * group.ranks().size();
        }
        return sum;
    }

    RankContents keep(Idset kept) {
        return remove(ranks.subtract(kept));
    }

    RankContents remove(Idset removed) {
        if (!removed.intersects(ranks)) {
            return this;
        }
        List<Group> remaining = new ArrayList<>(groups.size());
        for (Group group : groups) {
            Idset rest = group.ranks().subtract(removed);
            if (!rest.isEmpty()) {
                remaining.add(group.withRanks(rest));
            }
        }
        return new RankContents(sorted(remaining), ranks.subtract(removed));
    }

    /**
     * Returns these contents under other ranks. The function {@code renaming} must not map ranks of different groups to the
     * same rank.
     */
    RankContents mapRanks(UnaryOperator<Idset> renaming) {
        List<Group> renamed = new ArrayList<>(groups.size());
        groups.forEach(group -> renamed.add(group.withRanks(renaming.apply(group.ranks()))));
        return new RankContents(sorted(renamed), renaming.apply(ranks));
    }

    private static List<Group> sorted(List<Group> groups) {
        groups.sort(BY_LOWEST_RANK);
        return List.copyOf(groups);
    }

    RankContents mapContents(UnaryOperator<Contents> change) {
        Builder mapped = new Builder();
        groups.forEach(group -> mapped.add(group.ranks(), change.apply(group.contents())));
        return mapped.build();
    }

    /** Returns the contents that either object has. If both have a rank, {@code rule} combines the two contents. */
    RankContents union(RankContents that, BinaryOperator<Contents> rule) {
        Builder result = new Builder();
        groups.forEach(own -> result.add(own.ranks().subtract(that.ranks), own.contents()));
        forEachShared(that, (shared, mine, theirs) -> result.add(shared, rule.apply(mine, theirs)));
        that.groups.forEach(other -> result.add(other.ranks().subtract(ranks), other.contents()));
        return result.build();
    }

    /** Returns the contents that both objects have. A rank without shared contents is left out. */
    RankContents intersect(RankContents that) {
        Builder result = new Builder();
        forEachShared(that, (shared, mine, theirs) -> result.addUnlessEmpty(shared, mine.intersect(theirs)));
        return result.build();
    }

    /** Returns the contents that this object has and the other does not. A rank without any such contents is left out. */
    RankContents subtract(RankContents that) {
        Builder result = new Builder();
        groups.forEach(own -> result.add(own.ranks().subtract(that.ranks), own.contents()));
        forEachShared(that, (shared, mine, theirs) -> result.addUnlessEmpty(shared, mine.subtract(theirs)));
        return result.build();
    }

    void requireDisjoint(RankContents that) {
        forEachShared(that, (shared, mine, theirs) -> {
            Contents twice = mine.intersect(theirs);
            if (!twice.isEmpty()) {
                throw new IllegalArgumentException("resource sets overlap: both have " + new Group(shared, twice));
            }
        });
    }

    /**
     * Visits every set of ranks that is within one group of this object and one group of the other. The group with equal
     * contents is tried first: usually both objects describe the same machines, and then no other group has to be examined.
     */
    void forEachShared(RankContents that, PairConsumer consumer) {
        Map<Contents, Group> alike = new HashMap<>();
        that.groups.forEach(group -> alike.put(group.contents(), group));
        for (Group own : groups) {
            Idset rest = own.ranks().intersect(that.ranks);
            Group first = alike.get(own.contents());
            if (first != null) {
                rest = share(rest, own, first, consumer);
            }
            for (Group other : that.groups) {
                if (rest.isEmpty()) {
                    break;
                }
                rest = share(rest, own, other, consumer);
            }
        }
    }

    private static Idset share(Idset rest, Group own, Group other, PairConsumer consumer) {
        Idset shared = rest.intersect(other.ranks());
        if (shared.isEmpty()) {
            return rest;
        }
        consumer.accept(shared, own.contents(), other.contents());
        return rest.subtract(shared);
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return this == o || (o instanceof RankContents that && groups.equals(that.groups));
    }

    @Override
    public int hashCode() {
        return groups.hashCode();
    }

    interface PairConsumer {
        void accept(Idset ranks, Contents mine, Contents theirs);
    }

    /** Collects ranks by contents. A rank may be added only once. */
    static final class Builder {
        private final Map<Contents, Idset.Builder> byContents = new LinkedHashMap<>();

        public Builder add(Idset ranks, Contents contents) {
            if (!ranks.isEmpty()) {
                byContents.computeIfAbsent(contents, c -> Idset.builder()).addAll(ranks);
            }
            return this;
        }

        Builder addUnlessEmpty(Idset ranks, Contents contents) {
            return contents.isEmpty() ? this : add(ranks, contents);
        }

        public RankContents build() {
            List<Group> groups = new ArrayList<>(byContents.size());
            Idset.Builder all = Idset.builder();
            byContents.forEach((contents, builder) -> {
                Idset ranks = builder.build();
                groups.add(new Group(ranks, contents));
                all.addAll(ranks);
            });
            return new RankContents(sorted(groups), all.build());
        }
    }
}
