package io.muster.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** Rows of text in columns that are as wide as necessary, or as wide as a terminal allows. */
public final class Table {
    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    public Table(Column... columns) {
        this(List.of(columns));
    }

    public Table(List<Column> columns) {
        this.columns = List.copyOf(columns);
    }

    /** Adds a row of cells by the names of their columns. Columns without a cell stay empty, and cells without a column are ignored. */
    public void row(Map<String, String> cells) {
        row(columns.stream()
                .map(column -> cells.getOrDefault(column.name(), ""))
                .toArray(String[]::new));
    }

    /**
     * Returns a table without those optional columns that are empty, or for which a terminal has no room; the last one of them gives
     * way first.
     *
     * @param width the width of the terminal; 0 for no limit
     * @param make makes the table with these columns
     */
    public static Table fitting(List<Column> columns, int width, Function<List<Column>, Table> make) {
        List<Column> shown = new ArrayList<>(columns);
        while (true) {
            Table table = make.apply(shown);
            int spare = -1;
            for (int i = 0; i < shown.size(); i++) {
                boolean gives = shown.get(i).optional() && (table.isTooWide(width) || table.isEmpty(i));
                spare = gives ? i : spare;
            }
            if (spare < 0) {
                return table;
            }
            shown.remove(spare);
        }
    }

    private boolean isEmpty(int column) {
        return rows.stream().allMatch(row -> row.get(column).isEmpty());
    }

    /** Returns whether columns would be narrower than {@link Column#least}. */
    private boolean isTooWide(int limit) {
        int[] widths = widths(true);
        int all = -1;
        for (int i = 0; i < widths.length; i++) {
            int least = columns.get(i).least();
            all += 1 + (least == 0 ? widths[i] : Math.min(least, widths[i]));
        }
        return limit > 0 && all > limit;
    }

    /** Adds a row, with one cell for each column. */
    public void row(String... cells) {
        List<String> row = new ArrayList<>(cells.length);
        for (String cell : cells) {
            row.add(Printable.of(cell));
        }
        if (row.size() != columns.size()) {
            throw new IllegalArgumentException(row.size() + " cells for " + columns.size() + " columns");
        }
        rows.add(row);
    }

    /** Returns a table of the first rows. */
    public Table first(int most) {
        Table table = new Table(columns);
        table.rows.addAll(rows.subList(0, most));
        return table;
    }

    public List<Column> columns() {
        return columns;
    }

    public List<List<String>> rows() {
        return rows;
    }

    /** Returns all lines, each with a newline. */
    public String render(boolean header, Style style) {
        int[] widths = widths(header);
        fit(widths, style.width(), Column::least);
        fit(widths, style.width(), Column::narrowest);
        StringBuilder out = new StringBuilder();
        if (header) {
            List<String> names = new ArrayList<>(columns.size());
            for (Column column : columns) {
                names.add(column.header());
            }
            StringBuilder line = new StringBuilder();
            line(line, names, widths, Style.PLAIN);
            out.append(style.header(line.toString().stripTrailing())).append('\n');
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            line(line, row, widths, style);
            out.append(line.toString().stripTrailing()).append('\n');
        }
        return out.toString();
    }

    private int[] widths(boolean header) {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = header ? Printable.width(columns.get(i).header()) : 0;
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], Printable.width(row.get(i)));
            }
        }
        return widths;
    }

    /** Reduces the widths of the flexible columns, the last one first, until the table fits {@code limit}. */
    private void fit(int[] widths, int limit, ToIntFunction<Column> least) {
        int excess = -limit - 1;
        for (int width : widths) {
            excess += width + 1;
        }
        for (int i = widths.length - 1; i >= 0 && limit > 0 && excess > 0; i--) {
            if (columns.get(i).least() > 0) {
                int taken = Math.max(0, Math.min(excess, widths[i] - least.applyAsInt(columns.get(i))));
                widths[i] -= taken;
                excess -= taken;
            }
        }
    }

    private void line(StringBuilder out, List<String> cells, int[] widths, Style style) {
        int last = cells.size() - 1;
        for (int i = 0; i < last; i++) {
            String word = columns.get(i).cut(cells.get(i), widths[i]);
            StringBuilder cell = new StringBuilder();
            int space = widths[i] - Printable.width(word);
            Printable.pad(cell, columns.get(i).right() ? space : 0);
            cell.append(word);
            Printable.pad(cell, columns.get(i).right() ? 0 : space);
            out.append(columns.get(i).hasColour() ? style.paint(word, cell.toString()) : cell)
                    .append(' ');
        }
        String word = cells.get(last);
        if (columns.get(last).right()) {
            Printable.pad(out, widths[last] - Printable.width(word));
        }
        if (columns.get(last).listing() == null) {
            wrap(out, word, widths);
        } else {
            out.append(columns.get(last).cut(word, widths[last]));
        }
    }

    /** Wraps the last column instead of cutting it, because no column beside it needs the space. */
    private static void wrap(StringBuilder out, String word, int[] widths) {
        int width = widths[widths.length - 1];
        int indent = 0;
        for (int i = 0; i < widths.length - 1; i++) {
            indent += widths[i] + 1;
        }
        String rest = word;
        while (Printable.width(rest) > width) {
            int end = breakBefore(rest, width);
            out.append(rest, 0, end).append('\n');
            Printable.pad(out, indent);
            rest = rest.substring(end);
        }
        out.append(rest);
    }

    /**
     * Returns where to break the line: after the last comma or space that fits, so that no name is split; otherwise at the
     * full width.
     */
    private static int breakBefore(String text, int width) {
        int end = text.offsetByCodePoints(0, width);
        for (int i = end; i > 0; i--) {
            char c = text.charAt(i - 1);
            if (c == ',' || c == ' ') {
                return i;
            }
        }
        return end;
    }
}
