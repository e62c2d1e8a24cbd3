package io.muster.daemon.config;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The table {@code [queues]} (RFC 33). The key {@code queues.NAME.hosts} gives its hosts the property {@code +NAME}. The rules of RFC 33
 * for {@code parent}, {@code requires} and {@code policy} are checked, because the command selects hosts by queue.
 *
 * @param byProperty a hostlist or "all" for each property
 */
record QueueHosts(SortedMap<String, String> byProperty) {
    private static final String HOSTS = "hosts";
    private static final String PARENT = "parent";
    private static final String REQUIRES = "requires";
    private static final String POLICY = "policy";
    private static final String SCHEDULER = "scheduler";
    private static final String ALL = "all";

    static final QueueHosts NONE = new QueueHosts(new TreeMap<>());

    /** Reads and checks the table, and checks that the configured R has all hosts. */
    static QueueHosts read(ConfigTable queues, ResourceSet configured) {
        SortedMap<String, String> byProperty = new TreeMap<>();
        List<String> real = queues.names().stream()
                .filter(name -> !queues.json(name).has(PARENT))
                .toList();
        for (String name : queues.names()) {
            ConfigTable queue = queues.section(name);
            String property = ResourceSet.INSTANCE_LOCAL + name;
            if (!queues.json(name).isObject()) {
                queues.problem(name, "expected a table");
            } else if (isConsistent(queue, name, queues, real)
                    && queue.has(HOSTS)
                    && isValid(queue, property, configured)) {
                byProperty.put(property, queue.text(HOSTS, ALL));
            }
        }
        return new QueueHosts(byProperty);
    }

    /** Whether a queue has its hosts in one way only. Reports every fault. */
    private static boolean isConsistent(ConfigTable queue, String name, ConfigTable queues, List<String> real) {
        queue.texts(REQUIRES).stream()
                .map(property -> property.startsWith("^") ? property.substring(1) : property)
                .flatMap(property -> Stream.ofNullable(ResourceSet.propertyNameFault(property)))
                .forEach(fault -> queue.problem(REQUIRES, fault));
        ConfigTable policy = queue.table(POLICY);
        if (!queue.has(PARENT)) {
            boolean both = queue.has(HOSTS) && queue.has(REQUIRES);
            if (both) {
                queue.problem(HOSTS, "a queue has either hosts or requires: remove one of them");
            }
            return !both;
        }
        queue.get(PARENT, "", node -> parent(ConfigTable.textOf(node), name, queues, real));
        for (String key : List.of(HOSTS, REQUIRES)) {
            if (queue.has(key)) {
                queue.problem(key, "a queue with parent has the hosts of its parent: remove " + key + " or parent");
            }
        }
        if (policy.has(SCHEDULER)) {
            policy.problem(
                    SCHEDULER, "the jobs of a queue with parent are scheduled with those of its parent: remove it");
        }
        return false;
    }

    private static String parent(String parent, String name, ConfigTable queues, List<String> real) {
        ConfigTable.require(!parent.equals(name), "a queue cannot be its own parent");
        ConfigTable.require(
                queues.has(parent),
                "there is no queue \"" + parent + "\": expected the name of a queue without parent"
                        + Key.suggestion(parent, real));
        ConfigTable.require(
                real.contains(parent),
                "the queue \"" + parent + "\" has a parent itself: expected the name of a queue without parent");
        return parent;
    }

    private static boolean isValid(ConfigTable queue, String property, ResourceSet configured) {
        String fault = ResourceSet.propertyNameFault(property);
        if (fault != null) {
            queue.problem(HOSTS, fault);
        } else if (!configured.ranks().isEmpty()) { // without hosts, another problem or warning is reported already
            return !queue.get(HOSTS, Idset.EMPTY, node -> ranks(configured, ConfigTable.textOf(node)))
                    .isEmpty();
        }
        return false;
    }

    private static Idset ranks(ResourceSet set, String text) {
        Idset ranks = text.equals(ALL) ? set.ranks() : set.ranksOf(Hostlist.parse(text));
        ConfigTable.require(!ranks.isEmpty(), "names no host: expected a hostlist or \"all\"");
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
