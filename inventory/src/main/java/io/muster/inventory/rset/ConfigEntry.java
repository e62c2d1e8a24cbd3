package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One {@code [[resource.config]]} entry of the configuration, as in flux-config-resource(5).
 *
 * @param place the place that problems of the entry name, such as {@code resource.config/2}
 */
public record ConfigEntry(String place, Hostlist hosts, Idset cores, Idset gpus, List<String> properties) {
    private static final Set<String> KEYS = new TreeSet<>(Set.of("hosts", "cores", "gpus", "properties"));

    public ConfigEntry {
        properties = List.copyOf(properties);
    }

    /**
     * Reads the entries of a {@code resource.config} array. A value that cannot be read becomes a problem and is left out. An
     * entry without hosts is left out too.
     */
    public static List<ConfigEntry> readAll(JsonNode array, String place, Problems problems) {
        List<ConfigEntry> entries = new ArrayList<>();
        if (!array.isArray()) {
            problems.add(place, "must be an array of tables, not " + StrictJson.kind(array));
            return entries;
        }
        for (int i = 0; i < array.size(); i++) {
            ConfigEntry entry = new Reader(place + "/" + i, array.get(i), problems).read();
            if (!entry.hosts.isEmpty()) {
                entries.add(entry);
            }
        }
        return entries;
    }

    private record Reader(String place, JsonNode entry, Problems problems) {
        ConfigEntry read() {
            if (!entry.isObject()) {
                problems.add(place, "must be a table, not " + StrictJson.kind(entry));
            }
            entry.fieldNames().forEachRemaining(this::checkKnown);
            return new ConfigEntry(place, hosts(), ids("cores"), ids("gpus"), properties());
        }

        private void checkKnown(String key) {
            if (!KEYS.contains(key)) {
                problems.add(Pointer.of(place, key), "is not known; known are " + String.join(", ", KEYS));
            }
        }

        private Hostlist hosts() {
            Hostlist hosts = value("hosts", Hostlist::parse);
            if (hosts == null && entry.isObject() && !entry.has("hosts")) {
                problems.add(place + "/hosts", "hosts is missing");
            }
            if (hosts != null && hosts.isEmpty()) {
                problems.add(place + "/hosts", "names no host");
            }
            return hosts == null ? Hostlist.EMPTY : hosts;
        }

        private Idset ids(String key) {
            Idset ids = value(key, Idset::parse);
            return ids == null ? Idset.EMPTY : ids;
        }

        private <T> @Nullable T value(String key, Function<String, T> parse) {
            JsonNode text = entry.get(key);
            if (text == null) {
                return null;
            }
            try {
                if (text.isTextual()) {
                    return parse.apply(text.textValue());
                }
                problems.add(place + "/" + key, "must be a string, not " + StrictJson.kind(text));
            } catch (MalformedException e) {
                problems.add(place + "/" + key, Objects.requireNonNull(e.getMessage()));
            }
            return null;
        }

        private List<String> properties() {
            List<String> names = new ArrayList<>();
            JsonNode array = entry.path("properties");
            if (!array.isArray() && !array.isMissingNode()) {
                problems.add(place + "/properties", "must be an array of strings, not " + StrictJson.kind(array));
            }
            for (int i = 0; i < array.size(); i++) {
                String objection = objection(array.path(i));
                if (objection == null) {
                    names.add(array.path(i).textValue());
                } else {
                    problems.add(place + "/properties/" + i, objection);
                }
            }
            return names;
        }

        private static @Nullable String objection(JsonNode name) {
            return name.isTextual()
                    ? PropertyMap.objection(name.textValue())
                    : "must be a string, not " + StrictJson.kind(name);
        }
    }
}
