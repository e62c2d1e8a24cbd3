package io.muster.inventory.rset;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import org.jspecify.annotations.Nullable;

/** Thrown if a text names ranks, hosts or a property that the resource set does not have. The message lists all of them. */
public final class TargetException extends IllegalArgumentException {
    private final transient Hostlist missingHosts;
    private final @Nullable String missingProperty;

    private TargetException(String message, Hostlist missingHosts, @Nullable String missingProperty) {
        super(message);
        this.missingHosts = missingHosts;
        this.missingProperty = missingProperty;
    }

    static TargetException ranks(Idset missing, Idset known) {
        String subject = missing.size() == 1 ? "rank " + missing + " is" : "ranks " + missing + " are";
        String has = known.isEmpty() ? "which has no ranks" : "which has " + known;
        return new TargetException(subject + " not in the resource set, " + has, Hostlist.EMPTY, null);
    }

    static TargetException hosts(Hostlist missing) {
        String subject = missing.size() == 1 ? "host " + missing + " is" : "hosts " + missing + " are";
        return new TargetException(subject + " not in the resource set", missing, null);
    }

    public static TargetException property(String missing) {
        return new TargetException("no host has the property " + missing, Hostlist.EMPTY, missing);
    }

    public Hostlist missingHosts() {
        return missingHosts;
    }

    public @Nullable String missingProperty() {
        return missingProperty;
    }
}
