package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table of the configuration. A getter returns the value of a key, or a fallback if the key is absent or its value is wrong; a wrong
 * value becomes a problem at its file and line. The values of a section, which is a table at the top, are collected as the settings in
 * force, so the code may ask a section only for keys that {@link Key} lists. Tables within a section may have any keys.
 *
 * @param settings the values that were read so far from all sections
 * @param path the keys that lead to the table, and after an array of tables the index
 */
record ConfigTable(
        ConfigTree document,
        Problems problems,
        Map<Key, Effective.Setting> settings,
        List<String> path,
        JsonNode json) {

    /** The table that holds the sections. */
    ConfigTable(ConfigTree document, Problems problems) {
        this(document, problems, new EnumMap<>(Key.class), List.of(), document.tree());
    }

    private ConfigTable below(JsonNode value, String... parts) {
        return new ConfigTable(document, problems, settings, at(parts), value);
    }

    /** The settings that were read so far from all sections. */
    Effective effective() {
        return new Effective(List.copyOf(settings.values()));
    }

    List<String> names() {
        return json.properties().stream().map(Map.Entry::getKey).toList();
    }

    boolean has(String name) {
        return json.has(name);
    }

    /** Returns whether a file has this key, and no option of the command line overrides it. */
    boolean isInFile(String name) {
        return has(name) && !place(name).startsWith("--");
    }

    /** The value as it was parsed; the caller reports what is wrong with it. */
    JsonNode json(String name) {
        return json.path(name);
    }

    /** The {@code file:line} of a key. A key that is absent has the place of its table, but in a section it has none: "". */
    String place(String name) {
        return has(name) || path.size() > 1 ? document.place(at(name)) : "";
    }

    void problem(String name, String sentence) {
        problems.add(place(name), named(at(name)) + ": " + sentence);
    }

    void note(String name, String sentence) {
        problems.warn(place(name), named(at(name)) + ": " + sentence);
    }

    /** Reports the keys that are not in {@code known}. */
    void refuseUnknown(List<String> known) {
        unknown(known)
                .forEach(name -> problem(
                        name, Key.GONE.getOrDefault(named(at(name)), "unknown key" + Key.suggestion(name, known))));
    }

    /** Notes the keys that are not in {@code known}, and ignores them. */
    void noteUnknown(List<String> known) {
        unknown(known).forEach(name -> note(name, "unknown key, which is ignored" + Key.suggestion(name, known)));
    }

    private Stream<String> unknown(List<String> known) {
        return names().stream().filter(name -> !known.contains(name));
    }

    /**
     * Reports problems that another package found in the value of {@code name}. The first part of a problem's place stands for {@code
     * name}, and the rest is the JSON pointer below. Only the first problem at each place is reported.
     */
    void relay(String name, Problems found) {
        for (Problem problem : found.errors()) {
            String[] parts = problem.place().split("/");
            parts[0] = name;
            Problem there = new Problem(document.place(at(parts)), named(at(parts)) + ": ");
            if (problems.errors().stream()
                    .noneMatch(earlier -> earlier.place().equals(there.place())
                            && earlier.sentence().startsWith(there.sentence()))) {
                problems.add(there.place(), there.sentence() + problem.sentence());
            }
        }
    }

    /** Reports the problems and warnings of a file that the configuration names. */
    void relay(Path file, Problems found) {
        found.errors().forEach(p -> problems.add(file.toString(), p.toString()));
        found.warnings().forEach(p -> problems.warn(file.toString(), p.toString()));
    }

    <T> T get(String name, T fallback, Function<JsonNode, T> parse) {
        T value = fallback;
        if (has(name)) {
            try {
                value = parse.apply(json(name));
            } catch (IllegalArgumentException e) {
                problem(name, String.valueOf(e.getMessage()));
            }
        }
        record(name, print(value));
        return value;
    }

    /** Sets the text that is shown for a key in place of the value that was read. */
    void show(String name, String value) {
        record(name, value);
    }

    private void record(String name, String value) {
        if (path.size() <= 1) {
            Key key = Key.find(String.join("", path), name).orElseThrow();
            settings.put(key, new Effective.Setting(key, value, has(name) ? place(name) : Effective.Setting.DEFAULT));
        }
    }

    /** A table at the top. If the value is absent or not a table, which {@link Config} reports, the section is empty. */
    ConfigTable section(String name) {
        return below(json(name), name);
    }

    /** A table within this one; if absent, it is empty. */
    ConfigTable table(String name) {
        JsonNode value = get(name, MissingNode.getInstance(), node -> {
            require(node.isObject(), "expected a table");
            return node;
        });
        return below(value, name);
    }

    /** An array of tables within this one; if absent, it is empty. An element that is not a table is reported and left out. */
    List<ConfigTable> tables(String name) {
        JsonNode array = json(name);
        Problems wrong = new Problems();
        List<ConfigTable> tables = new ArrayList<>();
        if (has(name) && !array.isArray()) {
            wrong.add("", "must be an array of tables, not " + StrictJson.kind(array));
        }
        for (int i = 0; array.isArray() && i < array.size(); i++) {
            JsonNode element = array.get(i);
            if (element.isObject()) {
                tables.add(below(element, name, Integer.toString(i)));
            } else {
                wrong.add("/" + i, "must be a table, not " + StrictJson.kind(element));
            }
        }
        relay(name, wrong);
        record(name, tables.size() + (tables.size() == 1 ? " entry" : " entries"));
        return tables;
    }

    boolean flag(String name, boolean fallback) {
        return get(name, fallback, node -> {
            require(node.isBoolean(), "expected true or false");
            return node.booleanValue();
        });
    }

    int integer(String name, int fallback, int least, int most) {
        return get(name, fallback, node -> {
            require(
                    node.isIntegralNumber()
                            && node.canConvertToInt()
                            && node.intValue() >= least
                            && node.intValue() <= most,
                    "expected a whole number from " + least + " to " + most);
            return node.intValue();
        });
    }

    /** A part of the whole, from 0 to 1. */
    double share(String name, double fallback) {
        return get(name, fallback, node -> {
            require(
                    node.isNumber() && node.doubleValue() >= 0 && node.doubleValue() <= 1,
                    "expected a number from 0 to 1");
            return node.doubleValue();
        });
    }

    String text(String name, String fallback) {
        return get(name, fallback, ConfigTable::textOf);
    }

    List<String> texts(String name) {
        return get(name, List.of(), ConfigTable::textsOf);
    }

    static List<String> textsOf(JsonNode node) {
        require(node.isArray(), "expected an array of strings");
        List<String> texts = new ArrayList<>();
        node.forEach(element -> texts.add(textOf(element)));
        return List.copyOf(texts);
    }

    Fsd duration(String name, Fsd fallback) {
        return get(name, fallback, node -> Fsd.parse(node.isNumber() ? node.asText() : textOf(node)));
    }

    ByteSize size(String name, ByteSize fallback, ByteSize least, ByteSize most) {
        return get(name, fallback, node -> {
            ByteSize size = ByteSize.parse(node.isIntegralNumber() ? node.asText() : textOf(node));
            require(size.bytes() >= least.bytes() && size.bytes() <= most.bytes(), "expected " + least + " to " + most);
            return size;
        });
    }

    <E extends Enum<E>> E choice(String name, E fallback) {
        List<E> choices = List.of(fallback.getDeclaringClass().getEnumConstants());
        List<String> words = choices.stream().map(ConfigTable::print).toList();
        return get(name, fallback, node -> {
            int index = words.indexOf(textOf(node));
            require(index >= 0, "expected " + oneOf(words) + Key.suggestion(node.asText(), words));
            return choices.get(index);
        });
    }

    /** A path; a relative one is resolved against the directory of the file that sets the key. */
    Path path(String name, Path fallback) {
        return get(name, fallback, node -> {
            String text = textOf(node);
            require(!text.isEmpty(), "expected a path");
            Path directory = document.directory(at(name));
            try {
                return directory == null
                        ? Path.of(text)
                        : directory.resolve(text).normalize();
            } catch (InvalidPathException e) {
                throw new IllegalArgumentException("is not a path: " + e.getReason(), e);
            }
        });
    }

    @Nullable
    Path pathIfGiven(String name) {
        Path none = Path.of("");
        Path path = path(name, none);
        return path.equals(none) ? null : path;
    }

    static void require(boolean condition, String sentence) {
        if (!condition) {
            throw new IllegalArgumentException(sentence);
        }
    }

    static String textOf(JsonNode node) {
        require(node.isTextual(), "expected a string");
        return node.textValue();
    }

    private List<String> at(String... parts) {
        return Stream.concat(path.stream(), Stream.of(parts)).toList();
    }

    /** A readable name for a path: {@code resource.config[1].hosts}. */
    private static String named(List<String> path) {
        StringBuilder name = new StringBuilder(path.get(0));
        path.subList(1, path.size()).forEach(part -> name.append(part.matches("\\d+") ? "[" + part + "]" : "." + part));
        return name.toString();
    }

    private static String oneOf(List<String> words) {
        int last = words.size() - 1;
        return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    private static String print(Object value) {
        return value instanceof Enum<?> e ? e.name().toLowerCase(Locale.ROOT) : value.toString();
    }
}
