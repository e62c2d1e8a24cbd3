package io.muster.cli.terminal;

import io.muster.inventory.problem.MalformedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The layout of a cell: the part after the colon of a Python format field, {@code >12}, {@code <30.30} or {@code 06d}, with
 * two additions that flux makes: {@code h} shows a hyphen for an empty value, and {@code +} marks a text that was cut.
 *
 * @param align {@code <}, {@code >}, {@code ^}, or 0 for numbers at the right and text at the left
 * @param most columns to which text is cut; 0 for no limit
 */
record Spec(char fill, char align, int width, int most, boolean hyphen, boolean showsCut) {
    private static final Pattern FORM =
            Pattern.compile("(?:(.)?([<>^=]))?(0)?(\\d*)(?:\\.(\\d+))?[sdn]?(h)?(\\+)?", Pattern.DOTALL);
    private static final int MOST_DIGITS = 4;

    /** Parses the text between {@code from} and {@code to} of a format. */
    static Spec parse(String format, int from, int to) {
        Matcher m = FORM.matcher(format).region(from, to);
        if (!m.matches()) {
            throw new MalformedException(
                    "format", format, from, "expected {name}, {name:>12}, {name:<30.30+} or {name:>8h}");
        }
        boolean zero = m.group(3) != null;
        char fill = m.group(1) != null ? m.group(1).charAt(0) : zero ? '0' : ' ';
        char align = m.group(2) != null ? m.group(2).charAt(0) : zero ? '>' : 0;
        return new Spec(
                fill,
                align == '=' ? '>' : align,
                number(format, m, 4),
                number(format, m, 5),
                m.group(6) != null,
                m.group(7) != null);
    }

    private static int number(String format, Matcher m, int group) {
        String digits = m.group(group);
        if (digits != null && digits.length() > MOST_DIGITS) {
            throw new MalformedException("format", format, m.start(group), "the width has more than 4 digits");
        }
        return digits == null || digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }

    /** Returns this layout with at least {@code columns} columns, and with text cut at no less than that. */
    Spec atLeast(int columns) {
        int wider = Math.max(width, columns);
        return new Spec(fill, align, wider, most == 0 ? 0 : Math.max(most, wider), hyphen, showsCut);
    }

    String apply(String text) {
        String shown = hyphen && text.isEmpty() ? "-" : text;
        if (most > 0 && Printable.width(shown) > most) {
            shown = showsCut ? Printable.cut(shown, most) : shown.substring(0, shown.offsetByCodePoints(0, most));
        }
        int space = Math.max(0, width - Printable.width(shown));
        int before = isRight(text) ? space : align == '^' ? space / 2 : 0;
        String filling = String.valueOf(fill);
        return filling.repeat(before) + shown + filling.repeat(space - before);
    }

    private boolean isRight(String text) {
        return align == '>' || (align == 0 && !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9'));
    }
}
