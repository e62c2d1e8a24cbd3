package io.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;

/**
 * Checks documents against the subset of JSON Schema that {@code docs/json-schema.json} and {@code openapi.json} use, and records which
 * locations of the schema the documents used. An object may have only the keys that the schema lists, unless the schema has {@code
 * additionalProperties}.
 */
public final class JsonSchema {
    private static final Set<String> WORDS = Set.of(
            "$ref",
            "type",
            "description",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "anyOf",
            "enum",
            "const",
            "format");

    private final JsonNode defs;
    private final Set<String> seen = new TreeSet<>();

    public JsonSchema(JsonNode schema) {
        this.defs = schema.path("$defs");
    }

    /** Returns the violations of the schema in a document. */
    public List<String> faults(String name, JsonNode document) {
        List<String> faults = new ArrayList<>();
        check(name, defs.path(name), document, "", faults, seen);
        return faults;
    }

    private void check(String at, JsonNode rule, JsonNode value, String place, List<String> faults, Set<String> used) {
        if (!rule.isObject()) {
            faults.add(place + ": the schema has no " + at);
            return;
        }
        rule.fieldNames().forEachRemaining(word -> {
            if (!WORDS.contains(word)) {
                faults.add(at + ": this test does not know " + word);
            }
        });
        if (rule.has("$ref")) {
            String name = name(rule);
            check(name, defs.path(name), value, place, faults, used);
        } else if (rule.has("anyOf")) {
            checkAny(at, rule.path("anyOf"), value, place, faults, used);
        } else {
            checkOne(at, rule, value, place, faults, used);
        }
    }

    private static String name(JsonNode rule) {
        String place = rule.path("$ref").textValue();
        return place.substring(place.lastIndexOf('/') + 1);
    }

    private void checkAny(
            String at, JsonNode any, JsonNode value, String place, List<String> faults, Set<String> used) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < any.size(); i++) {
            List<String> own = new ArrayList<>();
            Set<String> ownUsed = new TreeSet<>();
            check(at + " or " + i, any.get(i), value, place, own, ownUsed);
            if (own.isEmpty()) {
                used.addAll(ownUsed);
                return;
            }
            all.addAll(own);
        }
        faults.addAll(all);
    }

    private void checkOne(
            String at, JsonNode rule, JsonNode value, String place, List<String> faults, Set<String> used) {
        List<String> types = types(rule);
        String type = value.getNodeType().toString().toLowerCase(Locale.ROOT);
        type = type.equals("number") && value.isIntegralNumber() && types.contains("integer") ? "integer" : type;
        if (!types.contains(type)) {
            faults.add(place + ": " + type + " instead of " + types);
            return;
        }
        used.add(at + " is " + type);
        if (rule.has("const") && !rule.path("const").equals(value)) {
            faults.add(place + ": not " + rule.path("const"));
        }
        if (rule.has("enum")
                && StreamSupport.stream(rule.path("enum").spliterator(), false).noneMatch(value::equals)) {
            faults.add(place + ": " + value + " is not one of " + rule.path("enum"));
        }
        if (rule.has("format") && value.isTextual()) {
            checkTime(value.textValue(), place, faults);
        }
        for (int i = 0; i < value.size() && value.isArray(); i++) {
            check(at + " item", rule.path("items"), value.get(i), place + "/" + i, faults, used);
        }
        if (value.isObject()) {
            checkKeys(at, rule, value, place, faults, used);
        }
    }

    private static void checkTime(String text, String place, List<String> faults) {
        try {
            OffsetDateTime.parse(text);
        } catch (DateTimeParseException e) {
            faults.add(place + ": " + e.getMessage());
        }
    }

    private void checkKeys(
            String at, JsonNode rule, JsonNode value, String place, List<String> faults, Set<String> used) {
        for (JsonNode key : rule.path("required")) {
            if (!value.has(key.textValue())) {
                faults.add(place + ": " + key.textValue() + " is missing");
            }
        }
        value.properties().forEach(entry -> {
            String key = entry.getKey();
            JsonNode inner = rule.path("properties").path(key);
            if (!inner.isMissingNode()) {
                check(at + "." + key, inner, entry.getValue(), place + "/" + key, faults, used);
            } else if (!rule.path("additionalProperties").asBoolean()) {
                faults.add(place + ": the schema does not have " + key);
            }
        });
    }

    private static List<String> types(JsonNode rule) {
        List<String> types = new ArrayList<>();
        if (rule.path("type").isTextual()) {
            types.add(rule.path("type").textValue());
        }
        rule.path("type").forEach(type -> types.add(type.textValue()));
        return types;
    }

    /** Returns the locations of the schema, with their types, that no document used. */
    public Set<String> unseen() {
        Set<String> all = new TreeSet<>();
        defs.properties().forEach(def -> collect(def.getKey(), def.getValue(), all));
        all.removeAll(seen);
        return all;
    }

    private static void collect(String at, JsonNode rule, Set<String> all) {
        types(rule).forEach(type -> all.add(at + " is " + type));
        rule.path("properties").properties().forEach(key -> collect(at + "." + key.getKey(), key.getValue(), all));
        if (!rule.path("items").isMissingNode()) {
            collect(at + " item", rule.path("items"), all);
        }
        for (int i = 0; i < rule.path("anyOf").size(); i++) {
            collect(at + " or " + i, rule.path("anyOf").get(i), all);
        }
    }
}
