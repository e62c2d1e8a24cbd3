package io.muster.inventory.status;

import io.muster.inventory.idset.Idset;
import java.util.List;

/**
 * What a reporter last said about jobs. It is not journaled, and it is forgotten when the reporter's connection ends.
 *
 * @param ranks the ranks that the reporter reports for; the usage of other ranks is unknown
 * @param allocated the ranks of {@code ranks} that jobs use
 * @param time when the reporter said it, in seconds since the epoch
 */
public record JobUsage(String reporter, Idset ranks, Idset allocated, double time) {
    /** Returns the ranks that jobs use according to any reporter. */
    public static Idset allocated(List<JobUsage> all) {
        return all.stream().map(JobUsage::allocated).reduce(Idset.EMPTY, Idset::union);
    }

    /** Returns whether it is known of each of these ranks that no job uses it. */
    public static boolean areIdle(List<JobUsage> all, Idset ranks) {
        Idset known = all.stream().map(JobUsage::ranks).reduce(Idset.EMPTY, Idset::union);
        return known.containsAll(ranks) && allocated(all).intersect(ranks).isEmpty();
    }
}
