package io.muster.daemon.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** The shapes of documents, read from {@code docs/documents.txt}, whose head describes its form. */
public final class Shapes {
    private static final Path FILE = Path.of("../docs/documents.txt");
    private static final Set<String> PLAIN =
            Set.of("string", "integer", "number", "boolean", "object", "null", "time", "{}");

    /** What the file says about an operation. */
    record Said(String answer, List<String> errors, String sentence) {}

    private final Map<String, Said> operations = new LinkedHashMap<>();
    private final ObjectNode shapes = object();
    private final ObjectNode shared = object();
    private final List<String> verbs = new ArrayList<>();

    /** The objects that the lines read last belong to, the innermost first. */
    private final Deque<ObjectNode> open = new ArrayDeque<>();

    public Shapes() throws IOException {
        for (String line : Files.readAllLines(FILE)) {
            String text = line.strip();
            if (line.startsWith("operation ")) {
                String[] words = text.split(" ", 5);
                List<String> errors = words[3].equals("-") ? List.of() : List.of(words[3].split(","));
                operations.put(words[1], new Said(words[2].equals("-") ? "" : words[2], errors, words[4]));
            } else if (line.startsWith(" ")) {
                key((line.length() - line.stripLeading().length()) / 2, text);
            } else if (!text.isEmpty() && !text.startsWith("#")) {
                open.clear();
                head(text);
            }
        }
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private void head(String text) {
        if (text.equals("keys")) {
            open.push(object().set("properties", shared));
        } else if (text.startsWith("object ")) {
            String[] words = text.split(" ", 3);
            String[] union =
                    words[2].startsWith("= ") ? words[2].substring(2).split(" ", 2) : new String[] {"", words[2]};
            shapes.set(words[1], shape(union[0], union[1]));
        } else {
            String[] parts = text.substring("verb ".length()).split(": ", 2);
            String[] names = parts[0].split(" = ", 2);
            for (String verb : names[0].split(" ")) {
                String told = "`muster " + verb.replace('_', ' ') + "`" + (parts.length > 1 ? ", " + parts[1] : "");
                String name = verb.replace('_', '-');
                shapes.set(name, shape(names.length > 1 ? names[1] : "", told));
                verbs.add(name);
            }
        }
    }

    private ObjectNode shape(String union, String sentence) {
        ObjectNode shape = union.isEmpty() ? object().put("type", "object") : type(union);
        shape.put("description", sentence);
        open.push(shape);
        return shape;
    }

    private void key(int depth, String text) {
        while (open.size() > depth) {
            open.pop();
        }
        if (!text.startsWith("+ ")) {
            String[] words = text.split("\\s+", 3);
            ObjectNode rule = type(words[1]);
            rule.put("description", words[2]);
            add(words[0], rule);
            open.push(rule);
            return;
        }
        for (String key : text.substring(2).split(" ")) {
            add(
                    key,
                    Objects.requireNonNull(shared.get(key.replace("?", "")), key)
                            .deepCopy());
        }
    }

    /** Adds a key to the innermost object. */
    private void add(String key, JsonNode rule) {
        ObjectNode owner = open.element();
        owner = owner.has("items") ? (ObjectNode) owner.get("items") : owner;
        owner.remove("additionalProperties");
        String name = key.replace("?", "");
        owner.withObjectProperty("properties").set(name, rule);
        if (!key.endsWith("?")) {
            owner.withArrayProperty("required").add(name);
        }
    }

    static ObjectNode type(String text) {
        if (text.startsWith("[")) {
            ObjectNode rule = object().put("type", "array");
            return rule.set("items", type(text.substring(1, text.length() - 1)));
        }
        List<String> parts = Arrays.asList(text.split("\\|"));
        if (text.startsWith("'")) {
            ObjectNode rule = object().put("type", "string");
            if (parts.size() == 1) {
                return rule.put("const", text.replace("'", ""));
            }
            ArrayNode words = rule.putArray("enum");
            parts.forEach(part -> words.add(part.replace("'", "")));
            return rule;
        } else if (text.equals("true") || text.equals("false")) {
            return object().put("type", "boolean").put("const", Boolean.parseBoolean(text));
        } else if (text.matches("\\d+")) {
            return object().put("type", "integer").put("const", Integer.parseInt(text));
        } else if (!PLAIN.containsAll(parts)) {
            ObjectNode rule = object();
            if (parts.size() == 1) {
                return rule.put("$ref", "#/$defs/" + text);
            }
            parts.forEach(part -> rule.withArrayProperty("anyOf").add(type(part)));
            return rule;
        }
        return plain(parts);
    }

    private static ObjectNode plain(List<String> types) {
        ObjectNode rule = object();
        List<String> names = types.stream()
                .map(type -> type.equals("time") ? "string" : type.equals("{}") ? "object" : type)
                .toList();
        if (names.size() == 1) {
            rule.put("type", names.get(0));
        } else {
            names.forEach(rule.withArrayProperty("type")::add);
        }
        if (types.contains("time")) {
            rule.put("format", "date-time");
        }
        return types.contains("object") ? rule.put("additionalProperties", true) : rule;
    }

    Said of(String operation) {
        return Objects.requireNonNull(operations.get(operation), operation + " is not in " + FILE);
    }

    Set<String> operations() {
        return operations.keySet();
    }

    /** Returns the shapes with these names, and those that they refer to, in the order of the file. */
    ObjectNode reachable(Iterable<String> names) {
        Set<String> found = new TreeSet<>();
        names.forEach(name -> find(name, found));
        ObjectNode some = object();
        shapes.properties().forEach(each -> {
            if (found.contains(each.getKey())) {
                some.set(each.getKey(), each.getValue());
            }
        });
        return some;
    }

    private void find(String name, Set<String> found) {
        if (found.add(name)) {
            Objects.requireNonNull(shapes.get(name), name)
                    .findValuesAsText("$ref")
                    .forEach(place -> find(place.substring(place.lastIndexOf('/') + 1), found));
        }
    }

    /** Returns the names of all shapes. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        shapes.fieldNames().forEachRemaining(names::add);
        return names;
    }

    List<String> verbs() {
        return List.copyOf(verbs);
    }

    /** Returns the schema of what the command prints. */
    public ObjectNode ofCommand() {
        ObjectNode schema = object();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "What muster prints with --json");
        schema.put(
                "description",
                "Each line on standard output is one document. $defs has one entry for each verb, named after the verb"
                        + " with - for spaces, and error. Keys that a later version adds are permitted.");
        List<String> all = new ArrayList<>(List.of("error"));
        all.addAll(verbs);
        all.forEach(name -> schema.withArrayProperty("anyOf").addObject().put("$ref", "#/$defs/" + name));
        return schema.set("$defs", reachable(all));
    }

    /** Returns a schema or an OpenAPI document as text, with one line for each of its parts. */
    public static String text(ObjectNode document) {
        StringBuilder out = new StringBuilder();
        write(document, out, List.of("$defs", "paths", "components", "schemas"));
        return out.append('\n').toString();
    }

    private static void write(JsonNode value, StringBuilder out, List<String> divided) {
        String between = "{\n";
        for (Map.Entry<String, JsonNode> member : value.properties()) {
            out.append(between)
                    .append(JsonNodeFactory.instance.textNode(member.getKey()))
                    .append(": ");
            if (divided.contains(member.getKey())) {
                write(member.getValue(), out, divided);
            } else {
                out.append(member.getValue());
            }
            between = ",\n";
        }
        out.append("\n}");
    }
}
