package io.muster.inventory.hostlist;

import io.muster.inventory.problem.MalformedException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads RFC 29 text. As in flux-core, leading zeros count only for the element that has them: {@code foo[005,4]} is foo005
 * and foo4.
 */
final class HostlistParser {
    private final String text;
    private final HostlistBuilder hosts;
    private int at;

    HostlistParser(String text, HostlistBuilder hosts) {
        this.text = text;
        this.hosts = hosts;
    }

    void parse() {
        while (at < text.length()) {
            if (isSeparator(text.charAt(at))) {
                at++;
            } else {
                expression();
            }
        }
    }

    /** Checks a plain name, which may hold neither brackets nor separators. */
    static String checkName(String name) {
        HostlistParser parser = new HostlistParser(name, new HostlistBuilder());
        String word = parser.word();
        if (parser.at < name.length()) {
            char c = name.charAt(parser.at);
            throw parser.malformed(parser.at, "a host name may not contain '" + c + "'");
        }
        if (word.isEmpty()) {
            throw parser.malformed(0, "a host name may not be empty");
        }
        parser.checkLength(0, word.length());
        return word;
    }

    private void expression() {
        int start = at;
        String prefix = word();
        if (!isAt('[')) {
            refuseAt(']', "']' closes nothing");
            checkLength(start, prefix.length());
            add(start, HostRange.ofName(prefix));
            return;
        }
        List<String> prefixes = List.of(prefix);
        List<Element> elements = elements();
        String suffix = word();
        while (isAt('[')) {
            prefixes = names(start, prefixes, elements, suffix);
            elements = elements();
            suffix = word();
        }
        refuseAt(']', "']' closes nothing");
        if (prefixes.size() > 1) {
            checkWrittenOut(start, (long) prefixes.size() * elements.size(), 0);
        }
        for (String each : prefixes) {
            numbers(start, each, elements, suffix);
        }
    }

    private void numbers(int start, String prefix, List<Element> elements, String suffix) {
        Numbering numbering = new Numbering(prefix, suffix, hosts);
        for (Element element : elements) {
            checkCount(element.position, element.count(), suffix);
            checkLength(start, prefix.length() + suffix.length() + element.length());
            numbering.add(element.width, element.first, element.last);
        }
    }

    /** Returns every name that the text before another bracket group stands for; the numbers of that group follow each name. */
    private List<String> names(int start, List<String> prefixes, List<Element> elements, String suffix) {
        long count = 0;
        int longest = 0;
        for (Element element : elements) {
            checkCount(element.position, element.count(), "");
            count += element.count();
            longest = Math.max(longest, element.length());
        }
        int before = prefixes.stream().mapToInt(String::length).max().orElseThrow();
        checkWrittenOut(start, count * prefixes.size(), before + longest + suffix.length());
        List<String> names = new ArrayList<>();
        for (String prefix : prefixes) {
            for (Element element : elements) {
                checkLength(start, prefix.length() + element.length() + suffix.length());
                HostRange range = new HostRange(prefix, element.width, element.first, (int) element.count(), suffix);
                for (int i = 0; i < range.count(); i++) {
                    names.add(range.name(i));
                }
            }
        }
        return names;
    }

    private void checkWrittenOut(int position, long count, int length) {
        String refusal = hosts.writeOut(count, length);
        if (refusal != null) {
            throw malformed(position, refusal);
        }
    }

    private List<Element> elements() {
        int open = at;
        List<Element> elements = new ArrayList<>();
        do {
            at++;
            if (at == text.length()) {
                throw malformed(open, "'[' is never closed");
            }
            elements.add(element());
        } while (isAt(','));
        if (at == text.length()) {
            throw malformed(open, "'[' is never closed");
        }
        if (!isAt(']')) {
            throw malformed(at, noNumber());
        }
        at++;
        return elements;
    }

    private Element element() {
        int start = at;
        long first = number();
        int width = at - start;
        if (!isAt('-')) {
            return new Element(start, width, first, first);
        }
        int lastAt = ++at;
        long last = number();
        if (last < first) {
            throw malformed(lastAt, "the range ends below its start " + first);
        }
        return new Element(start, width, first, last);
    }

    private long number() {
        int start = at;
        long value = 0;
        while (at < text.length() && HostRange.isDigit(text.charAt(at))) {
            value = value * 10 + text.charAt(at) - '0';
            if (++at - start > HostRange.MAX_DIGITS) {
                throw malformed(start, "a number has more than " + HostRange.MAX_DIGITS + " digits");
            }
        }
        if (at == start) {
            throw malformed(at, noNumber());
        }
        return value;
    }

    private String noNumber() {
        boolean inRange = text.charAt(at - 1) == '-';
        if (at == text.length() || text.charAt(at) == ',' || text.charAt(at) == ']') {
            return inRange ? "the range has no end" : "an element is empty";
        }
        return text.charAt(at) == '[' ? "'[' inside brackets" : "not a decimal digit";
    }

    /** Reads the characters before the next bracket or separator. */
    private String word() {
        int start = at;
        while (at < text.length() && !isSpecial(text.charAt(at))) {
            char c = text.charAt(at);
            if (c <= ' ' || c > '~') {
                throw malformed(at, "a host name may contain printable ASCII characters only");
            }
            at++;
        }
        return text.substring(start, at);
    }

    private void add(int position, HostRange range) {
        checkCount(position, range.count(), "");
        hosts.add(range);
    }

    private void checkCount(int position, long count, String suffix) {
        if (count > Hostlist.MAX_RANGE) {
            throw malformed(position, "a range holds " + Hostlist.MAX_RANGE + " hosts at most");
        }
        String refusal = hosts.refusal(count, suffix);
        if (refusal != null) {
            throw malformed(position, refusal);
        }
    }

    private void checkLength(int position, int length) {
        if (length > Hostlist.MAX_NAME) {
            throw malformed(position, "a host name has " + Hostlist.MAX_NAME + " characters at most");
        }
    }

    private void refuseAt(char c, String reason) {
        if (isAt(c)) {
            throw malformed(at, reason);
        }
    }

    private boolean isAt(char c) {
        return at < text.length() && text.charAt(at) == c;
    }

    private static boolean isSeparator(char c) {
        return c == ',' || c == ' ' || c == '\t';
    }

    private static boolean isSpecial(char c) {
        return isSeparator(c) || c == '[' || c == ']';
    }

    private MalformedException malformed(int position, String reason) {
        return new MalformedException("hostlist", text, position, reason);
    }

    /** One number or one range of numbers inside brackets. The first number is written with {@code width} digits. */
    private record Element(int position, int width, long first, long last) {
        long count() {
            return last - first + 1;
        }

        /** Returns the digits of the longest number. */
        int length() {
            return Math.max(width, HostRange.digits(last));
        }
    }
}
