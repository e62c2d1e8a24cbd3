package io.muster.daemon.config;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;

/**
 * The key {@code queues.NAME.hosts} (RFC 33), which gives its hosts the property {@code +NAME}. Muster reads no other key of {@code
 * [queues]}; the command reads some.
 */
final class QueueHosts {
    private static final String HOSTS = "hosts";

    private QueueHosts() {}

    /** Returns the set with the properties of all queues. Ranks that R itself gives such a property lose it. */
    static ResourceSet apply(Table queues, ResourceSet set) {
        ResourceSet result = set;
        for (String name : queues.names()) {
            Table queue = queues.section(name);
            if (queue.has(HOSTS)) {
                result = apply(name, queue, result);
            }
        }
        return result;
    }

    private static ResourceSet apply(String name, Table queue, ResourceSet set) {
        String property = ResourceSet.INSTANCE_LOCAL + name;
        String fault = ResourceSet.propertyNameFault(property);
        if (queue.has("parent")) {
            queue.problem(HOSTS, "a queue with parent has the hosts of its parent: remove hosts or parent");
        } else if (queue.has("requires")) {
            queue.problem(HOSTS, "a queue has either hosts or requires: remove one of them");
        } else if (fault != null) {
            queue.problem(HOSTS, fault);
        } else if (!set.ranks().isEmpty()) { // without hosts, another problem or warning is reported already
            return set.replaceProperty(property, queue.get(HOSTS, Idset.EMPTY, node -> ranks(set, Table.textOf(node))));
        }
        return set;
    }

    private static Idset ranks(ResourceSet set, String text) {
        Idset ranks = text.equals("all") ? set.ranks() : set.ranksOf(Hostlist.parse(text));
        Table.require(!ranks.isEmpty(), "names no host: expected a hostlist or \"all\"");
        return ranks;
    }
}
