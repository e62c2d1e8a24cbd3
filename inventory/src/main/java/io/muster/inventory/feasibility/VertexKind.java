package io.muster.inventory.feasibility;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A class of vertices that are alike, including everything below them. A {@link Table} creates each kind once, so that kinds
 * are compared by identity and the cost of a question depends on the number of distinct kinds.
 */
final class VertexKind {
    /** Children of a vertex: {@code count} vertices of one kind. */
    record Part(VertexKind kind, long count) {}

    private final int id;
    private final String type;
    private final long size;
    private final String unit;
    private final Map<String, String> properties;
    private final List<Part> parts;
    private final Set<String> types = new TreeSet<>();

    private VertexKind(int id, String type, long size, String unit, Map<String, String> properties, List<Part> parts) {
        this.id = id;
        this.type = type;
        this.size = size;
        this.unit = unit;
        this.properties = properties;
        this.parts = parts;
        for (Part part : parts) {
            types.add(part.kind().type);
            types.addAll(part.kind().types);
        }
    }

    /** Creates kinds, each only once. A table belongs to one thread. */
    static final class Table {
        private final Map<List<Object>, VertexKind> kinds = new HashMap<>();

        VertexKind kind(String type, long size, String unit, Map<VertexKind, Long> children) {
            return kind(type, size, unit, Map.of(), children);
        }

        VertexKind kind(
                String type, long size, String unit, Map<String, String> properties, Map<VertexKind, Long> children) {
            List<Part> parts = new ArrayList<>();
            children.forEach((child, count) -> parts.add(new Part(child, count)));
            parts.sort(Comparator.comparingInt(p -> p.kind().id));
            List<Object> key = List.of(type, size, unit, properties, parts);
            VertexKind known = kinds.get(key);
            if (known == null) {
                known = new VertexKind(kinds.size(), type, size, unit, properties, List.copyOf(parts));
                kinds.put(key, known);
            }
            return known;
        }
    }

    String type() {
        return type;
    }

    /** Returns this kind in {@code table}, with the types under which {@code sought} counts vertices with its properties. */
    VertexKind renamed(Sought sought, Table table) {
        Map<VertexKind, Long> renamed = new HashMap<>();
        parts.forEach(part -> renamed.merge(part.kind.renamed(sought, table), part.count, Long::sum));
        return table.kind(sought.type(type, properties), size, unit, properties, renamed);
    }

    /** Adds to {@code names} the names of the properties of vertices of the type {@code wanted} below. */
    void propertiesInto(String wanted, Set<String> names) {
        for (Part part : parts) {
            names.addAll(part.kind.type.equals(wanted) ? part.kind.properties.keySet() : Set.of());
            part.kind.propertiesInto(wanted, names);
        }
    }

    /** Returns the types of all vertices below. */
    Set<String> types() {
        return types;
    }

    boolean isLeaf() {
        return parts.isEmpty();
    }

    /** Returns whether the type {@code wanted} is a pool here: it occurs below, and only in vertices without children. */
    boolean isPool(String wanted) {
        return types.contains(wanted)
                && parts.stream()
                        .map(Part::kind)
                        .allMatch(k -> (!k.type.equals(wanted) || k.isLeaf())
                                && (!k.types.contains(wanted) || k.isPool(wanted)));
    }

    /** Returns whether a vertex of the type {@code wanted} is below another vertex of that type. */
    boolean nests(String wanted) {
        return parts.stream()
                .map(Part::kind)
                .anyMatch(k -> (k.type.equals(wanted) && k.types.contains(wanted)) || k.nests(wanted));
    }

    /**
     * Returns the sum of the units of the type {@code wanted} below, counted in the base unit {@code base}. If {@code base} is
     * "", sizes are added independent of their unit.
     */
    long units(String wanted, String base) {
        if (!types.contains(wanted)) {
            return 0;
        }
        long total = 0;
        for (Part part : parts) {
            VertexKind k = part.kind();
            long own = k.type.equals(wanted) ? Units.amount(k.size, k.unit, base) : 0;
            total = Math.min(Fit.MANY, total + Fit.times(own + k.units(wanted, base), part.count()));
        }
        return total;
    }

    /** Adds to {@code units} the units in which pools of the type {@code wanted} are counted. */
    void unitsInto(String wanted, Set<String> units) {
        if (types.contains(wanted)) {
            for (Part part : parts) {
                if (part.kind().type.equals(wanted) && part.kind().isLeaf()) {
                    units.add(part.kind().unit);
                }
                part.kind().unitsInto(wanted, units);
            }
        }
    }

    /** Returns the topmost vertices of the type {@code wanted} below, as the number of vertices of each kind. */
    Map<VertexKind, Long> topmost(String wanted) {
        Map<VertexKind, Long> found = new HashMap<>();
        topmost(wanted, 1, found);
        return found;
    }

    private void topmost(String wanted, long times, Map<VertexKind, Long> found) {
        if (types.contains(wanted)) {
            for (Part part : parts) {
                long count = Fit.times(times, part.count());
                if (part.kind().type.equals(wanted)) {
                    found.merge(part.kind(), count, Long::sum);
                } else {
                    part.kind().topmost(wanted, count, found);
                }
            }
        }
    }

    /** Returns the number of vertices of the type {@code wanted} below, including those below one another. */
    long vertices(String wanted) {
        long total = 0;
        for (Part part : parts) {
            long own = part.kind().type.equals(wanted) ? 1 : 0;
            total = Math.min(Fit.MANY, total + Fit.times(own + part.kind().vertices(wanted), part.count()));
        }
        return total;
    }
}
