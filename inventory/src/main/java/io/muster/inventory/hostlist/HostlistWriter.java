package io.muster.inventory.hostlist;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes RFC 29 text. Readers disagree about leading zeros in brackets: in the RFC the width of the first element counts for
 * all elements, in flux-core each element has its own width. Therefore the writer puts into one pair of brackets only
 * numbers that mean the same to both.
 */
final class HostlistWriter {
    private final StringBuilder text = new StringBuilder();
    /** The ranges in the pair of brackets that is being written. */
    private final List<HostRange> shared = new ArrayList<>();
    /** The last range that was added; the next range may continue it. */
    private @Nullable HostRange pending;

    /** Adds a range without suffix. */
    void add(HostRange range) {
        if (pending != null && pending.joins(range)) {
            pending = pending.join(range);
            return;
        }
        settle();
        pending = range;
    }

    String text() {
        settle();
        expression();
        return text.toString();
    }

    private void settle() {
        if (pending == null) {
            return;
        }
        if (!shared.isEmpty() && !sharesBrackets(shared.get(0), pending)) {
            expression();
        }
        shared.add(pending);
        pending = null;
    }

    private static boolean sharesBrackets(HostRange head, HostRange next) {
        return head.isNumbered()
                && next.isNumbered()
                && head.reads(next)
                && head.prefix().equals(next.prefix());
    }

    private void expression() {
        if (shared.isEmpty()) {
            return;
        }
        HostRange head = shared.get(0);
        text.append(text.length() > 0 ? "," : "").append(head.prefix());
        if (head.isNumbered()) {
            boolean bracketed = shared.size() > 1 || head.count() > 1;
            text.append(bracketed ? "[" : "");
            numbers();
            text.append(bracketed ? "]" : "");
        }
        shared.clear();
    }

    private void numbers() {
        String separator = "";
        for (HostRange range : shared) {
            text.append(separator).append(range.number(range.first()));
            if (range.count() > 1) {
                text.append('-').append(range.number(range.last()));
            }
            separator = ",";
        }
    }
}
