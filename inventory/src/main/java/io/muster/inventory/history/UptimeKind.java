package io.muster.inventory.history;

import java.util.Locale;

/**
 * What a host was to schedulers at a time, for sums over time. A host that is several of these counts as the last one, as in the
 * other views of the state of a host.
 */
public enum UptimeKind {
    AVAILABLE(0),
    TORPID(1),
    OFFLINE(2),
    UNKNOWN(3),
    /** Drained for maintenance only: every hold on the host is planned. */
    PLANNED(4),
    DRAINED(5),
    EXCLUDED(6),
    LOST(7),
    /** The host was in R before a part of the journal that is damaged, and no later state is known yet. */
    UNRECORDED(8);

    /** The code of a host that is not in R. */
    static final int ABSENT = 0;

    /** The highest number of classes of holds that codes tell apart; further classes count as no class. */
    static final int MOST_CLASSES = 1 << 16;

    private static final int BITS = 4;
    private static final UptimeKind[] ALL = values();

    private final int index;

    UptimeKind(int index) {
        this.index = index;
    }

    /** Returns the place in arrays, which is part of the codes on disk. */
    int index() {
        return index;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the number for this standing and a class of holds. */
    int code(int holdClass) {
        return index + 1 + (holdClass << BITS);
    }

    /** Returns the standing of a code other than {@link #ABSENT}. */
    static UptimeKind of(int code) {
        return ALL[(code & ((1 << BITS) - 1)) - 1];
    }

    static int holdClass(int code) {
        return code >>> BITS;
    }

    /** Returns whether the host was out and nobody had planned it. */
    boolean isOutage() {
        return this == TORPID || this == OFFLINE || this == DRAINED || this == LOST;
    }

    /** Returns whether it is not known if an outage before this time has ended. */
    boolean isUnclear() {
        return this == UNKNOWN || this == UNRECORDED;
    }
}
