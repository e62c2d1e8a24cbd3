package io.muster.inventory.rset;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.hostlist.MatchConsumer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;

/**
 * The host of each rank, as RFC 20 defines it: the first host belongs to the lowest rank, and so on. A host may have several
 * ranks.
 */
record RankHosts(Idset ranks, Hostlist hosts) {
    private static final String IDSET_CHARACTERS = "0123456789,-[]";

    /** The number of ranges below which a separate search for each range is faster than a walk over all ranges. */
    private static final int FEW = 8;

    static final RankHosts EMPTY = new RankHosts(Idset.EMPTY, Hostlist.EMPTY);

    RankHosts {
        if (hosts.size() != ranks.size()) {
            throw new IllegalArgumentException(counts(hosts.size(), ranks.size()));
        }
    }

    static String counts(int hosts, int ranks) {
        return "nodelist has " + counted(hosts, "host") + ", but R_lite has " + counted(ranks, "rank");
    }

    private static String counted(int count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    String hostOf(int rank) {
        if (!ranks.contains(rank)) {
            throw TargetException.ranks(Idset.of(rank), ranks);
        }
        return hosts.nth(ranks.position(rank));
    }

    Idset ranksOf(String host) {
        return ranksAt(hosts.indexesOf(host));
    }

    Idset ranksOf(Hostlist names) {
        Hostlist missing = hosts.missing(names);
        if (!missing.isEmpty()) {
            throw TargetException.hosts(missing.unique());
        }
        return ranksAt(hosts.indexesOf(names));
    }

    Hostlist hostsOf(Idset subset) {
        requireMembers(subset);
        return hosts.select(positionsOf(subset));
    }

    /**
     * Visits every rank whose host both placements have, with the host's rank in the other placement: the nth rank of a host
     * here with its nth rank there. Ranks are visited in runs and in no particular order.
     */
    void forEachPair(RankHosts that, MatchConsumer c) {
        RankOrder mine = new RankOrder(ranks);
        RankOrder theirs = new RankOrder(that.ranks);
        hosts.forEachPair(that.hosts, (position, otherPosition, count) -> {
            int done = 0;
            while (done < count) {
                int gap = Math.min(mine.upToGap(position + done), theirs.upToGap(otherPosition + done));
                int run = Math.min(gap, count - done);
                c.accept(mine.rank(position + done), theirs.rank(otherPosition + done), run);
                done += run;
            }
        });
    }

    void requireMembers(Idset subset) {
        if (!ranks.containsAll(subset)) {
            throw TargetException.ranks(subset.subtract(ranks), ranks);
        }
    }

    /** Returns the ranks of those hosts in {@code some} that this placement has. */
    Idset ranksOfKnown(Hostlist some) {
        return ranksAt(hosts.indexesOf(some));
    }

    /** Reads a text as an idset or, if it is none, as a hostlist, as {@code flux resource} does. */
    Idset targets(String text) {
        if (!isMeantAsIdset(text)) {
            return targetHosts(text);
        }
        Idset ranks;
        try {
            ranks = Idset.parse(text);
        } catch (MalformedException notIdset) {
            return numberedHosts(text, notIdset);
        }
        requireMembers(ranks);
        return ranks;
    }

    private Idset targetHosts(String text) {
        try {
            return ranksOf(Hostlist.parse(text));
        } catch (TargetException absent) {
            boolean ranks = absent.missingHosts().stream().anyMatch(RankHosts::isMeantAsIdset);
            throw ranks ? TargetException.mixed(absent.missingHosts()) : absent;
        }
    }

    /** "3-1" may be the name of a host, but if no host has this name, the user gets the fault in the idset. */
    private Idset numberedHosts(String text, MalformedException notIdset) {
        try {
            return ranksOf(Hostlist.parse(text));
        } catch (TargetException | MalformedException notHosts) {
            throw notIdset;
        }
    }

    /** Returns whether the text has only characters of an idset. */
    private static boolean isMeantAsIdset(String text) {
        return text.chars().allMatch(c -> IDSET_CHARACTERS.indexOf(c) >= 0);
    }

    /**
     * Returns a function from old ranks to new ranks, which are numbered in the order of the hosts in {@code order}.
     *
     * @throws IllegalArgumentException unless {@code order} names each host once
     */
    UnaryOperator<Idset> reranking(Hostlist order) {
        requirePermutation(order);
        int[] newRanks = new int[order.size()];
        List<String> names = order.expand();
        for (int rank = 0; rank < newRanks.length; rank++) {
            newRanks[hosts.indexOf(names.get(rank))] = rank;
        }
        return old -> {
            Idset.Builder renamed = Idset.builder();
            positionsOf(old).forEach(position -> renamed.add(newRanks[position]));
            return renamed.build();
        };
    }

    private void requirePermutation(Hostlist order) {
        Hostlist unknown = hosts.missing(order);
        if (!unknown.isEmpty()) {
            throw TargetException.hosts(unknown.unique());
        }
        if (order.unique().size() < order.size()) {
            throw new IllegalArgumentException("a host is named twice: " + twice(order));
        }
        if (order.size() != hosts.size()) {
            String few = order.size() < hosts.size() ? "too few" : "too many";
            throw new IllegalArgumentException(
                    few + " hosts: " + order.size() + " were named, but the resource set has " + hosts.size());
        }
    }

    private static String twice(Hostlist order) {
        return order.stream()
                .filter(name -> order.indexesOf(name).size() > 1)
                .findFirst()
                .orElseThrow();
    }

    RankHosts keep(Idset kept) {
        Idset removed = ranks.subtract(kept);
        if (removed.isEmpty()) {
            return this;
        }
        Idset remaining = ranks.intersect(kept);
        Idset positions = removed.rangeCount() < remaining.rangeCount()
                ? Idset.range(0, ranks.size() - 1).subtract(positionsOf(removed))
                : positionsOf(remaining);
        return new RankHosts(remaining, hosts.select(positions));
    }

    RankHosts withRanks(Idset others) {
        return new RankHosts(others, hosts);
    }

    /**
     * Returns the ranks of both placements with their hosts. The caller must have checked that ranks in both have the same
     * host.
     */
    RankHosts union(RankHosts that) {
        Idset added = that.ranks.subtract(ranks);
        if (added.isEmpty()) {
            return this;
        }
        RankHosts rest = that.keep(added);
        if (ranks.isEmpty() || ranks.last() < added.first()) {
            return new RankHosts(ranks.union(added), hosts.append(rest.hosts));
        }
        return interleave(rest);
    }

    private RankHosts interleave(RankHosts that) {
        Idset all = ranks.union(that.ranks);
        List<String> mine = hosts.expand();
        List<String> theirs = that.hosts.expand();
        List<String> names = new ArrayList<>(all.size());
        int[] next = {0, 0};
        all.forEach(rank -> names.add(ranks.contains(rank) ? mine.get(next[0]++) : theirs.get(next[1]++)));
        return new RankHosts(all, Hostlist.of(names));
    }

    void requireSameHosts(RankHosts that) {
        Idset differing = disagreements(that);
        if (!differing.isEmpty()) {
            int rank = differing.first();
            throw new IllegalArgumentException("rank " + rank + " is host " + hostOf(rank) + " in one resource set and "
                    + that.hostOf(rank) + " in the other");
        }
    }

    /** Returns the ranks that are in both placements but have different hosts. */
    Idset disagreements(RankHosts that) {
        Idset shared = ranks.intersect(that.ranks);
        Hostlist mine = hosts.select(positionsOf(shared));
        Hostlist theirs = that.hosts.select(that.positionsOf(shared));
        if (mine.equals(theirs)) {
            return Idset.EMPTY;
        }
        List<String> names = mine.expand();
        List<String> otherNames = theirs.expand();
        Idset.Builder differing = Idset.builder();
        int[] next = {0};
        shared.forEach(rank -> {
            int i = next[0]++;
            if (!names.get(i).equals(otherNames.get(i))) {
                differing.add(rank);
            }
        });
        return differing.build();
    }

    /**
     * Returns the positions of the ranks in {@code subset} among all ranks. A range of positions is computed at once from a
     * range of ranks.
     */
    Idset positionsOf(Idset subset) {
        if (subset.equals(ranks)) {
            return subset.isEmpty() ? subset : Idset.range(0, subset.size() - 1);
        }
        IntUnaryOperator position = subset.rangeCount() < FEW ? ranks::position : new PositionWalk(ranks);
        Idset.Builder positions = Idset.builder();
        subset.forEachRange((first, last) -> {
            int start = position.applyAsInt(first);
            positions.addRange(start, start + (last - first));
        });
        return positions.build();
    }

    /**
     * Finds the positions of ascending ranks in one walk over all ranges, because a separate search for each is slow if there
     * are many.
     */
    private static final class PositionWalk implements IntUnaryOperator {
        private final int[] firsts;
        private final int[] positions;
        private int range;

        PositionWalk(Idset members) {
            firsts = new int[members.rangeCount()];
            positions = new int[firsts.length];
            members.forEachRange((first, last) -> {
                firsts[range] = first;
                if (++range < firsts.length) {
                    positions[range] = positions[range - 1] + (last - first) + 1;
                }
            });
            range = 0;
        }

        @Override
        public int applyAsInt(int member) {
            while (range + 1 < firsts.length && firsts[range + 1] <= member) {
                range++;
            }
            return positions[range] + (member - firsts[range]);
        }
    }

    private Idset ranksAt(Idset positions) {
        if (positions.isEmpty() || ranks.last() == ranks.size() - 1) {
            return positions;
        }
        Idset.Builder members = Idset.builder();
        positions.forEachRange((first, last) -> addMembers(members, first, last));
        return members.build();
    }

    private void addMembers(Idset.Builder members, int firstPosition, int lastPosition) {
        int position = firstPosition;
        while (position <= lastPosition) {
            int end = endOfRun(position, lastPosition);
            members.addRange(ranks.nth(position), ranks.nth(end));
            position = end + 1;
        }
    }

    /** Returns the last position up to {@code limit} such that the ranks from {@code position} on have no gap. */
    private int endOfRun(int position, int limit) {
        int offset = ranks.nth(position) - position;
        int low = position;
        int high = limit;
        while (low < high) {
            int middle = low + (high - low + 1) / 2;
            if (ranks.nth(middle) - middle == offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
