package io.muster.inventory.axis;

import java.util.Locale;

/** What somebody reports about the liveness of ranks. The words are the names of RFC 44's events. */
public enum LivenessChange {
    ONLINE(Liveness.Status.ONLINE),
    OFFLINE(Liveness.Status.OFFLINE),
    TORPID(Liveness.Status.TORPID),
    /** Torpid ranks are heard from again, so they are online. */
    LIVELY(Liveness.Status.ONLINE);

    private final Liveness.Status status;

    LivenessChange(Liveness.Status status) {
        this.status = status;
    }

    /** @throws IllegalArgumentException if no change has this word */
    public static LivenessChange of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the status after the change. */
    public Liveness.Status status() {
        return status;
    }
}
