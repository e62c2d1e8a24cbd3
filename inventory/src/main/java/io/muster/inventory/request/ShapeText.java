package io.muster.inventory.request;

import io.muster.inventory.problem.MalformedException;

/** The text of a shape and the position up to which a parser has read it. */
final class ShapeText {
    private final String text;
    private int at;

    ShapeText(String text) {
        this.text = text;
    }

    int at() {
        return at;
    }

    boolean atEnd() {
        return at >= text.length();
    }

    /** Returns the next character, or NUL at the end (no grammar rule accepts a NUL in the text). */
    char peek() {
        return atEnd() ? '\0' : text.charAt(at);
    }

    char next() {
        return text.charAt(at++);
    }

    boolean take(char c) {
        if (!atEnd() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    void blanks() {
        while (!atEnd() && isBlank(text.charAt(at))) {
            at++;
        }
    }

    /** Returns whether the character is an ASCII blank. Other space characters are part of a name. */
    static boolean isBlank(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    boolean atQuote() {
        return isQuoteAt(at);
    }

    boolean isQuoteAt(int position) {
        return position < text.length() && (text.charAt(position) == '"' || text.charAt(position) == '\'');
    }

    String bareType() {
        return until("={}[]/;,\"'", true);
    }

    String bareCount() {
        return until("{}/;", false).strip();
    }

    /** Reads text without quotes up to any of {@code stops}. Blanks at its ends are kept. */
    String bare(String stops) {
        return until(stops, false);
    }

    private String until(String stops, boolean stopAtBlank) {
        int start = at;
        int depth = 0;
        while (!atEnd()) {
            char c = text.charAt(at);
            // A count may be in brackets, in which the stops do not count. A closing bracket without an opening one
            // ends the list that contains the vertex.
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (stops.indexOf(c) >= 0 || depth < 0 || (stopAtBlank && isBlank(c))) {
                break;
            }
            at++;
        }
        return text.substring(start, at);
    }

    /** Reads a quoted string: {@code '...'} is taken literally, {@code "..."} has JSON's escapes. */
    String quoted() {
        int start = at;
        char quote = next();
        StringBuilder value = new StringBuilder();
        while (!atEnd()) {
            char c = next();
            if (c == quote) {
                return value.toString();
            }
            if (c < ' ' && quote == '"') {
                throw malformed(at - 1, "a control character must be escaped in \"...\"");
            }
            value.append(c == '\\' && quote == '"' ? escaped() : c);
        }
        throw malformed(start, "expected a closing " + quote);
    }

    private char escaped() {
        int start = at - 1;
        char c = atEnd() ? '\0' : next();
        int simple = "\"\\/bfnrt".indexOf(c);
        if (simple >= 0 && c != '\0') {
            return "\"\\/\b\f\n\r\t".charAt(simple);
        }
        if (c == 'u' && at + 4 <= text.length() && text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        throw malformed(start, "expected one of JSON's escapes");
    }

    MalformedException malformed(String reason) {
        return malformed(at, atEnd() ? reason + ", but the shape ends" : reason);
    }

    MalformedException malformed(int position, String reason) {
        return new MalformedException("shape", text, position, reason);
    }
}
