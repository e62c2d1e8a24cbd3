package io.muster.inventory.rset;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;

/**
 * A difference between the resources that ranks have and the resources that they are expected to have.
 *
 * @param hosts actual hosts of the ranks
 * @param sentence the sentence that {@code flux R verify} prints
 */
public record Difference(Kind kind, Idset ranks, Hostlist hosts, String sentence) {
    /** The kinds of difference, in the order in which differences are reported. */
    public enum Kind {
        UNKNOWN_RANK,
        HOSTNAME,
        MISSING,
        EXTRA
    }

    /** Returns whether expected resources are missing. Resources that were not expected are reported, but they are not fatal. */
    public boolean isFatal() {
        return kind != Kind.EXTRA;
    }

    @Override
    public String toString() {
        return sentence;
    }
}
