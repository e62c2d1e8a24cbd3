package io.muster.inventory.axis;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Maps the ranks of an old R to the ranks of a new R by host. The nth rank of a host in the old R becomes the host's nth
 * rank in the new R, so that several ranks of one host (test instances) stay distinct. The cost depends on the number of
 * runs, that is, of sequences of hosts that moved by the same distance; a whole rack is usually one run.
 */
public final class Remap {
    private final ResourceSet from;
    private final ResourceSet to;

    /** Old ranks whose host the new R still has, in ascending order. */
    private final List<Run> runs;

    private final Idset vanished;
    private final Idset added;

    private Remap(ResourceSet from, ResourceSet to, List<Run> runs) {
        this.from = from;
        this.to = to;
        this.runs = runs;
        Idset.Builder remaining = Idset.builder();
        runs.forEach(run -> remaining.addRange(run.first, run.last));
        this.vanished = from.ranks().subtract(remaining.build());
        this.added = to.ranks().subtract(translate(from.ranks()));
    }

    /** Consecutive old ranks, with the number that is added to each to get its new rank. */
    private record Run(int first, int last, int shift) {
        boolean joins(Run next) {
            return next.first == last + 1 && next.shift == shift;
        }
    }

    public static Remap between(ResourceSet from, ResourceSet to) {
        List<Run> runs = new ArrayList<>();
        if (from.ranks().equals(to.ranks()) && from.hosts().equals(to.hosts())) {
            from.ranks().forEachRange((first, last) -> runs.add(new Run(first, last, 0)));
            return new Remap(from, to, runs);
        }
        from.forEachPair(
                to, (oldRank, newRank, count) -> runs.add(new Run(oldRank, oldRank + count - 1, newRank - oldRank)));
        runs.sort(Comparator.comparingInt(Run::first));
        return new Remap(from, to, joined(runs));
    }

    private static List<Run> joined(List<Run> runs) {
        List<Run> joined = new ArrayList<>();
        for (Run run : runs) {
            int end = joined.size() - 1;
            if (end >= 0 && joined.get(end).joins(run)) {
                joined.set(end, new Run(joined.get(end).first, run.last, run.shift));
            } else {
                joined.add(run);
            }
        }
        return joined;
    }

    public ResourceSet from() {
        return from;
    }

    public ResourceSet to() {
        return to;
    }

    /** Returns the hosts whose rank changed, in the order of the old R. */
    public Hostlist moved() {
        Idset.Builder moved = Idset.builder();
        runs.stream().filter(run -> run.shift != 0).forEach(run -> moved.addRange(run.first, run.last));
        return from.hostsOf(moved.build());
    }

    /** Returns the hosts that the new R does not have, or names fewer times than the old R. */
    public Hostlist vanished() {
        return from.hostsOf(vanished);
    }

    /** Returns the hosts that the old R did not have, or named fewer times than the new R. */
    public Hostlist added() {
        return to.hostsOf(added);
    }

    /**
     * Returns the old R with those parts of the new R that RFC 28 can send to a scheduler that acquired the old R: the
     * properties of hosts that both have, and the expiration, unless the old start time forbids it.
     */
    public ResourceSet told() {
        Remap back = between(to, from);
        SortedMap<String, Idset> properties = new TreeMap<>();
        from.properties().forEach((name, ranks) -> properties.put(name, ranks.intersect(vanished)));
        to.properties().forEach((name, ranks) -> properties.merge(name, back.translate(ranks), Idset::union));
        boolean possible = to.expiration() == 0 || to.expiration() > from.starttime();
        return from.withUpdates(properties, possible ? to : from);
    }

    /** Returns the names of the parts of the new R that {@link #told} does not have; empty if {@link #told} equals the new R. */
    public List<String> untold() {
        List<String> parts = new ArrayList<>();
        if (told().equals(to)) {
            return parts;
        }
        name(parts, "new hosts: ", added());
        name(parts, "hosts that leave: ", vanished());
        name(parts, "hosts with another rank: ", moved());
        if (moved().isEmpty()
                && !from.remove(vanished).groups().equals(to.remove(added).groups())) {
            parts.add("the resources of hosts");
        }
        if (from.starttime() != to.starttime()) {
            parts.add("the start time");
        }
        if (!Objects.equals(from.scheduling(), to.scheduling())) {
            parts.add("the key scheduling");
        }
        return parts.isEmpty() ? List.of("other keys") : parts;
    }

    private static void name(List<String> parts, String what, Hostlist hosts) {
        if (!hosts.isEmpty()) {
            parts.add(what + hosts.abridged());
        }
    }

    public boolean isIdentity() {
        return vanished.isEmpty() && added.isEmpty() && runs.stream().allMatch(run -> run.shift == 0);
    }

    /** Returns the old ranks of {@link #vanished()}. */
    public Idset vanishedRanks() {
        return vanished;
    }

    /** Returns the new ranks of {@link #added()}. */
    public Idset addedRanks() {
        return added;
    }

    /** Returns the new ranks of {@code ranks}. Ranks of vanished hosts are left out. */
    public Idset translate(Idset ranks) {
        Idset.Builder now = Idset.builder();
        ranks.forEachRange((first, last) -> {
            for (int i = firstEndingFrom(first); i < runs.size() && runs.get(i).first <= last; i++) {
                Run run = runs.get(i);
                now.addRange(Math.max(first, run.first) + run.shift, Math.min(last, run.last) + run.shift);
            }
        });
        return now.build();
    }

    /** Returns the index of the first run that ends at or after {@code rank}. */
    private int firstEndingFrom(int rank) {
        int low = 0;
        int high = runs.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (runs.get(middle).last < rank) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
