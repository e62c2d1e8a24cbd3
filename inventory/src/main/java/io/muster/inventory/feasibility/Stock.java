package io.muster.inventory.feasibility;

import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Pool;
import io.muster.inventory.graph.PoolKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Walker;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Group;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An inventory in compact form: cells of similar nodes and the areas above the nodes.
 *
 * @param cells cells ordered by lowest rank; no cell is empty
 * @param top a virtual area around the outermost area, so that a request may name the outermost area too
 * @param types types of all vertices
 * @param areaTypes types of the areas
 * @param nodeProperties the ranks of the nodes that the graph gives a property, by {@code name} or {@code name=value}
 * @param flows resources in subsystems other than containment
 */
record Stock(
        List<Cell> cells,
        Area top,
        SortedSet<String> types,
        SortedSet<String> areaTypes,
        SortedMap<String, Idset> nodeProperties,
        List<Flow> flows) {
    /** The ranks whose nodes are of one kind. */
    record Cell(VertexKind kind, Idset ranks) {}

    private static final String NODE = "node";

    static Stock of(ResourceSet r) {
        VertexKind.Table table = new VertexKind.Table();
        List<Cell> cells = cells(r, table);
        VertexKind nothing = table.kind("cluster", 1, "", Map.of());
        return of(
                cells,
                new Area("", r.ranks(), List.of(new Area("cluster", r.ranks(), List.of(), nothing)), nothing),
                new TreeMap<>(),
                List.of());
    }

    private static Stock of(List<Cell> cells, Area top, SortedMap<String, Idset> nodeProperties, List<Flow> flows) {
        SortedSet<String> areaTypes = new TreeSet<>();
        top.typesInto(areaTypes);
        SortedSet<String> types = new TreeSet<>(areaTypes);
        outsideInto(top, types);
        for (Cell cell : cells) {
            types.add(cell.kind().type());
            types.addAll(cell.kind().types());
        }
        flows.forEach(flow -> types.add(flow.type()));
        List<Cell> byRank = new ArrayList<>(cells);
        byRank.sort(Comparator.comparingInt(cell -> cell.ranks().first()));
        return new Stock(List.copyOf(byRank), top, types, areaTypes, nodeProperties, flows);
    }

    /** Returns this stock without ranks that are not in {@code ranks}. Areas stay, even if they have no ranks left. */
    Stock keep(Idset ranks) {
        List<Cell> remaining = new ArrayList<>();
        for (Cell cell : cells) {
            Idset kept = cell.ranks().intersect(ranks);
            if (!kept.isEmpty()) {
                remaining.add(new Cell(cell.kind(), kept));
            }
        }
        return of(
                remaining,
                top,
                nodeProperties,
                flows.stream().map(f -> f.keep(ranks)).toList());
    }

    Idset ranks() {
        Idset.Builder ranks = Idset.builder();
        cells.forEach(cell -> ranks.addAll(cell.ranks()));
        return ranks.build();
    }

    /** Returns the units in which pools of the type are counted. */
    SortedSet<String> units(String type) {
        SortedSet<String> units = new TreeSet<>();
        cells.forEach(cell -> cell.kind().unitsInto(type, units));
        top.unitsInto(type, units);
        flows.stream()
                .filter(flow -> flow.type().equals(type))
                .forEach(flow -> flow.supplies().forEach(s -> units.add(s.unit())));
        return units;
    }

    /** Returns this stock with the types under which {@code sought} counts vertices with the properties that it asks. */
    Stock renamed(Sought sought) {
        VertexKind.Table table = new VertexKind.Table();
        List<Cell> renamed = cells.stream()
                .map(cell -> new Cell(cell.kind().renamed(sought, table), cell.ranks()))
                .toList();
        return of(renamed, top.renamed(sought, table), nodeProperties, flows);
    }

    /** Returns the names of the properties that vertices of a type have, except nodes. */
    Set<String> properties(String type) {
        Set<String> names = new TreeSet<>();
        cells.forEach(cell -> cell.kind().propertiesInto(type, names));
        top.propertiesInto(type, names);
        return names;
    }

    private static void outsideInto(Area area, SortedSet<String> types) {
        types.addAll(area.outside().types());
        area.areas().forEach(a -> outsideInto(a, types));
    }

    private static List<Cell> cells(ResourceSet r, VertexKind.Table table) {
        Map<VertexKind, Idset> ranks = new LinkedHashMap<>();
        for (Group group : r.groups()) {
            Map<VertexKind, Long> parts = new LinkedHashMap<>();
            group.children().forEach((type, ids) -> parts.put(table.kind(type, ids.size(), "", Map.of()), 1L));
            ranks.merge(table.kind(NODE, 1, "", parts), group.ranks(), Idset::union);
        }
        List<Cell> cells = new ArrayList<>();
        ranks.forEach((kind, ids) -> cells.add(new Cell(kind, ids)));
        return cells;
    }

    /**
     * Returns the stock of {@code r} with the structure that {@code graph} describes. The graph's nodes are assigned to
     * ranks by {@link ResourceGraph#ranksIn}.
     *
     * @param lost vertices that are left out, with everything below them
     */
    static Stock of(ResourceSet r, ResourceGraph graph, Idset lost) {
        return of(r, graph, lost, r.ranks(), List.of());
    }

    /**
     * Returns the same stock, but examines only some of the nodes.
     *
     * @param changed the ranks of the nodes that are examined
     * @param known the cells of all other nodes
     */
    static Stock of(ResourceSet r, ResourceGraph graph, Idset lost, Idset changed, List<Cell> known) {
        return new Folding(r, graph, lost, changed).fold(known);
    }

    /** Turns a graph into a stock, from the leaves up. A folding is used once. */
    private static final class Folding {
        private final ResourceSet r;
        private final ResourceGraph graph;
        private final VertexKind.Table table = new VertexKind.Table();
        private final Map<Integer, VertexKind> kinds = new HashMap<>();
        private final Map<Integer, Area> areas = new HashMap<>();
        private final Map<Integer, Integer> nodeRanks = new HashMap<>();
        private final Map<VertexKind, Idset.Builder> cells = new LinkedHashMap<>();
        private final IntUnaryOperator rankOf;
        private final Idset lost;
        private final Idset changed;
        private final SortedMap<String, Idset.Builder> nodeProperties = new TreeMap<>();
        private final BitSet placed = new BitSet();

        Folding(ResourceSet all, ResourceGraph graph, Idset lost, Idset changed) {
            this.graph = graph;
            this.lost = lost;
            this.r = all.remove(ranksBelow(all, graph, lost));
            this.changed = changed;
            this.rankOf = graph.ranksIn(r);
        }

        Stock fold(List<Cell> known) {
            Walker.of(graph, EdgeKind.CONTAINMENT)
                    .pruning(v -> !lost.contains(v.vertex()) && !isKnown(v.vertex()))
                    .walk(v -> {
                        if (!lost.contains(v.vertex())) {
                            vertex(v.vertex());
                        }
                    });
            VertexKind nothing = table.kind("", 1, "", Map.of());
            int root = graph.root(EdgeKind.CONTAINMENT);
            @Nullable Area area = areas.get(root);
            if (area == null) {
                return withoutNodes(root, nothing);
            }
            List<Cell> folded = new ArrayList<>();
            cells.forEach((kind, ranks) -> folded.add(new Cell(kind, ranks.build())));
            for (Cell cell : known) {
                Idset ranks = cell.ranks().subtract(changed).intersect(r.ranks());
                if (!ranks.isEmpty()) {
                    folded.add(new Cell(cell.kind(), ranks));
                }
            }
            Idset.Builder placedRanks = Idset.builder();
            placed.stream().forEach(placedRanks::add);
            Idset unplaced = r.ranks().intersect(changed).subtract(placedRanks.build());
            if (!unplaced.isEmpty()) {
                Stock.cells(r.keep(unplaced), table).forEach(folded::add);
            }
            Area top = new Area("", r.ranks(), List.of(area), nothing);
            Stock stock = Stock.of(folded, top, nodeProperties(), List.of());
            List<Flow> flows = Flow.of(graph, stock.types, rankOf, v -> !lost.contains(v));
            return Stock.of(folded, top, stock.nodeProperties, flows);
        }

        private boolean isKnown(int vertex) {
            return graph.pool(vertex).type().equals(NODE) && !changed.contains(rankOf.applyAsInt(vertex));
        }

        /** Folds a graph that has no nodes, or whose root is its only node: the root is the only host. */
        private Stock withoutNodes(int root, VertexKind nothing) {
            @Nullable VertexKind kind = kinds.get(root);
            if (kind == null || r.ranks().isEmpty()) {
                return Stock.of(r);
            }
            Integer rank = nodeRanks.getOrDefault(root, r.ranks().first());
            List<Cell> onlyCell = List.of(new Cell(kind, Idset.of(rank)));
            return Stock.of(onlyCell, new Area("", r.ranks(), List.of(), nothing), nodeProperties(), List.of());
        }

        private SortedMap<String, Idset> nodeProperties() {
            SortedMap<String, Idset> built = new TreeMap<>();
            nodeProperties.forEach((name, ranks) -> built.put(name, ranks.build()));
            return built;
        }

        /** Returns the ranks of {@code vertices}, as far as they are nodes, and of the nodes below them. */
        private static Idset ranksBelow(ResourceSet r, ResourceGraph graph, Idset vertices) {
            Idset nodes = graph.ofKind(kind -> kind.type().equals(NODE));
            Idset below = vertices.union(graph.below(vertices, EdgeKind.CONTAINMENT));
            return graph.ranksOf(r, below.intersect(nodes));
        }

        private void vertex(int vertex) {
            Map<VertexKind, Long> parts = new LinkedHashMap<>();
            List<Area> inner = new ArrayList<>();
            Idset.Builder ranks = Idset.builder();
            boolean[] hasNodes = new boolean[1];
            graph.forEachChild(vertex, EdgeKind.CONTAINMENT, child -> {
                Area area = areas.get(child);
                Integer rank = nodeRanks.get(child);
                VertexKind kind = kinds.remove(child);
                hasNodes[0] |= area != null || rank != null;
                if (area != null) {
                    inner.add(area);
                    ranks.addAll(area.ranks());
                } else if (rank != null) {
                    ranks.addAll(rank < 0 ? Idset.EMPTY : Idset.of(rank));
                } else if (kind != null) {
                    parts.merge(kind, 1L, Long::sum);
                }
            });
            Pool pool = graph.pool(vertex);
            boolean isNode = pool.type().equals(NODE);
            SortedMap<String, String> properties = new TreeMap<>(isNode ? Map.of() : pool.properties());
            properties.remove(PoolKind.IDS);
            VertexKind kind = table.kind(pool.type(), pool.size(), pool.unit(), properties, parts);
            if (isNode) {
                node(vertex, kind);
            }
            if (hasNodes[0] && !isNode) {
                areas.put(vertex, new Area(pool.type(), properties, ranks.build(), List.copyOf(inner), kind));
            } else {
                kinds.put(vertex, kind);
            }
        }

        private void node(int vertex, VertexKind kind) {
            int own = rankOf.applyAsInt(vertex);
            int rank = own >= 0 && r.ranks().contains(own) && !placed.get(own) ? own : -1;
            nodeRanks.put(vertex, rank);
            if (rank >= 0) {
                placed.set(rank);
                graph.pool(vertex)
                        .properties()
                        .forEach((name, value) -> nodeProperties
                                .computeIfAbsent(value.isEmpty() ? name : name + "=" + value, key -> Idset.builder())
                                .add(rank));
                if (changed.contains(rank)) {
                    cells.computeIfAbsent(kind, k -> Idset.builder()).add(rank);
                }
            }
        }
    }
}
