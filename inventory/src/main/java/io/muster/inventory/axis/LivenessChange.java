package io.muster.inventory.axis;

import java.util.Locale;

/** A report that ranks are online, offline or torpid. The words of the changes are the names of RFC 44's events. */
public enum LivenessChange {
    ONLINE(Liveness.Status.ONLINE),
    OFFLINE(Liveness.Status.OFFLINE),
    TORPID(Liveness.Status.TORPID),
    /** The ranks were torpid (silent for some time) and have been heard from again, so they are online. */
    LIVELY(Liveness.Status.ONLINE);

    private final Liveness.Status status;

    LivenessChange(Liveness.Status status) {
        this.status = status;
    }

    /**
     * Returns the change with this word.
     *
     * @throws IllegalArgumentException if no change has this word
     */
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
