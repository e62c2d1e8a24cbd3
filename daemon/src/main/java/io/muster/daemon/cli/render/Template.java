package io.muster.daemon.cli.render;

import io.muster.inventory.problem.MalformedException;
import java.util.ArrayList;
import java.util.List;

/**
 * A line with fields, as Python's format strings and so flux's {@code -o} have them: a name in braces, and after a colon
 * how it stands and is cut, {@code state:>12} or {@code reason:<30.30+}. A doubled brace is a brace.
 */
public final class Template {
    private record Part(String literal, String field, char align, int width, int most, boolean showsCut) {
        static Part text(String literal) {
            return new Part(literal, "", '<', 0, 0, false);
        }
    }

    private final List<Part> parts;

    private Template(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    public static Template parse(String text) {
        List<Part> parts = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            boolean doubled = (c == '{' || c == '}') && i + 1 < text.length() && text.charAt(i + 1) == c;
            if (c == '{' && !doubled) {
                int end = text.indexOf('}', i);
                if (end < 0) {
                    throw new MalformedException("format", text, i, "this brace is not closed");
                }
                parts.add(Part.text(literal.toString()));
                literal.setLength(0);
                parts.add(field(text, i + 1, end));
                i = end + 1;
            } else if (c == '}' && !doubled) {
                throw new MalformedException("format", text, i, "this brace was not opened");
            } else {
                literal.append(c);
                i += doubled ? 2 : 1;
            }
        }
        parts.add(Part.text(literal.toString()));
        return new Template(parts);
    }

    private static Part field(String text, int from, int end) {
        int colon = text.indexOf(':', from);
        int nameEnd = colon < 0 || colon > end ? end : colon;
        if (nameEnd == from) {
            throw new MalformedException("format", text, from, "a field needs a name");
        }
        String name = text.substring(from, nameEnd);
        int at = Math.min(end, nameEnd + 1);
        char align = '<';
        if (at < end && "<>^".indexOf(text.charAt(at)) >= 0) {
            align = text.charAt(at);
            at++;
        }
        int widthEnd = digits(text, at, end);
        int width = number(text, at, widthEnd);
        at = widthEnd;
        int most = 0;
        if (at < end && text.charAt(at) == '.') {
            int mostEnd = digits(text, at + 1, end);
            most = number(text, at + 1, mostEnd);
            at = mostEnd;
        }
        boolean showsCut = at < end && text.charAt(at) == '+';
        if (at + (showsCut ? 1 : 0) != end) {
            throw new MalformedException("format", text, at, "expected {name}, {name:>12} or {name:<30.30+}");
        }
        return new Part("", name, align, width, most, showsCut);
    }

    private static int digits(String text, int from, int end) {
        int at = from;
        while (at < end && Character.isDigit(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static int number(String text, int from, int to) {
        if (to - from > 4) {
            throw new MalformedException("format", text, from, "that is too wide");
        }
        return from == to ? 0 : Integer.parseInt(text.substring(from, to));
    }

    /** The names of the fields, in order. */
    public List<String> fields() {
        List<String> names = new ArrayList<>();
        for (Part part : parts) {
            if (!part.field.isEmpty()) {
                names.add(part.field);
            }
        }
        return names;
    }

    /** A line for each row of a table whose columns are {@link #fields}, with those columns' headers above. */
    public String render(Table table, boolean header) {
        StringBuilder out = new StringBuilder();
        if (header) {
            List<String> names = new ArrayList<>();
            table.columns().forEach(column -> names.add(column.header()));
            line(out, names);
        }
        table.rows().forEach(row -> line(out, row));
        return out.toString();
    }

    private void line(StringBuilder out, List<String> cells) {
        StringBuilder line = new StringBuilder();
        int at = 0;
        for (Part part : parts) {
            line.append(part.literal);
            if (!part.field.isEmpty()) {
                cell(line, part, cells.get(at));
                at++;
            }
        }
        out.append(line.toString().stripTrailing()).append('\n');
    }

    private static void cell(StringBuilder line, Part part, String text) {
        String shown = text;
        if (part.most > 0 && Printable.width(text) > part.most) {
            shown = part.showsCut
                    ? Printable.cut(text, part.most)
                    : text.substring(0, text.offsetByCodePoints(0, part.most));
        }
        int space = Math.max(0, part.width - Printable.width(shown));
        int before = part.align == '<' ? 0 : part.align == '>' ? space : space / 2;
        Printable.pad(line, before);
        line.append(shown);
        Printable.pad(line, space - before);
    }
}
