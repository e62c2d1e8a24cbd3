package io.muster.daemon.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.json.PortableJson;
import io.muster.inventory.problem.NotJson;
import io.muster.inventory.problem.Problems;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One configuration file, or a directory of files merged as flux-config(5) merges {@code *.toml}: in order of name, the keys of a later
 * file replace those of an earlier one. A document remembers the place of each key. A file whose name ends in {@code .json} is read as
 * JSON.
 */
final class ConfigTree {
    private static final ByteSize LARGEST = new ByteSize(64L << 20);
    private static final String BYTE_ORDER_MARK = "\uFEFF";
    private static final ObjectMapper TOML = TomlMapper.builder().build();
    private static final ObjectMapper JSON = JsonMapper.builder().build();

    private record Source(Path file, JsonNode tree, KeyLines lines) {
        String place(List<String> path) {
            return at(file, lines.of(path));
        }
    }

    private final ObjectNode tree = JsonNodeFactory.instance.objectNode();
    private final List<Source> sources = new ArrayList<>();

    /** Reads the files. A file that cannot be read is reported as a problem and missing from the tree. */
    static ConfigTree read(Path path, Problems problems) {
        ConfigTree document = new ConfigTree();
        for (Path file : filesOf(path, problems)) {
            Source source = readFile(file, problems);
            if (source != null) {
                document.sources.add(source);
                merge(document.tree, (ObjectNode) source.tree);
            }
        }
        return document;
    }

    /** Sets a key as an option of the command line does: relative to the working directory. Does nothing without a value. */
    void set(String option, Key key, @Nullable Path value) {
        if (value != null) {
            ObjectNode table = JsonNodeFactory.instance.objectNode();
            table.putObject(key.section()).put(key.key(), value.toString());
            sources.add(new Source(Path.of(option), table, KeyLines.scan("")));
            merge(tree, table);
        }
    }

    ObjectNode tree() {
        return tree;
    }

    /** The place, {@code file:line}, at which {@code path} or the nearest table that holds it was last set; "" if nowhere. */
    String place(List<String> path) {
        Source source = setter(path);
        return source != null ? source.place(path) : path.isEmpty() ? "" : place(path.subList(0, path.size() - 1));
    }

    /** The directory of the file that sets this key, against which relative paths are resolved. */
    @Nullable
    Path directory(List<String> path) {
        Source source = setter(path);
        return source == null ? null : source.file.toAbsolutePath().getParent();
    }

    private @Nullable Source setter(List<String> path) {
        return sources.stream()
                .filter(source -> has(source.tree, path))
                .reduce((first, last) -> last)
                .orElse(null);
    }

    private static boolean has(JsonNode tree, List<String> path) {
        JsonNode node = tree;
        for (String part : path) {
            node = node.isArray() && part.matches("\\d{1,9}") ? node.path(Integer.parseInt(part)) : node.path(part);
        }
        return !node.isMissingNode();
    }

    private static List<Path> filesOf(Path path, Problems problems) {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path, "*.toml")) {
            entries.forEach(files::add);
        } catch (IOException e) {
            problems.add(path.toString(), "cannot be listed: " + SourceFile.reason(e));
        }
        files.sort(null);
        return files;
    }

    private static @Nullable Source readFile(Path file, Problems problems) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(SourceFile.read(file, LARGEST));
            String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            if (text.startsWith(BYTE_ORDER_MARK)) {
                problems.add(at(file, 1), "begins with a byte order mark: save the file as UTF-8 without one");
                return null;
            }
            return parse(file, text, problems);
        } catch (CharacterCodingException e) {
            problems.add(file.toString(), "is not UTF-8 text");
        } catch (IOException e) {
            problems.add(file.toString(), "cannot be read: " + SourceFile.reason(e));
        }
        return null;
    }

    private static @Nullable Source parse(Path file, String text, Problems problems) {
        boolean json = file.toString().endsWith(".json");
        KeyLines lines = KeyLines.scan(json ? "" : text);
        try {
            JsonNode tree = (json ? JSON : TOML).readTree(text);
            if (!(tree instanceof ObjectNode)) {
                problems.add(file.toString(), "is not an object");
                return null;
            }
            Source source = new Source(file, tree, lines);
            checkPortable(source, problems);
            return source;
        } catch (JsonProcessingException e) {
            if (lines.repeated().isEmpty()) {
                int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
                problems.add(at(file, line), (json ? "not JSON: " : "not TOML: ") + NotJson.sentence(e));
            }
            lines.repeated().forEach(fault -> problems.add(at(file, fault.line()), fault.sentence()));
        }
        return null;
    }

    /** Reports values that no client could read, in tables of other programs too: {@code config.get} sends all tables to clients. */
    private static void checkPortable(Source source, Problems problems) {
        PortableJson.check(source.tree, "", (place, sentence) -> {
            List<String> path =
                    Stream.of(place.substring(1).split("/")).map(Pointer::key).toList();
            problems.add(source.place(path), String.join(".", path) + ": " + sentence);
        });
    }

    private static String at(Path file, int line) {
        return line > 0 ? file + ":" + line : file.toString();
    }

    private static void merge(ObjectNode into, ObjectNode from) {
        from.properties().forEach(field -> {
            JsonNode old = into.get(field.getKey());
            if (old instanceof ObjectNode oldTable && field.getValue() instanceof ObjectNode table) {
                merge(oldTable, table);
            } else {
                into.set(field.getKey(), field.getValue().deepCopy());
            }
        });
    }
}
