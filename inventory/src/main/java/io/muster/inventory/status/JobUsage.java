package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last report of a reporter about jobs. The report is not journaled, and it is forgotten when the reporter's connection
 * ends.
 *
 * @param ranks the ranks that the reporter reports for; the usage of other ranks is unknown
 * @param allocated the ranks of {@code ranks} that jobs use
 * @param time when the reporter sent it, in seconds since the epoch
 * @param marks what the reporter said about marks; null if nothing
 * @param properties the properties that wait until the reporter's scheduler is loaded again; null if none do
 */
public record JobUsage(
        String reporter,
        Idset ranks,
        Idset allocated,
        double time,
        @Nullable SchedulerMarks marks,
        @Nullable WaitingProperties properties) {
    public JobUsage(String reporter, Idset ranks, Idset allocated, double time) {
        this(reporter, ranks, allocated, time, null, null);
    }

    /** Returns the ranks that jobs use according to any reporter. */
    public static Idset allocated(List<JobUsage> all) {
        return Idset.unionOf(all.stream().map(JobUsage::allocated));
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("reporter", reporter)
                .put("time", Times.rfc3339(time))
                .put("ranks", ranks.toString())
                .put("allocated", allocated.toString());
        if (marks != null) {
            json.set("marks", marks.toJson());
        }
        if (properties != null) {
            json.set("properties", properties.toJson());
        }
        return json;
    }

    /** Returns whether it is known of each of these ranks that no job uses it. */
    public static boolean areIdle(List<JobUsage> all, Idset ranks) {
        Idset known = Idset.unionOf(all.stream().map(JobUsage::ranks));
        return known.containsAll(ranks) && allocated(all).intersect(ranks).isEmpty();
    }
}
