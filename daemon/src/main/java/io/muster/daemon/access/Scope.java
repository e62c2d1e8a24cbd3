package io.muster.daemon.access;

import io.muster.daemon.config.Grant;
import io.muster.inventory.hostlist.Hostlist;
import java.util.Set;

/**
 * What the rights of a user cover.
 *
 * @param holders the holders that the right {@code hold} covers
 * @param hosts hostlists of the hosts that the right {@code report-check} covers, or {@link Grant#ALL}
 */
public record Scope(Set<String> holders, Set<String> hosts) {
    public static final Scope NONE = new Scope(Set.of(), Set.of());

    public Scope {
        holders = Set.copyOf(holders);
        hosts = Set.copyOf(hosts);
    }

    /** Returns a scope without hosts. */
    public static Scope of(Set<String> holders) {
        return new Scope(holders, Set.of());
    }

    boolean hasHost(String host) {
        return hosts.contains(Grant.ALL)
                || hosts.stream().anyMatch(each -> Hostlist.parse(each).contains(host));
    }

    /** Returns whether this host is the only one. */
    boolean isHost(String host) {
        return !hosts.isEmpty()
                && !hosts.contains(Grant.ALL)
                && hosts.stream()
                        .allMatch(
                                each -> Hostlist.parse(each).unique().toString().equals(host));
    }

    boolean includes(Scope other) {
        return holders.containsAll(other.holders) && hosts.containsAll(other.hosts);
    }
}
