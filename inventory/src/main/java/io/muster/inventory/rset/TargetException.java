package io.muster.inventory.rset;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.hostlist.Listing;
import io.muster.inventory.idset.Idset;
import org.jspecify.annotations.Nullable;

/** Thrown if a text names ranks, hosts or a property that the resource set does not have. The message lists them, as far as it has room. */
public final class TargetException extends IllegalArgumentException {
    /** The number of characters of a list in a sentence. */
    private static final int LONGEST = 1000;

    private final transient Hostlist missingHosts;
    private final @Nullable String missingProperty;
    private final boolean mixed;

    /** Returns the fault of a list with hosts that contains ranks. */
    public static TargetException mixed(Hostlist missing) {
        String list = Listing.HOSTS.cut(missing.toString(), LONGEST);
        return new TargetException(
                "ranks and hosts cannot be mixed: no host is named " + list + "; name only ranks, or only hosts",
                missing,
                null,
                true);
    }

    private TargetException(String message, Hostlist missingHosts, @Nullable String missingProperty) {
        this(message, missingHosts, missingProperty, false);
    }

    private TargetException(String message, Hostlist missingHosts, @Nullable String missingProperty, boolean mixed) {
        super(message);
        this.mixed = mixed;
        this.missingHosts = missingHosts;
        this.missingProperty = missingProperty;
    }

    static TargetException ranks(Idset missing, Idset known) {
        String list = Listing.RANKS.cut(missing.toString(), LONGEST);
        String subject = missing.size() == 1 ? "rank " + list + " is" : "ranks " + list + " are";
        String has =
                known.isEmpty() ? "which has no ranks" : "which has " + Listing.RANKS.cut(known.toString(), LONGEST);
        return new TargetException(subject + " not in the resource set, " + has, Hostlist.EMPTY, null);
    }

    static TargetException hosts(Hostlist missing) {
        String list = Listing.HOSTS.cut(missing.toString(), LONGEST);
        String subject = missing.size() == 1 ? "host " + list + " is" : "hosts " + list + " are";
        return new TargetException(subject + " not in the resource set", missing, null);
    }

    /** Returns the fault of hosts of which nothing is known, not even that they have left. */
    public static TargetException neverNamed(Hostlist missing) {
        String list = Listing.HOSTS.cut(missing.toString(), LONGEST);
        return new TargetException("neither R nor any event that is known names " + list, missing, null);
    }

    public static TargetException property(String missing) {
        return new TargetException("no host has the property " + missing, Hostlist.EMPTY, missing);
    }

    /** Returns whether the text is wrong in every resource set, because it mixes ranks and hosts. */
    public boolean isMixed() {
        return mixed;
    }

    public Hostlist missingHosts() {
        return missingHosts;
    }

    public @Nullable String missingProperty() {
        return missingProperty;
    }
}
