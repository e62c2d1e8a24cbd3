package io.muster.inventory.rset;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.hostlist.Listing;
import io.muster.inventory.idset.Idset;
import org.jspecify.annotations.Nullable;

/** Thrown if a text names ranks, hosts or a property that the resource set does not have. The message lists all of them. */
public final class TargetException extends IllegalArgumentException {
    /** The number of characters of a list in a sentence. */
    private static final int LONGEST = 1000;

    private final transient Idset missingRanks;
    private final transient Hostlist missingHosts;
    private final @Nullable String missingProperty;

    private TargetException(
            String message, Idset missingRanks, Hostlist missingHosts, @Nullable String missingProperty) {
        super(message);
        this.missingRanks = missingRanks;
        this.missingHosts = missingHosts;
        this.missingProperty = missingProperty;
    }

    static TargetException ranks(Idset missing, Idset known) {
        String list = Listing.RANKS.cut(missing.toString(), LONGEST);
        String subject = missing.size() == 1 ? "rank " + list + " is" : "ranks " + list + " are";
        String has =
                known.isEmpty() ? "which has no ranks" : "which has " + Listing.RANKS.cut(known.toString(), LONGEST);
        return new TargetException(subject + " not in the resource set, " + has, missing, Hostlist.EMPTY, null);
    }

    static TargetException hosts(Hostlist missing) {
        String list = Listing.HOSTS.cut(missing.toString(), LONGEST);
        String subject = missing.size() == 1 ? "host " + list + " is" : "hosts " + list + " are";
        return new TargetException(subject + " not in the resource set", Idset.EMPTY, missing, null);
    }

    public static TargetException property(String missing) {
        return new TargetException("no host has the property " + missing, Idset.EMPTY, Hostlist.EMPTY, missing);
    }

    public Idset missingRanks() {
        return missingRanks;
    }

    public Hostlist missingHosts() {
        return missingHosts;
    }

    public @Nullable String missingProperty() {
        return missingProperty;
    }
}
