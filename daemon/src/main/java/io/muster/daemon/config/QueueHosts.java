package io.muster.daemon.config;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The keys {@code queues.NAME.hosts} (RFC 33), which give their hosts the property {@code +NAME}. Muster reads no other key of
 * {@code [queues]}; the command reads some.
 *
 * @param byProperty a hostlist or "all" for each property
 */
record QueueHosts(SortedMap<String, String> byProperty) {
    private static final String HOSTS = "hosts";
    private static final String ALL = "all";

    static final QueueHosts NONE = new QueueHosts(new TreeMap<>());

    /** Reads the keys and checks that the configured R has all hosts. */
    static QueueHosts read(Table queues, ResourceSet configured) {
        SortedMap<String, String> byProperty = new TreeMap<>();
        for (String name : queues.names()) {
            Table queue = queues.section(name);
            String property = ResourceSet.INSTANCE_LOCAL + name;
            if (queue.has(HOSTS) && isValid(queue, property, configured)) {
                byProperty.put(property, queue.text(HOSTS, ALL));
            }
        }
        return new QueueHosts(byProperty);
    }

    private static boolean isValid(Table queue, String property, ResourceSet configured) {
        String fault = ResourceSet.propertyNameFault(property);
        if (queue.has("parent")) {
            queue.problem(HOSTS, "a queue with parent has the hosts of its parent: remove hosts or parent");
        } else if (queue.has("requires")) {
            queue.problem(HOSTS, "a queue has either hosts or requires: remove one of them");
        } else if (fault != null) {
            queue.problem(HOSTS, fault);
        } else if (!configured.ranks().isEmpty()) { // without hosts, another problem or warning is reported already
            return !queue.get(HOSTS, Idset.EMPTY, node -> ranks(configured, Table.textOf(node)))
                    .isEmpty();
        }
        return false;
    }

    private static Idset ranks(ResourceSet set, String text) {
        Idset ranks = text.equals(ALL) ? set.ranks() : set.ranksOf(Hostlist.parse(text));
        Table.require(!ranks.isEmpty(), "names no host: expected a hostlist or \"all\"");
        return ranks;
    }

    /**
     * Returns the set with the properties of the queues. Ranks that R itself gives such a property lose it. Hosts that the set
     * does not have are ignored.
     */
    ResourceSet applyTo(ResourceSet set) {
        ResourceSet result = set;
        for (Map.Entry<String, String> queue : byProperty.entrySet()) {
            String hosts = queue.getValue();
            Idset ranks = hosts.equals(ALL) ? set.ranks() : set.ranksOfKnown(Hostlist.parse(hosts));
            result = result.replaceProperty(queue.getKey(), ranks);
        }
        return result;
    }

    /** Returns the set without the properties of the queues. */
    ResourceSet removeFrom(ResourceSet set) {
        ResourceSet result = set;
        for (String property : byProperty.keySet()) {
            result = result.replaceProperty(property, Idset.EMPTY);
        }
        return result;
    }
}
