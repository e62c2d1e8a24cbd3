package io.muster.inventory.status;

import java.util.Locale;

/** The states in which people see a host, in the order of flux's table. */
public enum HostState {
    AVAIL,
    /** A job uses the host. */
    ALLOCATED,
    TORPID,
    EXCLUDED,
    LOST,
    /** The host is drained, and a job still uses it. */
    DRAINING,
    /** The host is drained, and no job uses it as far as it is known. */
    DRAINED;

    /** Returns the word for the state in sentences and metrics. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the word for the state in tables, options and JSON, where flux says "exclude". */
    public String label() {
        return this == EXCLUDED ? "exclude" : word();
    }
}
