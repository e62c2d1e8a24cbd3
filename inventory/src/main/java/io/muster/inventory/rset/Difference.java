package io.muster.inventory.rset;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;

/**
 * How the resources that ranks turned out to have differ from those expected of them.
 *
 * @param hosts the hosts that the ranks turned out to be
 * @param sentence as {@code flux R verify} puts it
 */
public record Difference(Kind kind, Idset ranks, Hostlist hosts, String sentence) {
    /** In the order in which they are reported. */
    public enum Kind {
        UNKNOWN_RANK,
        HOSTNAME,
        MISSING,
        EXTRA
    }

    /** Resources in excess are reported, but nothing that was promised is lacking. */
    public boolean isFatal() {
        return kind != Kind.EXTRA;
    }

    @Override
    public String toString() {
        return sentence;
    }
}
