package io.muster.inventory.graph;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Text;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;

/**
 * Draws a graph for people to look at, as an indented tree or in Graphviz's language. Both forms escape characters that may
 * not be printed. Siblings that look alike are drawn once, with their number.
 */
public final class Picture {
    /** The number of characters after which a folded list of names is cut off. The number of names is shown beside the list. */
    private static final int MOST_CHARS = 200;

    /** The highest number of drawn levels. Without this limit, a subsystem could be as deep as there are vertices. */
    private static final int MOST_LEVELS = 100;

    /** Siblings that look alike down to the lowest drawn level. Bundles are in the order of their first sibling. */
    private record Bundle(int sample, List<String> names, List<Bundle> below) {}

    private final ResourceGraph graph;
    private final String subsystem;
    private final int depth;
    private final Map<Look, Integer> looks = new HashMap<>();

    /**
     * Creates a picture of one subsystem.
     *
     * @param depth number of levels that are drawn below the root
     */
    public Picture(ResourceGraph graph, String subsystem, int depth) {
        this.graph = graph;
        this.subsystem = subsystem;
        this.depth = depth;
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
     * Returns the tree as text, one line for each bundle of siblings, with children indented. The text is empty if the graph
     * has no such subsystem.
     */
    public String tree(Lines lines) {
        StringBuilder out = new StringBuilder();
        int root = graph.root(subsystem);
        if (root >= 0) {
            out.append(branch(bundle(root), lines, ""));
        }
        return out.toString();
    }

    private String branch(Bundle bundle, Lines lines, String lead) {
        StringBuilder out = new StringBuilder(text(bundle)).append('\n');
        int last = bundle.below().size() - 1;
        for (int i = 0; i <= last; i++) {
            out.append(lead)
                    .append(i == last ? lines.last : lines.branch)
                    .append(branch(bundle.below().get(i), lines, lead + (i == last ? "   " : lines.on)));
        }
        return out.toString();
    }

    /** Returns a graph in Graphviz's language, which {@code dot -Tsvg} turns into an image. */
    public String dot() {
        StringBuilder out = new StringBuilder("digraph ")
                .append(quote(Text.escaped(subsystem)))
                .append(" {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
        int root = graph.root(subsystem);
        if (root >= 0) {
            dot(bundle(root), out, new int[1]);
        }
        return out.append("}\n").toString();
    }

    private int dot(Bundle bundle, StringBuilder out, int[] count) {
        int self = count[0]++;
        out.append("  v")
                .append(self)
                .append(" [label=")
                .append(quote(text(bundle)))
                .append("];\n");
        for (Bundle child : bundle.below()) {
            int below = dot(child, out, count);
            out.append("  v").append(self).append(" -> v").append(below).append(";\n");
        }
        return self;
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private String text(Bundle bundle) {
        Pool pool = graph.pool(bundle.sample());
        StringBuilder text = new StringBuilder(names(bundle.names()));
        if (!pool.name().startsWith(pool.type()) || bundle.names().size() > 1) {
            text.append(" (")
                    .append(bundle.names().size() > 1 ? bundle.names().size() + " x " : "")
                    .append(pool.type())
                    .append(')');
        }
        if (pool.size() != 1 || !pool.unit().isEmpty()) {
            text.append(" = ").append(pool.size()).append(pool.unit());
        }
        pool.properties().forEach((k, v) -> text.append(' ').append(k).append(v.isEmpty() ? "" : "=" + v));
        String state = graph.extended(bundle.sample()).stateText();
        graph.extended(bundle.sample())
                .tags()
                .forEach((k, v) -> text.append(" #").append(k).append(v.isEmpty() ? "" : "=" + v));
        return Text.escaped(text.append(state.isEmpty() ? "" : " [" + state.toLowerCase(Locale.ROOT) + "]")
                .toString());
    }

    private static String names(List<String> names) {
        if (names.size() == 1) {
            return names.get(0);
        }
        String text = folded(names);
        if (text.length() <= MOST_CHARS) {
            return text;
        }
        int comma = text.lastIndexOf(',', MOST_CHARS);
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

    private Bundle bundle(int root) {
        BitSet drawn = new BitSet();
        drawn.set(root);
        return new Bundle(
                root, List.of(graph.pool(root).name()), draw(root, 0, drawn).below());
    }

    /** A drawn vertex: the number of its look, and the bundles below it. */
    private record Drawn(int look, List<Bundle> below) {}

    /** Draws a vertex and the vertices below it. A vertex to which several edges lead is drawn below the first edge only. */
    private Drawn draw(int vertex, int level, BitSet drawn) {
        Map<Integer, Bundle> alike = new LinkedHashMap<>();
        if (level < depth && level < MOST_LEVELS) {
            for (int child : children(vertex, drawn)) {
                Drawn below = draw(child, level + 1, drawn);
                alike.computeIfAbsent(below.look(), look -> new Bundle(child, new ArrayList<>(), below.below()))
                        .names()
                        .add(graph.pool(child).name());
            }
        }
        Map<Integer, Integer> counts = new HashMap<>();
        alike.forEach((look, bundle) -> counts.put(look, bundle.names().size()));
        PoolKind kind = graph.pool(vertex).kind();
        Look look = new Look(kind.type(), kind.size(), kind.unit(), kind.properties(), graph.extended(vertex), counts);
        return new Drawn(looks.computeIfAbsent(look, l -> looks.size()), List.copyOf(alike.values()));
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
            Map<Integer, Integer> children) {}
}
