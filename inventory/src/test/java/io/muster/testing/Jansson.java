package io.muster.testing;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON as libjansson's {@code json_loads} does without flags, and with {@code JSON_DECODE_ANY}: valid UTF-8, no NUL in a key or a
 * string, no half of a surrogate pair, no control character that is not escaped, integers of 64 bits, reals that are finite, and 2048
 * levels.
 */
public final class Jansson {
    private static final int MAX_DEPTH = 2048;

    private final String text;
    private int at;
    private int depth;

    private Jansson(String text) {
        this.text = text;
    }

    /** A refusal, with libjansson's words where it has some. */
    private static final class Refusal extends RuntimeException {
        Refusal(String sentence) {
            super(sentence);
        }
    }

    /** Returns why libjansson would refuse the text, or null. */
    public static @Nullable String fault(byte[] utf8) {
        CharBuffer text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8));
        } catch (CharacterCodingException e) {
            return "unable to decode byte";
        }
        Jansson reader = new Jansson(text.toString());
        try {
            reader.value();
            reader.space();
            return reader.at == reader.text.length() ? null : "end of file expected at " + reader.at;
        } catch (Refusal e) {
            return e.getMessage() + " at " + reader.at;
        }
    }

    private void space() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char next() {
        if (at == text.length()) {
            throw new Refusal("premature end of input");
        }
        return text.charAt(at++);
    }

    private void expect(char c) {
        space();
        if (next() != c) {
            throw new Refusal("'" + c + "' expected");
        }
    }

    private boolean accept(char c) {
        space();
        boolean there = at < text.length() && text.charAt(at) == c;
        at += there ? 1 : 0;
        return there;
    }

    private void value() {
        if (++depth > MAX_DEPTH) {
            throw new Refusal("maximum parsing depth reached");
        }
        if (accept('{')) {
            if (!accept('}')) {
                do {
                    expect('"');
                    string("NUL byte in object key not supported");
                    expect(':');
                    value();
                } while (accept(','));
                expect('}');
            }
        } else if (accept('[')) {
            if (!accept(']')) {
                do {
                    value();
                } while (accept(','));
                expect(']');
            }
        } else if (accept('"')) {
            string("\\u0000 is not allowed without JSON_ALLOW_NUL");
        } else {
            scalar();
        }
        depth--;
    }

    private void string(String nul) {
        int high = 0;
        for (char c = next(); c != '"'; c = next()) {
            if (c < ' ') {
                throw new Refusal("control character");
            }
            boolean escape = c == '\\';
            int unit = escape ? escape() : c;
            if (unit == 0) {
                throw new Refusal(nul);
            }
            boolean low = Character.isLowSurrogate((char) unit);
            if (low != (high != 0)) {
                throw new Refusal("invalid Unicode");
            }
            high = Character.isHighSurrogate((char) unit) ? unit : 0;
        }
        if (high != 0) {
            throw new Refusal("invalid Unicode");
        }
    }

    private int escape() {
        char c = next();
        if (c != 'u') {
            if ("\"\\/bfnrt".indexOf(c) < 0) {
                throw new Refusal("invalid escape");
            }
            return c;
        }
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(next(), 16);
            if (digit < 0) {
                throw new Refusal("invalid escape");
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }

    private void scalar() {
        int start = at;
        while (at < text.length() && ",]}: \t\n\r".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        if (word.matches("true|false|null")) {
            return;
        }
        if (!word.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            throw new Refusal("invalid token");
        }
        if (word.toLowerCase(Locale.ROOT).matches(".*[.e].*")) {
            if (Double.isInfinite(Double.parseDouble(word))) {
                throw new Refusal("real number overflow");
            }
        } else {
            integer(word);
        }
    }

    private static void integer(String word) {
        try {
            long unused = Long.parseLong(word);
        } catch (NumberFormatException e) {
            throw new Refusal("too big integer");
        }
    }
}
