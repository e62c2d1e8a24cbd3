package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One {@code [[graph]]} entry of the configuration: vertices of one type, above the nodes or in them. {@link GraphPlan}
 * explains the combined meaning of the keys.
 *
 * @param place the place that problems of the entry name, such as {@code graph/2}
 * @param kind type, size, unit and properties of the vertices
 * @param naming how many vertices there are, and their names
 * @param position where the vertices stand
 * @param relation the kind of the edges from above, also to what the vertices hold
 * @param opposite whether each edge is accompanied by an edge in the opposite direction
 */
public record GraphEntry(
        String place, PoolKind kind, Naming naming, Position position, EdgeKind relation, boolean opposite) {
    /**
     * How many vertices there are.
     *
     * @param names the names of all vertices; empty if they are counted
     * @param count number of vertices in each vertex above
     */
    record Naming(Hostlist names, int count) {}

    /**
     * The position of the vertices.
     *
     * @param in the type above, "" for the root of the subsystem
     * @param hosts the nodes below the vertices or, for parts of nodes, the nodes that have them; empty for all
     * @param holds the types below the vertices
     * @param each how many of them each vertex has; 0 to divide them evenly
     */
    record Position(String in, Hostlist hosts, List<String> holds, int each) {}

    /** The highest number of entries; each costs a little at every step through the graph. */
    private static final int MOST = 1000;

    private static final List<String> KEYS = List.of(
            "type",
            "names",
            "count",
            "size",
            "unit",
            "properties",
            "in",
            "hosts",
            "holds",
            "each",
            "subsystem",
            "relationship",
            "direction");

    /** Words that need no quotes in expressions and requests. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,254}");

    /**
     * Reads the entries of a {@code graph} array and checks that they form one graph, independent of the hosts of R. If there
     * is a problem, the result is meaningless.
     */
    public static List<GraphEntry> readAll(JsonNode array, String place, Problems problems) {
        List<GraphEntry> entries = new ArrayList<>();
        if (!array.isArray() || array.size() > MOST) {
            problems.add(
                    place,
                    array.isArray()
                            ? "has " + array.size() + " entries; the limit is " + MOST
                            : "must be an array of tables, not " + StrictJson.kind(array));
            return entries;
        }
        for (int i = 0; i < array.size(); i++) {
            if (array.get(i).isObject()) {
                entries.add(new Reader(place + "/" + i, array.get(i), problems).read());
            } else {
                problems.add(place + "/" + i, "must be a table, not " + StrictJson.kind(array.get(i)));
            }
        }
        if (problems.isEmpty()) {
            GraphPlan.of(entries, problems);
        }
        return entries;
    }

    /** Returns the hosts that the entry names. */
    public Hostlist hosts() {
        return position.hosts();
    }

    private record Reader(String place, JsonNode entry, Problems problems) {
        GraphEntry read() {
            for (String key : (Iterable<String>) entry::fieldNames) {
                if (!KEYS.contains(key)) {
                    problem(key, "is not known; known are " + String.join(", ", KEYS));
                }
            }
            if (!entry.has("type")) {
                problem("type", "is missing");
            }
            if (entry.has("names") && entry.has("count")) {
                problem("count", "cannot be given together with names, because the number of names is the count");
            }
            String type = word("type", "type");
            String subsystem = word("subsystem", EdgeKind.CONTAINMENT);
            boolean containment = subsystem.equals(EdgeKind.CONTAINMENT);
            String direction = word("direction", "down");
            if (!List.of("down", "both", "opposite").contains(direction)) {
                problem("direction", "must be down, both or opposite, not " + direction);
            }
            String relationship = word("relationship", containment ? EdgeKind.CONTAINS : EdgeKind.CONDUIT_OF);
            if (relationship.equalsIgnoreCase(EdgeKind.IN)) {
                problem("relationship", "points up; write direction = \"opposite\" for edges both down and up");
            }
            return new GraphEntry(
                    place,
                    new PoolKind(type, type, integer("size", 1, 1, Long.MAX_VALUE), text("unit", ""), properties()),
                    new Naming(hosts("names"), (int) integer("count", 1, 1, Hostlist.MAX_RANGE)),
                    new Position(
                            word("in", ""), hosts("hosts"), holds(), (int) integer("each", 0, 1, Hostlist.MAX_HOSTS)),
                    new EdgeKind(subsystem, relationship, direction.equals("both"), Map.of()),
                    direction.equals("opposite"));
        }

        private void problem(String key, String sentence) {
            problems.add(Pointer.of(place, key), sentence);
        }

        private String text(String key, String unset) {
            JsonNode value = entry.path(key);
            if (!value.isTextual() && !value.isMissingNode()) {
                problem(key, "must be a string, not " + StrictJson.kind(value));
            } else if (value.isTextual() && value.textValue().chars().anyMatch(c -> c < ' ' || c > '~')) {
                problem(key, "may contain printable ASCII characters only");
            }
            return value.isTextual() ? value.textValue() : unset;
        }

        private String word(String key, String unset) {
            String text = text(key, unset);
            return isWord(key, text, unset) ? text : "?";
        }

        private boolean isWord(String key, String text, String unset) {
            boolean is = text.equals(unset) || WORD.matcher(text).matches();
            if (!is) {
                problem(
                        key,
                        "must be a word of letters, digits and _.- that begins with a letter, not \"" + text + "\"");
            }
            return is;
        }

        private long integer(String key, long unset, long least, long most) {
            JsonNode value = entry.path(key);
            if (value.isMissingNode()) {
                return unset;
            }
            if (value.isIntegralNumber()
                    && value.canConvertToLong()
                    && value.longValue() >= least
                    && value.longValue() <= most) {
                return value.longValue();
            }
            problem(key, "must be a whole number from " + least + " to " + most + ", not " + value);
            return Math.max(unset, least);
        }

        private Hostlist hosts(String key) {
            @Nullable Hostlist hosts = null;
            try {
                hosts = Hostlist.parse(text(key, ""));
            } catch (MalformedException e) {
                problem(key, String.valueOf(e.getMessage()));
            }
            if (hosts == null || !entry.has(key)) {
                return Hostlist.EMPTY;
            }
            if (hosts.isEmpty()) {
                problem(key, "names nothing");
            } else if (key.equals("names") && text(key, "").contains("/")) {
                problem(key, "may not contain a slash, which separates the names in a path");
            } else if (hosts.unique().size() < hosts.size()) {
                problem(key, "contains the same name twice");
            }
            return hosts;
        }

        private List<String> holds() {
            JsonNode value = entry.path("holds");
            List<String> types = new ArrayList<>();
            for (JsonNode type : value.isArray() ? value : List.of(value)) {
                if (type.isTextual() && isWord("holds", type.textValue(), "")) {
                    types.add(type.textValue());
                } else if (!type.isMissingNode() && !type.isTextual()) {
                    problem("holds", "must be a type or an array of types, not " + StrictJson.kind(type));
                }
            }
            if (types.stream().distinct().count() < types.size()) {
                problem("holds", "contains the same name twice");
            }
            return types;
        }

        private SortedMap<String, String> properties() {
            SortedMap<String, String> properties = new TreeMap<>();
            JsonNode table = entry.path("properties");
            if (!table.isObject() && !table.isMissingNode()) {
                problem("properties", "must be a table of strings, not " + StrictJson.kind(table));
            }
            table.properties().forEach(e -> {
                if (!e.getValue().isTextual()) {
                    problem("properties", e.getKey() + " must be a string, not " + StrictJson.kind(e.getValue()));
                } else if (isWord("properties", e.getKey(), "?")) {
                    properties.put(e.getKey(), e.getValue().textValue());
                }
            });
            return properties;
        }
    }
}
