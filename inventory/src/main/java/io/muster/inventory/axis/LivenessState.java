package io.muster.inventory.axis;

import io.muster.inventory.json.Extras;
import org.jspecify.annotations.Nullable;

/**
 * Whether a rank is online, since when, and why.
 *
 * @param since seconds since the epoch
 * @param cause "" if none was given
 * @param extras members that another version wrote and this version does not know
 */
public record LivenessState(Liveness.Status status, double since, String cause, Extras extras) {
    public LivenessState(Liveness.Status status, double since, String cause) {
        this(status, since, cause, Extras.NONE);
    }

    // These methods are written out for speed, as Principal explains.

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof LivenessState that
                && status == that.status
                && Double.compare(since, that.since) == 0
                && cause.equals(that.cause)
                && extras.equals(that.extras);
    }

    @Override
    public int hashCode() {
        return 31 * status.hashCode() + Double.hashCode(since);
    }
}
