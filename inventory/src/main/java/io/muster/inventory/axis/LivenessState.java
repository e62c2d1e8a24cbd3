package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a rank is online, since when, and why.
 *
 * @param since seconds since the epoch
 * @param cause "" if none was given
 * @param absent when the absence of a rank that is not online began, or the one before it came online; 0 if none was reported, or if
 *     policies have done what they do about it
 * @param extras members that another version wrote and this version does not know
 */
public record LivenessState(Liveness.Status status, double since, String cause, double absent, Extras extras) {
    /** The cause of the liveness that a host has from a new R until somebody reports something else. */
    public static final String DEFINED = "defined";

    /** What is shown for {@link #DEFINED}. */
    public static final String ASSUMED = "assumed, no report since R was defined";

    private static final Set<String> KEYS = Set.of("idset", "nodelist", "status", "since", "cause", "absent");

    public LivenessState(Liveness.Status status, double since, String cause) {
        this(status, since, cause, 0, Extras.NONE);
    }

    /** Returns the cause as documents, tables and history show it. */
    public String reason() {
        return cause.equals(DEFINED) ? ASSUMED : cause;
    }

    /** Returns the same state with the cause that a reporter has reported it. */
    LivenessState reportedBy(String reporter) {
        return new LivenessState(status, since, "reported by " + reporter, absent, extras);
    }

    /** Returns this state after another one: an absence begins, goes on or has ended. */
    LivenessState after(@Nullable LivenessState before) {
        boolean wasOnline = before != null && before.status == Liveness.Status.ONLINE;
        boolean isOnline = status == Liveness.Status.ONLINE;
        double began = wasOnline ? isOnline ? 0 : since : before == null ? 0 : before.absent;
        return new LivenessState(status, since, cause, began, extras);
    }

    /** Returns the same state without an absence about which something is to be done. */
    LivenessState settled() {
        return new LivenessState(status, since, cause, 0, extras);
    }

    /** Reads a state from an object that also names its ranks. */
    public static LivenessState read(Fields in) {
        return new LivenessState(
                Liveness.Status.read(in, "status"),
                Epoch.seconds(in, "since"),
                in.text("cause"),
                Epoch.instantOr(in, "absent", 0),
                Extras.besides(in, KEYS));
    }

    /** Writes the members into the current JSON object. */
    public void write(JsonGenerator out) throws IOException {
        out.writeStringField("status", status.word());
        Epoch.write(out, "since", since);
        out.writeStringField("cause", cause);
        if (absent > 0) {
            Epoch.write(out, "absent", absent);
        }
        extras.write(out);
    }

    // These methods are written out for speed, as Principal explains.

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof LivenessState that
                && status == that.status
                && Double.compare(since, that.since) == 0
                && cause.equals(that.cause)
                && Double.compare(absent, that.absent) == 0
                && extras.equals(that.extras);
    }

    @Override
    public int hashCode() {
        return 31 * status.hashCode() + Double.hashCode(since);
    }
}
