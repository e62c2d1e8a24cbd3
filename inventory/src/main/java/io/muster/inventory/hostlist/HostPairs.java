package io.muster.inventory.hostlist;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Pairs the hosts of two lists: the nth occurrence of a name in one list with its nth occurrence in the other. Runs of similar
 * names are sorted in both lists and compared together; a run is split only where hosts repeat.
 */
final class HostPairs {
    private final Map<Kind, List<Run>> mine;
    private final Map<Kind, List<Run>> theirs;

    HostPairs(Hostlist mine, Hostlist theirs) {
        this.mine = runs(mine);
        this.theirs = runs(theirs);
    }

    /**
     * A class of names that differ only in their number.
     *
     * @param length digits of each number; 0 for a host without a number
     */
    private record Kind(String prefix, int length) {}

    /** Consecutive hosts of one kind. The first of them is at index {@code at} of its list. */
    private record Run(long first, int count, int at) {
        long end() {
            return first + count;
        }

        /** Returns the index, in the list, of the host with this number. */
        int place(long number) {
            return at + (int) (number - first);
        }

        Run part(long from, long to) {
            return new Run(from, (int) (to - from), place(from));
        }
    }

    void forEach(MatchConsumer c) {
        mine.forEach((kind, runs) -> {
            List<Run> theirRuns = theirs.get(kind);
            if (theirRuns != null) {
                forEach(disjoint(runs), disjoint(theirRuns), c);
            }
        });
    }

    private static void forEach(List<Run> mine, List<Run> theirs, MatchConsumer c) {
        int i = 0;
        int j = 0;
        while (i < mine.size() && j < theirs.size()) {
            Run a = mine.get(i);
            Run b = theirs.get(j);
            long from = Math.max(a.first, b.first);
            long to = Math.min(a.end(), b.end());
            for (int n = 0; from < to && isNth(n, mine, i) && isNth(n, theirs, j); n++) {
                c.accept(mine.get(i + n).place(from), theirs.get(j + n).place(from), (int) (to - from));
            }
            if (a.end() <= b.end()) {
                i = next(mine, i);
            } else {
                j = next(theirs, j);
            }
        }
    }

    /** Returns whether the list has the hosts of {@code run} again, {@code n} runs later. */
    private static boolean isNth(int n, List<Run> runs, int run) {
        return run + n < runs.size() && runs.get(run + n).first == runs.get(run).first;
    }

    private static int next(List<Run> runs, int run) {
        int n = 1;
        while (isNth(n, runs, run)) {
            n++;
        }
        return run + n;
    }

    private static Map<Kind, List<Run>> runs(Hostlist hosts) {
        Map<Kind, List<Run>> runs = new HashMap<>();
        int[] at = {0};
        hosts.forEachPlain(range -> HostSort.cut(range, piece -> {
            Kind kind = new Kind(piece.prefix(), piece.isNumbered() ? HostSort.length(piece) : 0);
            runs.computeIfAbsent(kind, k -> new ArrayList<>()).add(new Run(piece.first(), piece.count(), at[0]));
            at[0] += piece.count();
        }));
        return runs;
    }

    /**
     * Sorts runs by number, and runs of the same hosts by index, and splits them so that two runs either share all hosts or
     * none.
     */
    private static List<Run> disjoint(List<Run> runs) {
        sort(runs);
        List<Run> disjoint = new ArrayList<>(runs.size());
        int from = 0;
        while (from < runs.size()) {
            int to = from + 1;
            long reach = runs.get(from).end();
            while (to < runs.size() && runs.get(to).first < reach) {
                reach = Math.max(reach, runs.get(to).end());
                to++;
            }
            if (to == from + 1) {
                disjoint.add(runs.get(from));
            } else {
                disjoint.addAll(split(runs.subList(from, to)));
            }
            from = to;
        }
        return disjoint;
    }

    private static void sort(List<Run> runs) {
        runs.sort((a, b) -> a.first == b.first ? Integer.compare(a.at, b.at) : Long.compare(a.first, b.first));
    }

    /** Cuts each run where another run begins or ends. */
    private static List<Run> split(List<Run> runs) {
        long[] cuts = runs.stream()
                .flatMapToLong(run -> LongStream.of(run.first, run.end()))
                .sorted()
                .distinct()
                .toArray();
        List<Run> pieces = new ArrayList<>();
        for (Run run : runs) {
            int cut = Arrays.binarySearch(cuts, run.first);
            for (; cuts[cut] < run.end(); cut++) {
                pieces.add(run.part(cuts[cut], cuts[cut + 1]));
            }
        }
        sort(pieces);
        return pieces;
    }
}
