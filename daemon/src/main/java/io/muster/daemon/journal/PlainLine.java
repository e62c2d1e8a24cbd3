package io.muster.daemon.journal;

import io.muster.inventory.hostlist.HostSearch;
import io.muster.inventory.json.PortableJson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads an event's line in the form that the daemon writes without parsing its JSON, because parsing takes most of the time of a reading.
 * Lines in another form, which another program may have written, must be parsed.
 */
final class PlainLine {
    private static final int LONGEST_NUMBER = 18;

    private static final byte[] TIMESTAMP = Line.ascii(",\"timestamp\":");
    private static final byte[] NAME = Line.ascii(",\"name\":\"");

    private byte[] bytes = {};
    private int start;
    private int end;
    private int at;

    private long seq;
    private long durable;
    private int more;
    /** The offset of the comma before the event's own keys. */
    private int own;

    private int name;
    private int nameEnd;

    /**
     * Reads the keys up to the event's name.
     *
     * @param from where the JSON begins
     * @return whether the line has the form that the daemon writes; otherwise nothing else in this object has a meaning
     */
    boolean read(byte[] line, int from, int to) {
        bytes = line;
        start = from;
        end = to;
        at = from;
        seq = number(Line.SEQ);
        durable = number(Line.DURABLE);
        more = (int) Math.max(0, number(Line.MORE));
        own = at;
        boolean timed = skip(TIMESTAMP);
        while (at < end && (isDigit(bytes[at]) || bytes[at] == '.')) {
            at++;
        }
        boolean named = skip(NAME);
        name = at;
        named &= skipText();
        nameEnd = at;
        return timed && named && durable >= 0 && durable < seq;
    }

    /** The number after a literal, if the literal is here; otherwise -1. A number that is too long ends the reading. */
    private long number(byte[] literal) {
        if (!skip(literal)) {
            return -1;
        }
        int first = at;
        long value = 0;
        while (at < end && isDigit(bytes[at])) {
            value = 10 * value + bytes[at++] - '0';
        }
        at = at == first || at - first > LONGEST_NUMBER ? end : at;
        return value;
    }

    private boolean skip(byte[] literal) {
        boolean here =
                end - at >= literal.length && Arrays.equals(bytes, at, at + literal.length, literal, 0, literal.length);
        at += here ? literal.length : 0;
        return here;
    }

    /** Moves to the quote that ends a text without escapes. */
    private boolean skipText() {
        while (at < end && bytes[at] != '"' && bytes[at] != '\\') {
            at++;
        }
        return at < end && bytes[at] == '"';
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    /** Whether the event may concern one of the hosts. */
    boolean mayName(HostSearch hosts) {
        return hosts.mayNameIn(bytes, nameEnd, end);
    }

    /** The hostlist as it is written, one character for each byte; null if the line has none. */
    @Nullable
    String hostlist() {
        int first = HostSearch.hostlist(bytes, nameEnd, end);
        int last = first < 0 ? -1 : HostSearch.quote(bytes, first, end);
        return last < 0 ? null : text(first, last);
    }

    private String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    long seq() {
        return seq;
    }

    long durable() {
        return durable;
    }

    int more() {
        return more;
    }

    double timestamp() {
        return Double.parseDouble(text(own + TIMESTAMP.length, name - NAME.length));
    }

    String name() {
        return text(name, nameEnd);
    }

    /** The length of the line with its checksum and its newline. */
    int length() {
        return Line.PREFIX + end - start + 1;
    }

    /** Whether the JSON has only printable ASCII characters and no escapes. */
    boolean isAscii() {
        return PortableJson.isPlain(bytes, start, end);
    }

    /** The event as it was submitted. */
    byte[] submitted() {
        byte[] event = Arrays.copyOfRange(bytes, own, end);
        event[0] = '{';
        return event;
    }
}
