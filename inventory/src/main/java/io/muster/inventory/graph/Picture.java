package io.muster.inventory.graph;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Text;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Draws a graph for people to look at: as an indented tree, in Graphviz's language, or as an SVG image. All forms escape
 * characters that may not be printed. Siblings that look alike are drawn once, with their number, and so are the vertices below
 * them.
 */
public final class Picture {
    /** The length of a cut list of names in an image. */
    private static final int IMAGE_CHARS = 48;

    private static final String NODE = "node";

    /** The highest number of drawn levels. Without this limit, a subsystem could be as deep as there are vertices. */
    private static final int MAX_LEVELS = 100;

    /** The highest number of boxes of an image. */
    public static final int MOST_BOXES = 1000;

    /** The state of a box whose vertices have no state of their own, if the boxes below have several. */
    private static final String MIXED = "mixed";

    private static final Map<String, String> COLOURS = Map.ofEntries(
            Map.entry(Extended.UP, "#d9ead3"),
            Map.entry(Extended.AVAILABLE, "#d9ead3"),
            Map.entry(Extended.DOWN, "#f4cccc"),
            Map.entry("offline", "#f4cccc"),
            Map.entry("failing", "#f4cccc"),
            Map.entry("lost", "#f4cccc"),
            Map.entry("degraded", "#fce5cd"),
            Map.entry("torpid", "#fce5cd"),
            Map.entry(Extended.DRAINED, "#fff2cc"),
            Map.entry(MIXED, "#fff2cc"),
            Map.entry(Extended.EXCLUDED, "#e0e0e0"),
            Map.entry("unknown", "#e0e0e0"));

    /** Vertices that look alike down to the lowest drawn level and are below the same vertex or below vertices that look alike. */
    private static final class Bundle {
        final int sample;
        /** Gives the box its colour; null for a box without states. */
        final @Nullable String state;
        /** The state of this box and everything below it. */
        final @Nullable String sum;
        /** Numbers of nodes by state, if no box below shows them. */
        final Map<String, Integer> inside;

        final Map<Integer, Bundle> below;
        final Set<String> names = new LinkedHashSet<>();
        /** The number of vertices below one vertex. */
        int each;

        Bundle(Look look, int sample, @Nullable String sum, Map<Integer, Bundle> below) {
            this.sample = sample;
            this.state = look.extended.word() == null ? sum : look.extended.word();
            this.sum = sum;
            this.inside = look.inside;
            this.below = below;
        }

        /** Adds the vertices below another vertex that looks like the vertex above this bundle. */
        void absorb(Bundle like) {
            names.addAll(like.names);
            like.below.forEach(
                    (look, bundle) -> below.getOrDefault(look, bundle).absorb(bundle));
        }
    }

    private final ResourceGraph graph;
    private final String subsystem;
    private final Idset starts;
    private final int depth;
    private final Map<Look, Integer> looks = new HashMap<>();
    /** The nodes by state, and everything that contains some of them. */
    private final Map<String, Idset> nodes;

    private final Idset containers;

    /**
     * Creates a picture of one subsystem.
     *
     * @param starts the vertices that are drawn with the vertices below them
     * @param depth number of levels that are drawn below the starts
     */
    public Picture(ResourceGraph graph, String subsystem, Idset starts, int depth) {
        this.graph = graph;
        this.subsystem = subsystem;
        this.starts = starts;
        this.depth = depth;
        Idset all = graph.ofKind(kind -> kind.type().equals(NODE));
        this.nodes = new TreeMap<>(graph.words());
        nodes.replaceAll((word, vertices) -> vertices.intersect(all));
        Idset stated = Idset.unionOf(nodes.values().stream());
        this.containers = graph.above(stated, EdgeKind.CONTAINMENT);
    }

    /** Creates a picture of a whole subsystem, which may have several tops. */
    public Picture(ResourceGraph graph, String subsystem, int depth) {
        this(graph, subsystem, graph.tops(subsystem), depth);
    }

    /** Characters that draw the branches of a tree. */
    public enum Lines {
        BOXES("├─ ", "└─ ", "│  "),
        ASCII("|- ", "`- ", "|  ");

        private final String branch;
        private final String last;
        private final String on;

        Lines(String branch, String last, String on) {
            this.branch = branch;
            this.last = last;
            this.on = on;
        }
    }

    /**
     * Returns a tree for each start as text, one line for each bundle of vertices that are alike, with children indented.
     *
     * @param width the number of characters in a line, to which lists of names are cut as far as possible
     * @param paint returns the second argument, a text, in the colour of the first, a state
     */
    public String tree(Lines lines, int width, BinaryOperator<String> paint) {
        StringBuilder out = new StringBuilder();
        bundles().forEach(bundle -> branch(bundle, lines, width, "", paint, out));
        return out.toString();
    }

    private void branch(
            Bundle bundle, Lines lines, int width, String lead, BinaryOperator<String> paint, StringBuilder out) {
        String text = text(bundle, width - lead.length() - text(bundle, 0).length());
        out.append(bundle.state == null ? text : paint.apply(bundle.state, text))
                .append('\n');
        int remaining = bundle.below.size();
        for (Bundle child : bundle.below.values()) {
            boolean last = --remaining == 0;
            out.append(lead).append(last ? lines.last : lines.branch);
            branch(child, lines, width, lead + (last ? "   " : lines.on), paint, out);
        }
    }

    /** Returns a graph in Graphviz's language, which {@code dot -Tsvg} turns into an image. */
    public String dot() {
        StringBuilder out = new StringBuilder("digraph ")
                .append(quote(Text.escaped(subsystem)))
                .append(" {\n"
                        + "  rankdir=LR;\n"
                        + "  node [shape=box, style=\"rounded,filled\", fillcolor=white,"
                        + " fontname=\"sans-serif\"];\n");
        int[] count = new int[1];
        bundles().forEach(bundle -> dot(bundle, out, count));
        return out.append("}\n").toString();
    }

    private int dot(Bundle bundle, StringBuilder out, int[] count) {
        int self = count[0]++;
        @Nullable String colour = colour(bundle);
        out.append("  v").append(self).append(" [label=").append(quote(text(bundle, IMAGE_CHARS)));
        out.append(colour == null ? "" : ", fillcolor=\"" + colour + '"').append("];\n");
        for (Bundle child : bundle.below.values()) {
            int below = dot(child, out, count);
            out.append("  v").append(self).append(" -> v").append(below).append(";\n");
        }
        return self;
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /**
     * Returns an SVG image, with the starts on the left.
     *
     * @throws IllegalArgumentException if there are more than {@link #MOST_BOXES} boxes
     */
    public String svg() {
        Drawing drawing = new Drawing();
        bundles().forEach(bundle -> add(bundle, 0, drawing));
        return drawing.svg();
    }

    private Drawing.Box add(Bundle bundle, int level, Drawing drawing) {
        @Nullable String colour = colour(bundle);
        List<Drawing.Box> below = new ArrayList<>();
        bundle.below.values().forEach(child -> below.add(add(child, level + 1, drawing)));
        return drawing.add(text(bundle, IMAGE_CHARS), colour == null ? "#ffffff" : colour, level, below);
    }

    private static @Nullable String colour(Bundle bundle) {
        return bundle.state == null ? null : COLOURS.get(bundle.state);
    }

    /** @param room the number of characters to which a list of names is cut */
    private String text(Bundle bundle, int room) {
        Pool pool = graph.pool(bundle.sample);
        int count = Math.max(bundle.names.size(), bundle.each);
        StringBuilder text = new StringBuilder(names(new ArrayList<>(bundle.names), room));
        if (!pool.name().startsWith(pool.type()) || count > 1) {
            text.append(" (").append(count > 1 ? count + " x " : "").append(pool.type());
            text.append(bundle.each < count ? ", " + bundle.each + " each)" : ")");
        }
        if (pool.size() != 1 || !pool.unit().isEmpty()) {
            text.append(" = ").append(pool.size()).append(pool.unit());
        }
        pool.properties().forEach((k, v) -> text.append(' ').append(k).append(v.isEmpty() ? "" : "=" + v));
        String own = graph.extended(bundle.sample).stateText();
        String state = own.isEmpty() ? inside(bundle, count) : own;
        graph.extended(bundle.sample)
                .tags()
                .forEach((k, v) -> text.append(" #").append(k).append(v.isEmpty() ? "" : "=" + v));
        return Text.escaped(text.append(state.isEmpty() ? "" : " [" + state.toLowerCase(Locale.ROOT) + "]")
                .toString());
    }

    /** Returns the states of the nodes that no box below shows, such as "71 available, 1 drained"; "" if there are none. */
    private static String inside(Bundle bundle, int count) {
        List<String> parts = new ArrayList<>();
        bundle.inside.forEach((word, number) -> parts.add(number + " " + word));
        return (parts.isEmpty() || count == 1 ? "" : "each: ") + String.join(", ", parts);
    }

    /** Returns a list of names, cut off after some of them if it is too long. The number of names is shown beside the list. */
    private static String names(List<String> names, int room) {
        if (names.size() == 1) {
            return names.get(0);
        }
        String text = folded(names);
        if (text.length() <= room) {
            return text;
        }
        int comma = text.lastIndexOf(',', Math.max(0, room - "...".length()));
        return (comma > 0 ? text.substring(0, comma + 1) : names.get(0) + ",") + "...";
    }

    /** Returns the names as a hostlist, or separated by commas if one of them cannot be a host name. */
    private static String folded(List<String> names) {
        try {
            return Hostlist.of(names).toString();
        } catch (MalformedException e) {
            return String.join(",", names);
        }
    }

    private Collection<Bundle> bundles() {
        BitSet drawn = new BitSet();
        // Where edges run both ways, one start may be below another.
        Iterable<Integer> open =
                () -> starts.stream().filter(v -> !drawn.get(v)).boxed().iterator();
        return bundles(open, 0, drawn).values();
    }

    /** Draws vertices, and bundles those that look alike. */
    private Map<Integer, Bundle> bundles(Iterable<Integer> vertices, int level, BitSet drawn) {
        Map<Integer, Bundle> alike = new LinkedHashMap<>();
        for (int vertex : vertices) {
            Drawn one = draw(vertex, level, drawn);
            @Nullable Bundle known = alike.putIfAbsent(one.look, one.bundle);
            Bundle bundle = known == null ? one.bundle : known;
            if (known != null) {
                known.absorb(one.bundle);
            }
            bundle.names.add(graph.pool(vertex).name());
            bundle.each++;
        }
        return alike;
    }

    /** A drawn vertex: the number of its look, and the vertex as a bundle that has no name yet. */
    private record Drawn(int look, Bundle bundle) {}

    /** Draws a vertex and the vertices below it. A vertex to which several edges lead is drawn below the first edge only. */
    private Drawn draw(int vertex, int level, BitSet drawn) {
        drawn.set(vertex);
        boolean deeper = level < depth && level < MAX_LEVELS;
        Map<Integer, Bundle> alike = bundles(deeper ? children(vertex, drawn) : List.of(), level + 1, drawn);
        Map<Integer, Integer> counts = new HashMap<>();
        alike.forEach((look, bundle) -> counts.put(look, bundle.each));
        PoolKind kind = graph.pool(vertex).kind();
        Extended extended = graph.extended(vertex);
        Map<String, Integer> inside = alike.isEmpty() ? inside(vertex) : Map.of();
        Look look = new Look(kind.type(), kind.size(), kind.unit(), kind.properties(), extended, counts, inside);
        @Nullable String sum = sum(extended.word(), alike.values(), inside.keySet());
        return new Drawn(looks.computeIfAbsent(look, l -> looks.size()), new Bundle(look, vertex, sum, alike));
    }

    /** Returns the number of nodes in a vertex by state. */
    private Map<String, Integer> inside(int vertex) {
        Map<String, Integer> inside = new TreeMap<>();
        if (containers.contains(vertex)) {
            Idset below = graph.below(Idset.of(vertex), EdgeKind.CONTAINMENT);
            nodes.forEach((word, some) -> inside.put(word, below.intersect(some).size()));
            inside.values().removeIf(number -> number == 0);
        }
        return inside;
    }

    /**
     * Returns the state of a vertex and everything below it: the only state that there is, or MIXED. Below a vertex without a state, a
     * failing GPU beside a GPU without a state is not the only state, and a rack whose nodes are all offline is offline.
     */
    private @Nullable String sum(@Nullable String own, Collection<Bundle> below, Set<String> inside) {
        Set<String> all = new TreeSet<>(inside);
        Set<String> stated = new HashSet<>();
        Set<String> stateless = new HashSet<>();
        for (Bundle bundle : below) {
            String state = bundle.sum;
            (state == null ? stateless : stated).add(graph.pool(bundle.sample).type());
            all.addAll(state == null ? List.of() : List.of(state));
        }
        all.addAll(own == null ? List.of() : List.of(own));
        boolean good = all.stream().allMatch(Picture::isGood);
        boolean one = all.size() == 1 && (own != null || Collections.disjoint(stated, stateless));
        return all.isEmpty() ? null : good || one ? all.iterator().next() : MIXED;
    }

    private static boolean isGood(String state) {
        return state.equals(Extended.UP) || state.equals(Extended.AVAILABLE);
    }

    private List<Integer> children(int vertex, BitSet drawn) {
        List<Integer> children = new ArrayList<>();
        graph.forEachChild(vertex, subsystem, child -> {
            if (!drawn.get(child)) {
                drawn.set(child);
                children.add(child);
            }
        });
        return children;
    }

    /** All data of a vertex that a picture shows, except its name. Vertices with the same data look alike. */
    private record Look(
            String type,
            long size,
            String unit,
            SortedMap<String, String> properties,
            Extended extended,
            Map<Integer, Integer> children,
            Map<String, Integer> inside) {}
}
