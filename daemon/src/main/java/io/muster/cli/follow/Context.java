package io.muster.cli.follow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;

/**
 * A key of an event's context and the value that a user waits for, given as {@code KEY=VALUE}. The value is JSON, or text if
 * it is not valid JSON.
 */
record Context(String key, String text, JsonNode value) {
    private static final double TOLERANCE = 1e-5;

    static Context parse(String option) {
        int at = option.indexOf('=');
        if (at <= 0) {
            throw new Failure(Exit.USAGE, "--match-context: " + option + " is not KEY=VALUE");
        }
        String text = option.substring(at + 1);
        return new Context(option.substring(0, at), text, json(text));
    }

    private static JsonNode json(String text) {
        try {
            JsonNode value = new JsonMapper().readTree(text);
            return value.isMissingNode() ? TextNode.valueOf(text) : value;
        } catch (JsonProcessingException e) {
            return TextNode.valueOf(text);
        }
    }

    /**
     * Returns whether a context has this key with this value. The texts are compared too, because an idset of one rank is
     * text that looks like a number.
     */
    boolean isIn(JsonNode context) {
        JsonNode actual = context.path(key);
        if (actual.isNumber() && value.isNumber()) {
            return Math.abs(actual.doubleValue() - value.doubleValue()) <= TOLERANCE;
        }
        return actual.equals(value) || (actual.isTextual() && actual.textValue().equals(text));
    }
}
