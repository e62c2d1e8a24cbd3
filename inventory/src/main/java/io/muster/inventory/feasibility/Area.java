package io.muster.inventory.feasibility;

import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A vertex above the nodes, such as a cluster, a rack or a switch.
 *
 * @param properties the properties of the vertex
 * @param ranks all nodes below the area, however deep
 * @param outside the vertices of the area that are outside of every node and of every inner area, as one kind
 */
record Area(String type, Map<String, String> properties, Idset ranks, List<Area> areas, VertexKind outside) {
    Area(String type, Idset ranks, List<Area> areas, VertexKind outside) {
        this(type, Map.of(), ranks, areas, outside);
    }

    /** Returns this area with the types under which {@code sought} counts vertices with its properties. */
    Area renamed(Sought sought, VertexKind.Table table) {
        List<Area> renamed = areas.stream().map(a -> a.renamed(sought, table)).toList();
        return new Area(sought.type(type, properties), properties, ranks, renamed, outside.renamed(sought, table));
    }

    void propertiesInto(String wanted, Set<String> names) {
        outside.propertiesInto(wanted, names);
        for (Area area : areas) {
            names.addAll(area.type.equals(wanted) ? area.properties.keySet() : Set.of());
            area.propertiesInto(wanted, names);
        }
    }

    /** Returns the topmost areas of the type below this area. */
    List<Area> topmost(String wanted) {
        List<Area> found = new ArrayList<>();
        for (Area area : areas) {
            if (area.type().equals(wanted)) {
                found.add(area);
            } else {
                found.addAll(area.topmost(wanted));
            }
        }
        return found;
    }

    void typesInto(Set<String> types) {
        areas.forEach(a -> {
            types.add(a.type());
            a.typesInto(types);
        });
    }

    /** Returns the units of the type {@code wanted} outside of nodes, including those of inner areas. */
    long units(String wanted, String base) {
        long total = outside.units(wanted, base);
        for (Area area : areas) {
            total += area.units(wanted, base);
        }
        return total;
    }

    void unitsInto(String wanted, Set<String> units) {
        outside.unitsInto(wanted, units);
        areas.forEach(a -> a.unitsInto(wanted, units));
    }

    /** Returns whether the type {@code wanted} occurs outside of nodes, and there only in vertices without children. */
    boolean isPoolOutside(String wanted) {
        return hasOutside(wanted) && isPoolOrAbsent(wanted);
    }

    private boolean isPoolOrAbsent(String wanted) {
        return (!outside.types().contains(wanted) || outside.isPool(wanted))
                && areas.stream().allMatch(a -> a.isPoolOrAbsent(wanted));
    }

    boolean hasOutside(String wanted) {
        return outside.types().contains(wanted) || areas.stream().anyMatch(a -> a.hasOutside(wanted));
    }
}
