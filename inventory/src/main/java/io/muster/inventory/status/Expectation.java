package io.muster.inventory.status;

import io.muster.inventory.graph.Extended;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.SchedulerView;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a scheduler should believe: what it was sent in its stream, and the marks.
 *
 * @param state the inventory, which has the marks
 * @param sent the view that the scheduler was last sent
 * @param offered the ranks that the scheduler was sent and that have not been shrunk since
 */
public record Expectation(InventoryState state, SchedulerView sent, Idset offered) {
    /** The parts of hosts that R names, so that each scheduler can say whether they are down. */
    private static final Pattern PART = Pattern.compile("(?:.*/)?((?:core|gpu)\\d+)");

    /**
     * Returns in which respects a belief differs from this expectation, with the ranks.
     *
     * @param marked the ranks below vertices that are marked "down", such as racks: the scheduler may have them down
     */
    public SortedMap<Divergence, Idset> compare(Belief belief, Idset marked) {
        SortedMap<Divergence, Idset> found = new TreeMap<>();
        Idset known = offered.intersect(belief.known());
        Idset down = belief.down().intersect(known);
        Divergence.add(found, Divergence.Kind.UNKNOWN, "", offered.subtract(known));
        Divergence.add(found, Divergence.Kind.UP, "", known.subtract(down).subtract(sent.up()));
        Divergence.add(
                found, Divergence.Kind.DOWN, "", down.intersect(sent.up()).subtract(marked));
        SortedMap<String, Idset> parts = belief.parts();
        if (parts != null) {
            compareParts(found, parts, known.subtract(down).subtract(marked));
        }
        SortedSet<String> names = new TreeSet<>(belief.properties().keySet());
        names.addAll(sent.properties().keySet());
        for (String name : names) {
            Idset want = sent.properties().getOrDefault(name, Idset.EMPTY).intersect(known);
            Idset have = belief.properties().getOrDefault(name, Idset.EMPTY).intersect(known);
            Divergence.add(found, Divergence.Kind.LACKS_PROPERTY, name, want.subtract(have));
            Divergence.add(found, Divergence.Kind.HAS_PROPERTY, name, have.subtract(want));
        }
        return found;
    }

    /**
     * Compares the cores and GPUs that are down. A host with a mark on another part is left out, because R does not say what is below
     * that part.
     */
    private void compareParts(SortedMap<Divergence, Idset> found, SortedMap<String, Idset> parts, Idset among) {
        SortedMap<String, Idset> wanted = new TreeMap<>();
        Idset left = among;
        for (var marks : Marks.of(state.notes())
                .places()
                .getOrDefault(Extended.DOWN, Collections.emptySortedMap())
                .entrySet()) {
            Matcher part = PART.matcher(marks.getKey());
            if (part.matches()) {
                wanted.merge(part.group(1), marks.getValue(), Idset::union);
            } else if (!marks.getKey().isEmpty()) {
                left = left.subtract(marks.getValue());
            }
        }
        SortedSet<String> names = new TreeSet<>(parts.keySet());
        names.addAll(wanted.keySet());
        for (String name : names) {
            Idset want = wanted.getOrDefault(name, Idset.EMPTY).intersect(left);
            Idset have = parts.getOrDefault(name, Idset.EMPTY).intersect(left);
            Divergence.add(found, Divergence.Kind.UNMARKED, name, want.subtract(have));
            Divergence.add(found, Divergence.Kind.MARKED, name, have.subtract(want));
        }
    }

    /**
     * Returns the hosts with jobs that the scheduler should not have begun.
     *
     * @param idle the ranks that no job used after they were drained
     */
    public SortedMap<Divergence, Idset> jobs(Idset allocated, Idset idle) {
        SortedMap<Divergence, Idset> found = new TreeMap<>();
        Divergence.add(found, Divergence.Kind.ALLOCATED_LOST, "", allocated.intersect(sent.lost()));
        Divergence.add(found, Divergence.Kind.ALLOCATED_DRAINED, "", allocated.intersect(idle));
        return found;
    }
}
