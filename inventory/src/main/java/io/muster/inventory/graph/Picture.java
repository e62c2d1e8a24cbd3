package io.muster.inventory.graph;

import io.muster.inventory.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;

/** A graph for people to look at: an indented tree, or Graphviz's language. Like siblings are drawn once, with their number. */
public final class Picture {
    /** Names that do not fold into fewer characters are cut off there; how many there are is said beside them. */
    private static final int MOST_CHARS = 200;

    /** Siblings that look alike down to the depth drawn, in the order of the first. */
    private record Bundle(int sample, List<String> names, List<Bundle> below) {}

    private final ResourceGraph graph;
    private final String subsystem;
    private final int depth;
    private final Map<Look, Integer> looks = new HashMap<>();

    /** @param depth how many levels below the root are drawn */
    public Picture(ResourceGraph graph, String subsystem, int depth) {
        this.graph = graph;
        this.subsystem = subsystem;
        this.depth = depth;
    }

    /** What the branches of a tree are drawn with. */
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

    /** One line per bundle of like vertices, children indented; empty if the graph has no such subsystem. */
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

    /** A digraph; render it with {@code dot -Tsvg}. */
    public String dot() {
        StringBuilder out = new StringBuilder("digraph ")
                .append(quote(subsystem))
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
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
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
        String state = graph.extended(bundle.sample()).state();
        graph.extended(bundle.sample())
                .tags()
                .forEach((k, v) -> text.append(" #").append(k).append(v.isEmpty() ? "" : "=" + v));
        return text.append(state == null ? "" : " [" + state.toLowerCase(Locale.ROOT) + "]")
                .toString();
    }

    private static String names(List<String> names) {
        if (names.size() == 1) {
            return names.get(0);
        }
        String text = Hostlist.of(names).toString();
        return text.length() <= MOST_CHARS ? text : text.substring(0, text.lastIndexOf(',', MOST_CHARS) + 1) + "...";
    }

    private Bundle bundle(int root) {
        return bundle(root, List.of(graph.pool(root).name()), 0);
    }

    private Bundle bundle(int vertex, List<String> names, int level) {
        List<Bundle> below = new ArrayList<>();
        if (level < depth && level < 100) {
            Map<Integer, List<Integer>> alike = new LinkedHashMap<>();
            graph.forEachChild(
                    vertex,
                    subsystem,
                    child -> alike.computeIfAbsent(look(child, level + 1), k -> new ArrayList<>())
                            .add(child));
            alike.values()
                    .forEach(same -> below.add(bundle(
                            same.get(0),
                            same.stream().map(v -> graph.pool(v).name()).toList(),
                            level + 1)));
        }
        return new Bundle(vertex, names, below);
    }

    /** The same number for vertices that are drawn alike but for their names. */
    private int look(int vertex, int level) {
        Map<Integer, Integer> children = new HashMap<>();
        if (level < depth && level < 100) {
            graph.forEachChild(vertex, subsystem, child -> children.merge(look(child, level + 1), 1, Integer::sum));
        }
        Pool pool = graph.pool(vertex);
        PoolKind kind = pool.kind();
        Look look = new Look(
                kind.type(), kind.size(), kind.unit(), kind.properties(), graph.extended(vertex), Map.copyOf(children));
        return looks.computeIfAbsent(look, l -> looks.size());
    }

    private record Look(
            String type,
            long size,
            String unit,
            SortedMap<String, String> properties,
            Extended extended,
            Map<Integer, Integer> children) {}
}
