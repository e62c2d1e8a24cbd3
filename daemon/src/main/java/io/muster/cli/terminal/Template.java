package io.muster.cli.terminal;

import io.muster.inventory.problem.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A line with fields, in the syntax of Python's format strings and therefore of flux's {@code -o}: a name in braces,
 * optionally {@code !d} with a format of strftime(3), and the layout after a colon. A doubled brace stands for a brace. As
 * in flux, marks may precede a field: {@code ?:} omits the field if it is empty in all lines, {@code +:} makes it as wide as
 * necessary, {@code ?+:} does both. The template may begin with {@code sort:name,-name}.
 */
public final class Template {
    /**
     * The names of fields that switch colours on and off in flux. They are ignored, because in Muster the colours depend on
     * the column.
     */
    private static final Set<String> COLOURS = Set.of("color_up", "color_off");

    private static final String SORT = "sort:";

    /** A field and the text before it. */
    private record Part(String before, Field field, boolean optional, boolean growing) {
        /** Returns the field with a width for these cells; null if it is omitted. */
        @Nullable
        Field fit(String header, List<String> cells) {
            int widest = 0;
            for (String cell : cells) {
                widest = Math.max(widest, cell.equals("-") ? 0 : Printable.width(cell));
            }
            if (optional && widest == 0) {
                return null;
            }
            Spec spec = field.spec();
            return growing ? field.withSpec(spec.atLeast(Math.max(widest, Printable.width(header)))) : field;
        }
    }

    private final List<Part> parts = new ArrayList<>();
    private final List<String> sort = new ArrayList<>();
    private String end = "";

    private Template() {}

    public static Template parse(String text) {
        Template template = new Template();
        StringBuilder literal = new StringBuilder();
        int i = template.parseSort(text);
        while (i < text.length()) {
            char c = text.charAt(i);
            boolean doubled = (c == '{' || c == '}') && i + 1 < text.length() && text.charAt(i + 1) == c;
            if (c == '{' && !doubled) {
                int close = text.indexOf('}', i);
                if (close < 0) {
                    throw new MalformedException("format", text, i, "this brace is not closed");
                }
                template.add(Field.parse(text, i + 1, close), literal);
                i = close + 1;
            } else if (c == '}' && !doubled) {
                throw new MalformedException("format", text, i, "this brace was not opened");
            } else {
                literal.append(c);
                i += doubled ? 2 : 1;
            }
        }
        template.end = literal.toString();
        return template;
    }

    /**
     * Reads the sort keys at the beginning of the template.
     *
     * @return the index after the sort keys, where the rest of the template begins
     */
    private int parseSort(String text) {
        if (!text.startsWith(SORT)) {
            return 0;
        }
        int to = SORT.length();
        while (to < text.length() && text.charAt(to) != '{' && !Character.isWhitespace(text.charAt(to))) {
            to++;
        }
        for (String key : text.substring(SORT.length(), to).split(",")) {
            if (!key.isEmpty()) {
                sort.add(key);
            }
        }
        return to < text.length() && text.charAt(to) == ' ' ? to + 1 : to;
    }

    /** Adds a field after the text in {@code literal}, and clears that text. A field for colours is ignored and leaves the text. */
    private void add(Field field, StringBuilder literal) {
        if (COLOURS.contains(field.name())) {
            return;
        }
        boolean optionalAndGrowing = cut(literal, "?+:");
        boolean optional = optionalAndGrowing || cut(literal, "?:");
        boolean growing = optionalAndGrowing || (!optional && cut(literal, "+:"));
        parts.add(new Part(literal.toString(), field, optional, growing));
        literal.setLength(0);
    }

    private static boolean cut(StringBuilder literal, String mark) {
        int at = literal.length() - mark.length();
        boolean present = at >= 0 && literal.substring(at).equals(mark);
        if (present) {
            literal.setLength(at);
        }
        return present;
    }

    /** Returns the names of the columns that a table needs for this template: first the fields, then the sort keys. */
    public List<String> fields() {
        List<String> names = new ArrayList<>();
        parts.forEach(part -> names.add(part.field.name()));
        sort.forEach(key -> names.add(key.startsWith("-") ? key.substring(1) : key));
        return names;
    }

    /**
     * Returns a line for each row of a table whose columns are {@link #fields}, after a line with the headers of these
     * columns.
     */
    public String render(Table table, boolean header, Style style, Zone zone) {
        List<List<String>> rows = new ArrayList<>();
        sorted(table.rows()).forEach(row -> rows.add(converted(row, zone)));
        List<String> headers = new ArrayList<>();
        table.columns().forEach(column -> headers.add(column.header()));
        List<@Nullable Field> fields = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            int column = i;
            List<String> cells = new ArrayList<>();
            rows.forEach(row -> cells.add(row.get(column)));
            fields.add(parts.get(i).fit(header ? headers.get(i) : "", cells));
        }
        StringBuilder out = new StringBuilder();
        if (header) {
            out.append(style.header(line(fields, headers, table, Style.PLAIN))).append('\n');
        }
        for (List<String> row : rows) {
            String line = line(fields, row, table, style);
            out.append(line).append(line.isEmpty() ? "" : "\n");
        }
        return out.toString();
    }

    private List<List<String>> sorted(List<List<String>> rows) {
        List<List<String>> sorted = new ArrayList<>(rows);
        for (int i = sort.size() - 1; i >= 0; i--) {
            int column = parts.size() + i;
            int direction = sort.get(i).startsWith("-") ? -1 : 1;
            sorted.sort((a, b) -> direction * Order.compare(a.get(column), b.get(column)));
        }
        return sorted;
    }

    private List<String> converted(List<String> row, Zone zone) {
        List<String> cells = new ArrayList<>(row);
        for (int i = 0; i < parts.size(); i++) {
            String time = parts.get(i).field.time();
            if (!time.isEmpty()) {
                cells.set(i, Strftime.of(row.get(i), time, zone.id()));
            }
        }
        return cells;
    }

    private String line(List<@Nullable Field> fields, List<String> cells, Table table, Style style) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            if (field != null) {
                String cell = field.spec().apply(cells.get(i));
                boolean coloured = table.columns().get(i).hasColour();
                line.append(parts.get(i).before).append(coloured ? style.paint(cells.get(i), cell) : cell);
            }
        }
        return line.append(end).toString().stripTrailing();
    }
}
