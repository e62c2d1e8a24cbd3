package io.muster.cli.look;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Groups ranks by their properties. The groups are refined one property at a time, so no set is built for combinations that do not occur.
 */
public final class PropertyGroups {
    private PropertyGroups() {}

    /** Returns the ranks by the names of their properties; ranks without properties come first. */
    public static Map<List<String>, Idset> of(ResourceSet resources, Idset ranks) {
        Map<List<String>, Idset> groups = new LinkedHashMap<>();
        if (!ranks.isEmpty()) {
            groups.put(List.of(), ranks);
        }
        for (Map.Entry<String, Idset> property : resources.properties().entrySet()) {
            groups = split(groups, property.getKey(), property.getValue());
        }
        return groups;
    }

    private static Map<List<String>, Idset> split(Map<List<String>, Idset> groups, String name, Idset having) {
        Map<List<String>, Idset> finer = new LinkedHashMap<>();
        for (Map.Entry<List<String>, Idset> group : groups.entrySet()) {
            put(finer, group.getKey(), group.getValue().subtract(having));
            List<String> longer = new ArrayList<>(group.getKey());
            longer.add(name);
            put(finer, longer, group.getValue().intersect(having));
        }
        return finer;
    }

    private static void put(Map<List<String>, Idset> groups, List<String> names, Idset ranks) {
        if (!ranks.isEmpty()) {
            groups.put(names, ranks);
        }
    }
}
