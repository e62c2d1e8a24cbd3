package io.muster.inventory.state;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;

/**
 * Where each host of one R went in another. The nth rank of a host in the old R is its nth rank in the new one, so that
 * several ranks of one host (test instances) stay apart.
 */
public final class Remap {
    private static final int GONE = -1;

    private final ResourceSet from;
    private final ResourceSet to;

    /** For each old rank whose host is still there, what to add to it: whole racks move alike. */
    private final IdMap<Integer> shifts;

    private final Idset vanished;
    private final Idset added;

    private Remap(ResourceSet from, ResourceSet to, IdMap<Integer> shifts, Idset vanished, Idset added) {
        this.from = from;
        this.to = to;
        this.shifts = shifts;
        this.vanished = vanished;
        this.added = added;
    }

    static Remap between(ResourceSet from, ResourceSet to) {
        if (isSame(from, to)) {
            IdMap<Integer> still = IdMap.<Integer>empty().put(from.ranks(), 0);
            return new Remap(from, to, still, Idset.EMPTY, Idset.EMPTY);
        }
        Shifts shifts = new Shifts();
        Idset.Builder vanished = Idset.builder();
        from.ranks().forEach(rank -> {
            int now = follow(from, to, rank);
            if (now == GONE) {
                vanished.add(rank);
            } else {
                shifts.add(rank, now - rank);
            }
        });
        IdMap<Integer> found = shifts.finish();
        return new Remap(from, to, found, vanished.build(), to.ranks().subtract(shift(found, from.ranks())));
    }

    /** Where in {@code to} some ranks of {@code from} are; those of hosts that it does not have are left out. */
    static Idset follow(ResourceSet from, Idset ranks, ResourceSet to) {
        if (isSame(from, to)) {
            return ranks;
        }
        Idset.Builder now = Idset.builder();
        ranks.forEach(rank -> {
            int there = follow(from, to, rank);
            if (there != GONE) {
                now.add(there);
            }
        });
        return now.build();
    }

    private static boolean isSame(ResourceSet from, ResourceSet to) {
        return from.ranks().equals(to.ranks()) && from.hosts().equals(to.hosts());
    }

    public ResourceSet from() {
        return from;
    }

    public ResourceSet to() {
        return to;
    }

    /** Hosts whose rank changed, by their order in the old R. */
    public Hostlist moved() {
        Idset.Builder moved = Idset.builder();
        shifts.forEach((first, last, shift) -> {
            if (shift != 0) {
                moved.addRange(first, last);
            }
        });
        return from.hostsOf(moved.build());
    }

    /** Hosts that the new R does not have, or has fewer times. */
    public Hostlist vanished() {
        return from.hostsOf(vanished);
    }

    /** Hosts that the old R did not have, or had fewer times. */
    public Hostlist added() {
        return to.hostsOf(added);
    }

    public boolean isIdentity() {
        return vanished.isEmpty() && added.isEmpty() && moved().isEmpty();
    }

    /** The old ranks of {@link #vanished()}. */
    Idset vanishedRanks() {
        return vanished;
    }

    /** The new ranks of {@link #added()}. */
    Idset addedRanks() {
        return added;
    }

    /** The new ranks of these old ones; those of vanished hosts are left out. */
    Idset translate(Idset ranks) {
        return shift(shifts, ranks);
    }

    private static Idset shift(IdMap<Integer> shifts, Idset ranks) {
        Idset.Builder now = Idset.builder();
        shifts.forEachIn(ranks, (first, last, shift) -> now.addRange(first + shift, last + shift));
        return now.build();
    }

    private static int follow(ResourceSet from, ResourceSet to, int rank) {
        String host = from.hostOf(rank);
        Idset there = to.ranksOf(host);
        int occurrence = there.isEmpty() ? 0 : from.ranksOf(host).position(rank);
        return occurrence < there.size() ? there.nth(occurrence) : GONE;
    }

    /** Gathers ranks, which come in ascending order, into runs of the same shift. */
    private static final class Shifts {
        private IdMap<Integer> runs = IdMap.empty();
        private int first;
        private int last = -1;
        private int shift;

        void add(int rank, int by) {
            if (last < 0 || rank != last + 1 || by != shift) {
                flush();
                first = rank;
                shift = by;
            }
            last = rank;
        }

        private void flush() {
            if (last >= 0) {
                runs = runs.put(Idset.range(first, last), shift);
            }
        }

        IdMap<Integer> finish() {
            flush();
            return runs;
        }
    }
}
