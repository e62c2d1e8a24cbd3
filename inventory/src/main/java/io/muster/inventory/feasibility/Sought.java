package io.muster.inventory.feasibility;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.Resource;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The properties that a request asks of its vertices, by keys that RFC 14 does not define. A key that no vertex of the type has
 * as a property is ignored, and a remark names it.
 */
final class Sought {
    /** Keys that are not properties; {@link Feasibility} adds a remark about the id. */
    private static final Set<String> KNOWN = Set.of("unit", "label", "exclusive", "id");

    private final ResourceSet r;
    private final Stock stock;
    private final Map<String, SortedMap<String, String>> byType = new HashMap<>();
    private final Set<String> remarks = new LinkedHashSet<>();
    private boolean isMixed;

    Sought(List<Resource> list, Stock stock, ResourceSet r) {
        this.stock = stock;
        this.r = r;
        add(list);
    }

    private void add(List<Resource> list) {
        for (Resource item : list) {
            SortedMap<String, String> properties = new TreeMap<>();
            item.attributes().forEach((key, value) -> {
                if (KNOWN.contains(key)) {
                    return;
                }
                if (value.isValueNode() && has(item.type(), key)) {
                    properties.put(key, text(value));
                } else {
                    remarks.add("key \"" + key + "\" of " + item.type() + " was not looked at: "
                            + (value.isValueNode()
                                    ? "no " + item.type() + " has a property of this name"
                                    : "the value is not a string"));
                }
            });
            isMixed |= !byType.getOrDefault(item.type(), properties).equals(properties);
            byType.put(item.type(), properties);
            add(item.with());
        }
    }

    private static String text(JsonNode value) {
        return value.isBoolean() && value.booleanValue() ? "" : value.asText();
    }

    private boolean has(String type, String key) {
        return type.equals(Resource.NODE)
                ? nodes().keySet().stream().anyMatch(name -> name.equals(key) || name.startsWith(key + "="))
                : stock.properties(type).contains(key);
    }

    /** Returns the ranks of nodes by property. R writes a property with a value as {@code name=value}, as Fluxion does. */
    private SortedMap<String, Idset> nodes() {
        SortedMap<String, Idset> nodes = new TreeMap<>(stock.nodeProperties());
        r.properties().forEach((name, ranks) -> nodes.merge(name, ranks, Idset::union));
        return nodes;
    }

    List<String> remarks() {
        return List.copyOf(remarks);
    }

    boolean isNothing() {
        return !isMixed && byType.values().stream().allMatch(Map::isEmpty);
    }

    /** Returns whether the request asks for vertices of one type with several sets of properties. */
    boolean isMixed() {
        return isMixed;
    }

    /** Returns whether the request asks for properties of nodes. */
    boolean isOfNodes() {
        return !byType.getOrDefault(Resource.NODE, new TreeMap<>()).isEmpty();
    }

    /** Returns the ranks of the nodes with the properties that the request asks. */
    Idset ranks() {
        Idset ranks = r.ranks();
        SortedMap<String, Idset> nodes = nodes();
        for (Map.Entry<String, String> e :
                byType.getOrDefault(Resource.NODE, new TreeMap<>()).entrySet()) {
            String name = e.getValue().isEmpty() ? e.getKey() : e.getKey() + "=" + e.getValue();
            ranks = ranks.intersect(nodes.getOrDefault(name, Idset.EMPTY));
        }
        return ranks;
    }

    /** Returns how many nodes have the properties that the request asks of nodes. */
    String nodesHaving() {
        return "; " + ranks().size() + " of " + r.nodes() + " nodes have "
                + byType.getOrDefault(Resource.NODE, new TreeMap<>());
    }

    /** Returns the type under which vertices with the properties that the request asks of the type are counted. */
    String type(String type, Map<String, String> having) {
        SortedMap<String, String> asked = byType.getOrDefault(type, new TreeMap<>());
        return type.equals(Resource.NODE)
                        || asked.isEmpty()
                        || !having.entrySet().containsAll(asked.entrySet())
                ? type
                : type + asked.toString().replace('=', ':');
    }

    /** Returns the request with the types of {@link #type}. */
    List<Resource> renamed(List<Resource> list) {
        List<Resource> renamed = new ArrayList<>();
        for (Resource item : list) {
            String type = type(item.type(), byType.getOrDefault(item.type(), new TreeMap<>()));
            renamed.add(new Resource(type, item.count(), item.attributes(), renamed(item.with())));
        }
        return renamed;
    }
}
