package io.muster.inventory.status;

import java.util.Locale;

/** The states in which people see a host, in the order of tables. A host is in one of them, and may be offline or unknown besides. */
public enum HostState {
    AVAILABLE,
    /** A job uses the host. */
    ALLOCATED,
    OFFLINE,
    /** The reporter of the host is lost, so nobody knows whether the host is online. */
    UNKNOWN,
    TORPID,
    EXCLUDED,
    LOST,
    /** The host is drained, and a job still uses it. */
    DRAINING,
    /** The host is drained, and no job uses it as far as it is known. */
    DRAINED,
    /** R no longer names the host. */
    DEPARTED;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
