package io.muster.daemon.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The line of each key in a TOML text, since Jackson's TOML parser reports no positions, and the keys that are set twice, since Jackson
 * reports such a key at the wrong place. The scan follows the grammar just closely enough to find the keys of a text that Jackson accepts;
 * of any other text it finds what it can. Keys within inline tables and array elements are not listed; their position is that of the key
 * that holds them.
 */
final class KeyLines {
    private final String text;
    private int position;
    private int line = 1;
    private final Map<List<String>, Integer> lines = new HashMap<>();
    private final Set<List<String>> assigned = new HashSet<>();
    private final List<Repeated> repeated = new ArrayList<>();
    private final Map<List<String>, Integer> tableArrays = new HashMap<>();

    /** A key that was already set on an earlier line. */
    record Repeated(List<String> path, int line) {}

    private KeyLines(String text) {
        this.text = text;
    }

    static KeyLines scan(String toml) {
        KeyLines scanner = new KeyLines(toml);
        List<String> table = List.of();
        while (scanner.skipToItem()) {
            if (scanner.peek() == '[') {
                table = scanner.header();
            } else {
                scanner.assignment(table);
            }
        }
        return scanner;
    }

    /** An empty index, for a document in another format. */
    static KeyLines none() {
        return new KeyLines("");
    }

    /** Lines, counted from one, by key path. The path of a table in an array contains its index. */
    Map<List<String>, Integer> lines() {
        return lines;
    }

    /** The line of {@code path} or of the nearest key that contains it; 0 if there is none. */
    int of(List<String> path) {
        for (int n = path.size(); n > 0; n--) {
            Integer found = lines.get(path.subList(0, n));
            if (found != null) {
                return found;
            }
        }
        return 0;
    }

    List<Repeated> repeated() {
        return repeated;
    }

    private char peek() {
        return position < text.length() ? text.charAt(position) : '\0';
    }

    private char next() {
        char c = peek();
        position++;
        if (c == '\n') {
            line++;
        }
        return c;
    }

    private boolean more() {
        return position < text.length();
    }

    private boolean skipToItem() {
        while (more()) {
            if (peek() == '#') {
                skipLine();
            } else if (Character.isWhitespace(peek())) {
                next();
            } else {
                return true;
            }
        }
        return false;
    }

    private void skipLine() {
        while (more() && peek() != '\n') {
            next();
        }
    }

    /** Reads {@code [a.b]} or {@code [[a.b]]}: the path of the keys that follow. */
    private List<String> header() {
        boolean array = text.startsWith("[[", position);
        position += array ? 2 : 1;
        List<String> path = keyPath();
        if (array) {
            List<String> whole = resolve(List.of(), path.subList(0, path.size() - 1));
            whole.add(path.get(path.size() - 1));
            tableArrays.merge(List.copyOf(whole), 0, (old, zero) -> old + 1);
        }
        List<String> table = note(List.of(), path);
        skipLine();
        return table;
    }

    private void assignment(List<String> table) {
        int at = line;
        List<String> path = note(table, keyPath());
        if (!assigned.add(path)) {
            repeated.add(new Repeated(path, at));
        }
        skipValue();
    }

    /** Reads a dotted key, up to the first character that cannot be part of one. */
    private List<String> keyPath() {
        List<String> path = new ArrayList<>();
        do {
            skipBlanks();
            path.add(peek() == '"' || peek() == '\'' ? quoted() : bare());
            skipBlanks();
        } while (more() && peek() == '.' && next() == '.');
        return path;
    }

    private void skipBlanks() {
        while (peek() == ' ' || peek() == '\t') {
            next();
        }
    }

    private String bare() {
        int start = position;
        while (more() && (Character.isLetterOrDigit(peek()) || peek() == '-' || peek() == '_')) {
            next();
        }
        if (position == start) {
            next();
        }
        return text.substring(start, Math.min(position, text.length()));
    }

    private String quoted() {
        int start = position + 1;
        skipString();
        return text.substring(Math.min(start, text.length()), Math.max(Math.min(start, text.length()), position - 1));
    }

    private List<String> note(List<String> table, List<String> path) {
        List<String> whole = new ArrayList<>(table);
        for (String part : path) {
            whole = resolve(whole, List.of(part));
            lines.putIfAbsent(List.copyOf(whole), line);
        }
        return List.copyOf(whole);
    }

    /** Appends each part; after a part that is an array of tables, also the index of its last element. */
    private List<String> resolve(List<String> base, List<String> parts) {
        List<String> whole = new ArrayList<>(base);
        for (String part : parts) {
            whole.add(part);
            Integer last = tableArrays.get(whole);
            if (last != null) {
                lines.putIfAbsent(List.copyOf(whole), line);
                whole.add(last.toString());
            }
        }
        return whole;
    }

    private void skipValue() {
        int depth = 0;
        while (more()) {
            char c = peek();
            if (c == '"' || c == '\'') {
                skipString();
            } else if (c == '#') {
                skipLine();
            } else if (c == '\n' && depth <= 0) {
                return;
            } else {
                depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
                next();
            }
        }
    }

    private void skipString() {
        String quote = text.substring(position, position + 1);
        String end = text.startsWith(quote.repeat(3), position) ? quote.repeat(3) : quote;
        position += end.length();
        while (more() && !text.startsWith(end, position)) {
            if (next() == '\\' && quote.equals("\"") && more()) {
                next();
            }
        }
        position = Math.min(text.length(), position + end.length());
        while (end.length() == 3 && more() && text.startsWith(quote, position)) {
            position++;
        }
    }
}
