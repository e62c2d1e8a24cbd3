package io.muster.inventory.idset;

import io.muster.inventory.problem.MalformedException;

/**
 * Reads RFC 22 text strictly: the parser refuses what some other programs accept, such as empty items and numbers that
 * overflow, and reports the position of the fault.
 */
final class IdsetParser {
    /** The number of digits that always fit an int. */
    private static final int SURE_DIGITS = 9;

    private final String text;
    private final Idset.Builder ids = Idset.builder();
    private int at;
    private int end;
    /** The highest id that has been read. */
    private int highest = -1;

    IdsetParser(String text) {
        this.text = text;
        this.end = text.length();
    }

    Idset parse() {
        stripBrackets();
        if (at == end) {
            return Idset.EMPTY;
        }
        item();
        while (at < end) {
            comma();
            item();
        }
        return ids.build();
    }

    private void stripBrackets() {
        boolean opened = text.startsWith("[");
        if (opened && (end == 1 || text.charAt(end - 1) != ']')) {
            int close = text.indexOf(']');
            throw close < 0 ? malformed(0, "'[' is never closed") : malformed(close + 1, "nothing may follow ']'");
        }
        if (opened) {
            at = 1;
            end--;
        }
    }

    private void item() {
        int start = at;
        int first = number();
        if (first <= highest) {
            throw malformed(start, "ids must ascend, but " + first + " comes after " + highest);
        }
        int last = at < end && text.charAt(at) == '-' ? rangeEnd(first) : first;
        ids.addRange(first, last);
        highest = last;
    }

    private int rangeEnd(int first) {
        int start = ++at;
        int last = number();
        if (last <= first) {
            throw malformed(start, "a range must end above its start " + first);
        }
        return last;
    }

    private int number() {
        int start = at;
        int i = start;
        int stop = Math.min(end, start + SURE_DIGITS);
        int value = 0;
        while (i < stop) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                break;
            }
            value = value * 10 + digit;
            i++;
        }
        at = i;
        if (i == start) {
            throw noDigit();
        }
        if (i - start > 1 && text.charAt(start) == '0') {
            throw malformed(start, "leading zeros are not allowed");
        }
        return i - start == SURE_DIGITS ? rest(start, value) : value;
    }

    /** Reads the digits after the first nine, where the number may become too large. */
    private int rest(int start, int head) {
        long value = head;
        while (at < end && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            value = value * 10 + text.charAt(at) - '0';
            if (value > Idset.MAX_ID) {
                throw malformed(start, "ids go up to " + Idset.MAX_ID);
            }
            at++;
        }
        return (int) value;
    }

    private void comma() {
        if (text.charAt(at) != ',') {
            throw unexpected();
        }
        at++;
    }

    private MalformedException noDigit() {
        boolean wanted = at == end || text.charAt(at) == ',';
        if (!wanted) {
            return unexpected();
        }
        boolean inRange = at > 0 && text.charAt(at - 1) == '-';
        return malformed(at, inRange ? "the range has no end" : "an item is empty");
    }

    private MalformedException unexpected() {
        char c = text.charAt(at);
        String reason = switch (c) {
            case '[' -> at == 0 ? "'[' is never closed" : "'[' may only open the whole set";
            case ']' -> "']' closes nothing";
            case '-', '+' -> "stray '" + c + "'";
            default -> Character.isWhitespace(c) ? "spaces are not allowed" : "not a decimal digit";
        };
        return malformed(at, reason);
    }

    private MalformedException malformed(int position, String reason) {
        return new MalformedException("idset", text, position, reason);
    }
}
