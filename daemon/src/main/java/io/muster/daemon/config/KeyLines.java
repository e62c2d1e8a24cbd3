package io.muster.daemon.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * The line of each key in a TOML text, because Jackson's TOML parser reports no positions, and the keys and tables that are written
 * twice, because Jackson reports such a key at the wrong place and does not name the table. The scan follows the grammar just closely
 * enough to find the keys of a text that Jackson accepts; in any other text it may miss keys. Keys within inline tables and array
 * elements are not listed; the place of such a key is that of the key that holds the table or array.
 */
final class KeyLines {
    /** A fault at a line. */
    record Fault(int line, String sentence) {}

    private final String text;
    private final Map<List<String>, Integer> lines = new HashMap<>();
    private final List<Fault> repeated = new ArrayList<>();
    private final Map<List<String>, Integer> lastElements = new HashMap<>();
    private int position;
    private int line = 1;

    private KeyLines(String text) {
        this.text = text;
    }

    static KeyLines scan(String toml) {
        KeyLines found = new KeyLines(toml);
        Set<List<String>> assigned = new HashSet<>();
        List<String> table = List.of();
        while (found.skipToItem()) {
            boolean array = found.text.startsWith("[[", found.position);
            boolean header = found.at('[');
            int line = found.line;
            found.position += array ? 2 : header ? 1 : 0;
            List<String> path = found.note(header ? List.of() : table, found.keys(), array);
            if (!array && !assigned.add(path)) {
                String name = String.join(".", path);
                String sentence = header ? "[" + name + "]: is written twice" : name + ": is set twice";
                found.repeated.add(new Fault(line, sentence + ", first on line " + found.of(path)));
            }
            if (header) {
                table = path;
                found.skip(c -> c != '\n');
            } else {
                found.skipValue();
            }
        }
        return found;
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

    /** The keys and tables that were already written on an earlier line. */
    List<Fault> repeated() {
        return repeated;
    }

    private boolean more() {
        return position < text.length();
    }

    private boolean at(char c) {
        return more() && text.charAt(position) == c;
    }

    private void next() {
        line += at('\n') ? 1 : 0;
        position++;
    }

    private void skip(IntPredicate characters) {
        while (more() && characters.test(text.charAt(position))) {
            next();
        }
    }

    private boolean skipComment() {
        boolean comment = at('#');
        if (comment) {
            skip(c -> c != '\n');
        }
        return comment;
    }

    /** Skips to the next header or key, and returns whether there is one. */
    private boolean skipToItem() {
        do {
            skip(Character::isWhitespace);
        } while (skipComment());
        return more();
    }

    /** Skips to the end of the line on which the value ends. */
    private void skipValue() {
        int depth = 0;
        while (more() && !(at('\n') && depth <= 0)) {
            if (!skipComment() && !skipString()) {
                depth += at('[') || at('{') ? 1 : at(']') || at('}') ? -1 : 0;
                next();
            }
        }
    }

    /** Skips a string, if one begins here. */
    private boolean skipString() {
        if (!at('"') && !at('\'')) {
            return false;
        }
        String quote = text.substring(position, position + 1);
        String end = text.startsWith(quote.repeat(3), position) ? quote.repeat(3) : quote;
        position += end.length();
        while (more() && !text.startsWith(end, position)) {
            if (at('\\') && quote.equals("\"")) {
                next();
            }
            next();
        }
        position += end.length();
        while (end.length() == 3 && at(quote.charAt(0))) {
            next();
        }
        position = Math.min(position, text.length());
        return true;
    }

    /** Reads a dotted key, up to the first character that cannot be part of one. */
    private List<String> keys() {
        List<String> keys = new ArrayList<>();
        do {
            position += keys.isEmpty() ? 0 : 1;
            skip(KeyLines::isBlank);
            int start = position;
            boolean quoted = skipString();
            if (!quoted) {
                skip(c -> Character.isLetterOrDigit(c) || c == '-' || c == '_');
            }
            if (position == start && more()) {
                next();
            }
            int end = quoted ? Math.max(start + 1, position - 1) : position;
            keys.add(text.substring(quoted ? start + 1 : start, end));
            skip(KeyLines::isBlank);
        } while (at('.'));
        return keys;
    }

    private static boolean isBlank(int c) {
        return c == ' ' || c == '\t';
    }

    /** Notes the line of a key and of each table on the way to it, unless known, and returns the whole path. */
    private List<String> note(List<String> table, List<String> keys, boolean newElement) {
        List<String> path = new ArrayList<>(table);
        for (int i = 0; i < keys.size(); i++) {
            path.add(keys.get(i));
            lines.putIfAbsent(List.copyOf(path), line);
            if (newElement && i == keys.size() - 1) {
                lastElements.merge(List.copyOf(path), 0, (last, first) -> last + 1);
            }
            Integer last = lastElements.get(path);
            if (last != null) {
                path.add(last.toString());
                lines.putIfAbsent(List.copyOf(path), line);
            }
        }
        return List.copyOf(path);
    }
}
