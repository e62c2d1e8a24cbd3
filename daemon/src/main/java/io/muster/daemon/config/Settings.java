package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.problem.Problems;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the value of each key once and checks it. Collects the problems found, and the values in force, on the way. */
final class Settings {
    /** Limit from bind(2): sun_path has 108 bytes, the last of them NUL. */
    private static final int LONGEST_SOCKET_PATH = 107;

    private final Document document;
    private final Problems problems;
    private final Map<Key, Effective.Setting> read = new EnumMap<>(Key.class);

    Settings(Document document, Problems problems) {
        this.document = document;
        this.problems = problems;
    }

    Effective effective() {
        return new Effective(List.copyOf(read.values()));
    }

    void problem(Key key, String sentence) {
        problems.add(place(key), key + ": " + sentence);
    }

    /** Reports a problem in a file other than the configuration. */
    void problem(Path file, int line, String sentence) {
        problems.add(Document.at(file, line), sentence);
    }

    /**
     * Reports problems within the value of {@code key}, placed by JSON pointers. If two are at the same place, only the first is reported.
     */
    void relay(Key key, Problems... found) {
        Set<String> told = new HashSet<>();
        for (Problems some : found) {
            some.errors().stream().filter(p -> told.add(p.place())).forEach(p -> {
                List<String> parts = List.of(p.place().split("/"));
                List<String> below = parts.subList(1, parts.size());
                problems.add(place(key, below), named(key, below) + ": " + p.sentence());
            });
        }
    }

    /** Reports the problems and warnings of a file that the configuration names. */
    void relay(Path file, Problems found) {
        found.errors().forEach(p -> problems.add(file.toString(), p.toString()));
        found.warnings().forEach(p -> problems.warn(file.toString(), p.toString()));
    }

    boolean has(Key key) {
        return !node(key).isMissingNode();
    }

    void note(Key key, String sentence) {
        problems.warn(place(key), key + ": " + sentence);
    }

    /** The raw value; the caller reports problems in parsing it. */
    JsonNode node(Key key) {
        return document.tree().path(key.section()).path(key.key());
    }

    <T> T get(Key key, T fallback, Function<JsonNode, T> parse) {
        JsonNode node = node(key);
        T value = fallback;
        if (!node.isMissingNode()) {
            try {
                value = parse.apply(node);
            } catch (IllegalArgumentException e) {
                problem(key, String.valueOf(e.getMessage()));
            }
        }
        record(key, print(value));
        return value;
    }

    void record(Key key, String value) {
        read.put(key, new Effective.Setting(key, value, has(key) ? place(key) : Effective.Setting.DEFAULT));
    }

    boolean flag(Key key, boolean fallback) {
        return get(key, fallback, node -> {
            require(node.isBoolean(), "expected true or false");
            return node.booleanValue();
        });
    }

    int integer(Key key, int fallback, int least, int most) {
        return get(key, fallback, node -> {
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
    double share(Key key, double fallback) {
        return get(key, fallback, node -> {
            require(
                    node.isNumber() && node.doubleValue() >= 0 && node.doubleValue() <= 1,
                    "expected a number from 0 to 1");
            return node.doubleValue();
        });
    }

    String text(Key key, String fallback) {
        return get(key, fallback, Settings::textOf);
    }

    List<String> texts(Key key) {
        return get(key, List.of(), Settings::textsOf);
    }

    Fsd duration(Key key, Fsd fallback) {
        return get(key, fallback, node -> Fsd.parse(node.isNumber() ? node.asText() : textOf(node)));
    }

    ByteSize size(Key key, ByteSize fallback, ByteSize least, ByteSize most) {
        return get(key, fallback, node -> {
            ByteSize size = ByteSize.parse(node.isIntegralNumber() ? node.asText() : textOf(node));
            require(size.bytes() >= least.bytes() && size.bytes() <= most.bytes(), "expected " + least + " to " + most);
            return size;
        });
    }

    <E extends Enum<E>> E choice(Key key, E fallback) {
        List<E> choices = List.of(fallback.getDeclaringClass().getEnumConstants());
        List<String> names = choices.stream().map(Settings::print).toList();
        return get(key, fallback, node -> {
            int index = names.indexOf(textOf(node));
            require(index >= 0, "expected " + oneOf(names) + Key.suggestion(node.asText(), names));
            return choices.get(index);
        });
    }

    /** A path; a relative one is resolved against the directory of the file that sets the key. */
    Path path(Key key, Path fallback) {
        return get(key, fallback, node -> pathOf(key, node));
    }

    @Nullable
    Path pathIfGiven(Key key) {
        Path none = Path.of("");
        Path path = path(key, none);
        return path.equals(none) ? null : path;
    }

    void checkSocketPath(Key key, Path path) {
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_SOCKET_PATH) {
            problem(key, path + " has " + length + " bytes, but a UNIX socket's path may have " + LONGEST_SOCKET_PATH);
        }
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

    static List<String> textsOf(JsonNode node) {
        require(node.isArray(), "expected an array of strings");
        List<String> texts = new ArrayList<>();
        node.forEach(element -> texts.add(textOf(element)));
        return List.copyOf(texts);
    }

    private Path pathOf(Key key, JsonNode node) {
        String text = textOf(node);
        require(!text.isEmpty(), "expected a path");
        Path directory = document.directory(List.of(key.section(), key.key()));
        try {
            return directory == null ? Path.of(text) : directory.resolve(text).normalize();
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("is no path: " + e.getReason(), e);
        }
    }

    private String place(Key key) {
        return place(key, List.of());
    }

    private String place(Key key, List<String> below) {
        return !has(key) ? "" : document.place(path(key, below));
    }

    private static List<String> path(Key key, List<String> below) {
        List<String> path = new ArrayList<>(List.of(key.section(), key.key()));
        path.addAll(below);
        return path;
    }

    /** A readable name for a place within a value: {@code resource.config[1].hosts}. */
    private static String named(Key key, List<String> below) {
        StringBuilder name = new StringBuilder(key.toString());
        below.forEach(part -> name.append(part.matches("\\d+") ? "[" + part + "]" : "." + part));
        return name.toString();
    }

    static String oneOf(List<String> names) {
        StringJoiner joiner = new StringJoiner(", ");
        names.subList(0, names.size() - 1).forEach(joiner::add);
        return joiner + " or " + names.get(names.size() - 1);
    }

    private static String print(Object value) {
        return value instanceof Enum<?> e ? e.name().toLowerCase(Locale.ROOT) : value.toString();
    }
}
