package io.muster.inventory.hostlist;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Sorts the ranges of a hostlist without expanding them; only hosts that repeat are handled one by one. */
final class HostSort {
    private static final Comparator<HostRange> ORDER = Comparator.comparing(HostRange::prefix)
            .thenComparing(HostRange::isNumbered)
            .thenComparingInt(HostSort::length)
            .thenComparingLong(HostRange::first);

    private final boolean unique;
    private final HostlistBuilder sorted = new HostlistBuilder();

    /** @param unique whether each host that repeats is kept once only */
    HostSort(boolean unique) {
        this.unique = unique;
    }

    Hostlist of(Hostlist hosts) {
        List<HostRange> pieces = new ArrayList<>();
        hosts.forEachPlain(range -> cut(range, pieces::add));
        pieces.sort(ORDER);
        int at = 0;
        while (at < pieces.size()) {
            int end = at + 1;
            while (end < pieces.size() && sameKind(pieces.get(at), pieces.get(end))) {
                end++;
            }
            merge(pieces.subList(at, end));
            at = end;
        }
        return sorted.build();
    }

    /** Cuts a range where its numbers get longer, because hosts with shorter numbers come first. */
    static void cut(HostRange range, Consumer<HostRange> pieces) {
        HostRange rest = range;
        while (rest.isNumbered() && length(rest) < HostRange.digits(rest.last())) {
            int head = (int) (HostRange.power(length(rest)) - rest.first());
            pieces.accept(rest.slice(0, head));
            rest = rest.slice(head, rest.count() - head);
        }
        pieces.accept(rest);
    }

    /** Returns the number of digits in which the first number of the range is written. */
    static int length(HostRange range) {
        return Math.max(range.width(), HostRange.digits(range.first()));
    }

    private static boolean sameKind(HostRange a, HostRange b) {
        return a.isNumbered() == b.isNumbered()
                && length(a) == length(b)
                && a.prefix().equals(b.prefix());
    }

    /**
     * Emits ranges that have the same prefix and the same length of numbers, sorted by first number. Each number is emitted
     * as often as the ranges contain it.
     */
    private void merge(List<HostRange> pieces) {
        HostRange head = pieces.get(0);
        if (!head.isNumbered()) {
            repeat(head, unique ? 1 : pieces.size());
            return;
        }
        long[] firsts = pieces.stream().mapToLong(HostRange::first).toArray();
        long[] ends = pieces.stream().mapToLong(p -> p.last() + 1).sorted().toArray();
        int opened = 0;
        int closed = 0;
        long at = firsts[0];
        while (closed < ends.length) {
            boolean opens = opened < firsts.length && firsts[opened] <= ends[closed];
            long bound = opens ? firsts[opened] : ends[closed];
            emit(head, at, bound, opened - closed);
            at = bound;
            opened += opens ? 1 : 0;
            closed += opens ? 0 : 1;
        }
    }

    private void emit(HostRange kind, long from, long to, int times) {
        if (from >= to || times == 0) {
            return;
        }
        HostRange run = new HostRange(kind.prefix(), length(kind), from, (int) (to - from), "");
        if (times == 1 || unique) {
            sorted.add(run);
            return;
        }
        for (int i = 0; i < run.count(); i++) {
            repeat(run.slice(i, 1), times);
        }
    }

    private void repeat(HostRange host, int times) {
        for (int i = 0; i < times; i++) {
            sorted.add(host);
        }
    }
}
