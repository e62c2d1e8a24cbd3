package io.muster.inventory.hostlist;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.StringJoiner;

/**
 * Looks for a few hosts in the text of hostlists without parsing it. A positive result may be wrong. A negative result is
 * certain: the hostlist names none of the hosts.
 */
public final class HostSearch {
    /** The highest number of hosts for which looking for each host is faster than parsing the hostlist. */
    private static final int MOST = 16;

    private static final int LONGEST_NUMBER = 18;

    private static final byte[] CONTEXT = ascii("\"context\":{");
    private static final byte[] IDSET = ascii("\"idset\":\"");
    private static final byte[] NODELIST = ascii("\",\"nodelist\":\"");

    private final byte[][] hosts;

    /** @param hosts empty for all hosts */
    public HostSearch(Set<String> hosts) {
        this.hosts = hosts.size() > MOST
                ? new byte[0][]
                : hosts.stream()
                        .map(host -> host.getBytes(StandardCharsets.ISO_8859_1))
                        .toArray(byte[][]::new);
    }

    /** Returns whether the search can have a negative result. */
    public boolean isSelective() {
        return hosts.length > 0;
    }

    /** Returns whether the hostlist between two offsets may name one of the hosts. */
    public boolean mayName(byte[] text, int from, int to) {
        for (byte[] host : hosts) {
            if (mayName(host, text, from, to)) {
                return true;
            }
        }
        return !isSelective();
    }

    /** Returns whether an event, as JSON in the form in which the daemon writes it, may be about one of the hosts. */
    public boolean mayNameIn(byte[] event) {
        return mayNameIn(event, 0, event.length);
    }

    /** @param from an offset in the event before its context */
    public boolean mayNameIn(byte[] event, int from, int to) {
        int first = hostlist(event, from, to);
        int end = first < 0 ? -1 : quote(event, first, to);
        return end < 0 || mayName(event, first, end);
    }

    /** Returns the offset of the hostlist in the context of an event; -1 if the event has none where the daemon writes it. */
    public static int hostlist(byte[] event, int from, int to) {
        int at = from;
        while (at < to && (event[at] != '"' || !isAt(CONTEXT, event, at, to))) {
            at++;
        }
        int context = at + CONTEXT.length;
        int idset = isAt(IDSET, event, context, to) ? quote(event, context + IDSET.length, to) : -1;
        return idset >= 0 && isAt(NODELIST, event, idset, to) ? idset + NODELIST.length : -1;
    }

    /** Returns the offset of the quote that ends a text without escapes; -1 if there is none. */
    public static int quote(byte[] json, int from, int to) {
        int at = from;
        while (at < to && json[at] != '"' && json[at] != '\\') {
            at++;
        }
        return at < to && json[at] == '"' ? at : -1;
    }

    private static boolean isAt(byte[] literal, byte[] text, int at, int to) {
        return to - at >= literal.length && Arrays.equals(text, at, at + literal.length, literal, 0, literal.length);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a hostlist without the items that name none of the hosts. */
    public String only(String hostlist) {
        if (!isSelective()) {
            return hostlist;
        }
        byte[] text = hostlist.getBytes(StandardCharsets.ISO_8859_1);
        StringJoiner kept = new StringJoiner(",");
        int end;
        for (int at = 0; at < text.length; at = end + 1) {
            end = end(text, at, text.length);
            if (mayName(text, at, end)) {
                kept.add(hostlist.substring(at, end));
            }
        }
        return kept.toString();
    }

    private static boolean isSeparator(byte b) {
        return b == ',' || b == ' ' || b == '\t';
    }

    /** Returns the offset of the separator after an item such as {@code n7} or {@code n[1-3,7]-ib}. */
    private static int end(byte[] text, int from, int to) {
        int at = from;
        for (; at < to && !isSeparator(text[at]); at++) {
            if (text[at] == '[') {
                while (at + 1 < to && text[at] != ']') {
                    at++;
                }
            }
        }
        return at;
    }

    private static boolean mayName(byte[] host, byte[] text, int from, int to) {
        int at = from;
        while (at < to) {
            int same = 0;
            while (at < to && same < host.length && text[at] == host[same]) {
                at++;
                same++;
            }
            boolean ends = at == to || isSeparator(text[at]);
            if (ends ? same == host.length : text[at] == '[' && mayFollow(host, same, text, at, to)) {
                return true;
            }
            at = end(text, at, to) + 1;
        }
        return false;
    }

    /**
     * Returns whether the bracket at an offset may contain the number at an offset in the host. The text after the bracket is
     * not examined, except for more digits of the number.
     */
    private static boolean mayFollow(byte[] host, int from, byte[] text, int bracket, int to) {
        int digits = from;
        while (digits < host.length && isDigit(host[digits])) {
            digits++;
        }
        if (digits == from || digits - from > LONGEST_NUMBER) {
            return digits > from;
        }
        long number = number(host, from, digits);
        int at = bracket;
        while (at < to && text[at] != ']') {
            int first = at + 1;
            at = endOfDigits(text, first, to);
            long low = number(text, first, at);
            long high = low;
            if (at < to && text[at] == '-') {
                first = at + 1;
                at = endOfDigits(text, first, to);
                high = number(text, first, at);
            }
            boolean plain = low >= 0 && high >= 0 && at < to && (text[at] == ',' || text[at] == ']');
            if (!plain || (low <= number && number <= high)) {
                return true;
            }
        }
        return at + 1 < to && (isDigit(text[at + 1]) || text[at + 1] == '[');
    }

    private static int endOfDigits(byte[] text, int from, int to) {
        int at = from;
        while (at < to && isDigit(text[at])) {
            at++;
        }
        return at;
    }

    /** Returns the number between two offsets; -1 if there is none, or if it is too long. */
    private static long number(byte[] text, int from, int to) {
        if (to == from || to - from > LONGEST_NUMBER) {
            return -1;
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            value = 10 * value + text[i] - '0';
        }
        return value;
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }
}
