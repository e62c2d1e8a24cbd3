package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.problem.InvalidException;
import java.io.StringReader;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads one YAML document into a JSON tree and remembers the line of every value. The rules are those of YAML 1.1, the
 * version that RFC 14 names, so {@code 010} is eight. An alias counts at every use, so that a document of nested aliases
 * cannot exceed the limit on values.
 */
final class YamlReader {
    private static final int MAX_VALUES = 200_000;

    private final Scalars scalars = new Scalars(options());
    private final Map<String, Integer> lines = new HashMap<>();
    private int values;

    private YamlReader() {}

    /**
     * Reads a document.
     *
     * @throws InvalidException with the line of the first fault in the YAML
     */
    static RequestTree read(String subject, String text) {
        try {
            Node node = new Yaml(new SafeConstructor(options())).compose(new StringReader(text));
            if (node == null) {
                throw RequestTree.refused(subject, "", "is empty");
            }
            YamlReader reader = new YamlReader();
            JsonNode root = reader.value(node, "", 0);
            return RequestTree.of(root, reader.lines);
        } catch (MarkedYAMLException e) {
            throw RequestTree.refused(subject, "line " + line(e), "not YAML: " + e.getProblem());
        } catch (YAMLException e) {
            throw RequestTree.refused(subject, "", "not YAML: " + e.getMessage());
        }
    }

    private static int line(MarkedYAMLException e) {
        return e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
    }

    private static LoaderOptions options() {
        LoaderOptions options = new LoaderOptions();
        options.setNestingDepthLimit(RequestTree.MAX_DEPTH);
        options.setCodePointLimit(RequestTree.MAX_CHARS);
        options.setMaxAliasesForCollections(100);
        return options;
    }

    private JsonNode value(Node node, String pointer, int depth) {
        if (++values > MAX_VALUES) {
            throw fault(node, "more than " + MAX_VALUES + " values");
        }
        if (depth > RequestTree.MAX_DEPTH) {
            throw fault(node, "nested deeper than " + RequestTree.MAX_DEPTH + " levels");
        }
        lines.put(pointer, node.getStartMark().getLine() + 1);
        if (node instanceof MappingNode mapping) {
            return mapping(mapping, pointer, depth);
        }
        return node instanceof SequenceNode sequence
                ? sequence(sequence, pointer, depth)
                : scalars.scalar((ScalarNode) node);
    }

    private ObjectNode mapping(MappingNode mapping, String pointer, int depth) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw fault(tuple.getKeyNode(), "a key must be a plain value");
            }
            if (key.getTag().equals(Tag.MERGE)) {
                throw fault(key, "merge keys (<<) are not supported in a request");
            }
            if (object.has(key.getValue())) {
                throw fault(key, "key \"" + key.getValue() + "\" is given twice");
            }
            String at = Pointer.of(pointer, key.getValue());
            object.set(key.getValue(), value(tuple.getValueNode(), at, depth + 1));
        }
        return object;
    }

    private ArrayNode sequence(SequenceNode sequence, String pointer, int depth) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        for (Node item : sequence.getValue()) {
            array.add(value(item, pointer + "/" + array.size(), depth + 1));
        }
        return array;
    }

    private static YAMLException fault(Node node, String sentence) {
        return new YAMLException("line " + (node.getStartMark().getLine() + 1) + ": " + sentence);
    }

    /** Converts scalars without quotes by the rules of YAML 1.1. */
    private static final class Scalars extends SafeConstructor {
        Scalars(LoaderOptions options) {
            super(options);
        }

        JsonNode scalar(ScalarNode node) {
            JsonNodeFactory json = JsonNodeFactory.instance;
            Object value = isJsonType(node.getTag()) ? constructObject(node) : node.getValue();
            if (value instanceof Integer i) {
                return json.numberNode(i);
            }
            if (value instanceof Long l) {
                return json.numberNode(l);
            }
            if (value instanceof BigInteger b) {
                return json.numberNode(b);
            }
            if (value instanceof Double d) {
                return json.numberNode(d);
            }
            if (value instanceof Boolean b) {
                return json.booleanNode(b);
            }
            return value == null ? json.nullNode() : json.textNode(value.toString());
        }

        private static boolean isJsonType(Tag tag) {
            return tag.equals(Tag.INT) || tag.equals(Tag.FLOAT) || tag.equals(Tag.BOOL) || tag.equals(Tag.NULL);
        }
    }
}
