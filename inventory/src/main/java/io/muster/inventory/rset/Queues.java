package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The queues of a Flux configuration. A queue consists of the hosts that have certain properties, or lack them if the name begins with
 * {@code ^}. The hosts that the key {@code hosts} of a queue names have the property {@code +NAME} (RFC 33).
 *
 * @param requires required properties by queue; empty for all hosts
 * @param virtual names of the queues that share another queue's hosts (RFC 33)
 */
public record Queues(Map<String, List<String>> requires, Set<String> virtual) {
    public static final Queues NONE = new Queues(Map.of(), Set.of());

    /** Reads the table {@code [queues]} of a configuration. */
    public static Queues parse(JsonNode table) {
        Map<String, List<String>> requires = new LinkedHashMap<>();
        Map<String, String> parents = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> queue : table.properties()) {
            String parent = queue.getValue().path("parent").asText("");
            if (!parent.isEmpty()) {
                parents.put(queue.getKey(), parent);
            }
            List<String> properties = new ArrayList<>();
            String real = parent.isEmpty() ? queue.getKey() : parent;
            if (table.path(real).has("hosts")) {
                properties.add(ResourceSet.INSTANCE_LOCAL + real);
            }
            table.path(real).path("requires").forEach(property -> properties.add(property.asText()));
            requires.put(queue.getKey(), properties);
        }
        return new Queues(requires, parents.keySet());
    }

    public boolean has(String name) {
        return requires.containsKey(name);
    }

    public Idset ranks(ResourceSet resources, String name) {
        Idset ranks = resources.ranks();
        for (String property : requires.getOrDefault(name, List.of())) {
            boolean without = property.startsWith("^");
            Idset having = resources.properties().getOrDefault(without ? property.substring(1) : property, Idset.EMPTY);
            ranks = without ? ranks.subtract(having) : ranks.intersect(having);
        }
        return ranks;
    }

    /**
     * Returns the queues of hosts with these properties.
     *
     * @param wanted the queues to consider; empty for all except virtual ones
     */
    public List<String> of(List<String> properties, List<String> wanted) {
        List<String> names = new ArrayList<>();
        requires.forEach((name, needed) -> {
            boolean meant = wanted.isEmpty() ? !virtual.contains(name) : wanted.contains(name);
            if (meant && needed.stream().allMatch(property -> isMet(property, properties))) {
                names.add(name);
            }
        });
        return names;
    }

    private static boolean isMet(String property, List<String> properties) {
        return property.startsWith("^") ? !properties.contains(property.substring(1)) : properties.contains(property);
    }
}
