package io.muster.cli.terminal;

import io.muster.inventory.problem.MalformedException;

/**
 * A field of a format: the text between braces, such as {@code state}, {@code reason:<30.30+} or {@code timestamp!d:%b%d
 * %R::<12}.
 *
 * @param time a format of strftime; "" to show the value unchanged
 */
record Field(String name, String time, Spec spec) {
    private static final String ISO = "%FT%T";

    /** Parses the text between {@code from} and {@code close} of a format. */
    static Field parse(String format, int from, int close) {
        int colon = before(format.indexOf(':', from), close);
        int mark = before(format.indexOf('!', from), colon);
        String name = format.substring(from, mark);
        if (name.isEmpty()) {
            throw new MalformedException("format", format, from, "a field needs a name");
        }
        int rest = Math.min(close, colon + 1);
        switch (mark < colon ? format.substring(mark + 1, colon) : "s") {
            case "s" -> {
                return new Field(name, "", Spec.parse(format, rest, close));
            }
            case "D" -> {
                return new Field(name, ISO, Spec.parse(format, rest, close));
            }
            case "d" -> {
                int end = before(format.indexOf("::", rest), close);
                String time = format.substring(rest, end);
                return new Field(
                        name, time.isEmpty() ? ISO : time, Spec.parse(format, Math.min(close, end + 2), close));
            }
            default -> throw new MalformedException("format", format, mark, "expected the conversion !d or !D");
        }
    }

    private static int before(int at, int limit) {
        return at < 0 || at > limit ? limit : at;
    }

    Field withSpec(Spec other) {
        return new Field(name, time, other);
    }
}
