package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Note.Fact;
import io.muster.inventory.axis.Times;
import io.muster.inventory.graph.Extended;
import io.muster.inventory.idset.Idset;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a reporter, such as the bridge, said about the marks that its scheduler has been sent.
 *
 * @param time the scheduler was sent all marks that existed at this time, in seconds since the epoch; 0 if none yet
 * @param takes whether the scheduler takes marks at all
 * @param refused the places of the marks that the scheduler refused, as {@link Marks#paths} names places
 */
public record SchedulerMarks(double time, boolean takes, SortedSet<String> refused) {
    private static final String TAKEN = "taken";

    public SchedulerMarks(double time, boolean takes, List<String> refused) {
        this(time, takes, new TreeSet<>(refused));
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("takes", takes)
                .put("time", time <= 0 ? null : Times.rfc3339(time));
        ArrayNode places = json.putArray("refused");
        refused.forEach(places::add);
        return json;
    }

    /**
     * Returns what schedulers make of a mark, or null if nobody reports it or if no scheduler is sent such a mark.
     *
     * @param ranks the rank that the vertex belongs to, or the ranks below it
     * @param place the place of the mark, as {@link Marks#paths} names places
     */
    static @Nullable String of(List<JobUsage> usage, Idset ranks, String place, Fact mark) {
        String found = null;
        for (JobUsage each : usage) {
            SchedulerMarks marks = each.marks();
            if (marks != null
                    && mark.value().equals(Extended.DOWN)
                    && each.ranks().intersects(ranks)) {
                String word = marks.word(place, mark);
                found = found == null || found.equals(TAKEN) ? word : found;
            }
        }
        return found;
    }

    private String word(String place, Fact mark) {
        if (!takes) {
            return "ignored";
        }
        return refused.contains(place) ? "refused" : mark.since() <= time ? TAKEN : "unsent";
    }
}
