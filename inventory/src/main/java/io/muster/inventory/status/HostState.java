package io.muster.inventory.status;

import java.util.Locale;

/** The states in which people see a host, in the order of flux's table. */
public enum HostState {
    AVAIL,
    TORPID,
    EXCLUDED,
    LOST,
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
