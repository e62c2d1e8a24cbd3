package io.muster.daemon.cli.query;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Failure;
import io.muster.daemon.cli.render.Column;
import io.muster.daemon.cli.render.Style;
import io.muster.daemon.cli.render.Table;
import io.muster.daemon.cli.render.Template;
import io.muster.inventory.problem.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a table is to look: flux resource's {@code -o}, {@code -n} and {@code -L}, and what it lacks. */
public final class Look {
    @Option(
            names = {"-o", "--format"},
            paramLabel = "FORMAT",
            description = "Columns by name, name,name,...; or text with fields as Python has them,"
                    + " \"{state:>10} {nodelist}\"; or default or long; help lists the names.")
    private @Nullable String format;

    @Option(
            names = {"-n", "--no-header"},
            description = "No header line.")
    private boolean noHeader;

    @Option(
            names = {"-L", "--color"},
            paramLabel = "WHEN",
            arity = "0..1",
            defaultValue = "auto",
            fallbackValue = "always",
            description = "always, never, or auto: on a terminal, unless NO_COLOR is set. Default: auto.")
    private String color = "auto";

    @Option(names = "--expand", description = "Every host by its full name instead of host[0-99].")
    private boolean expand;

    boolean expand() {
        return expand;
    }

    private Style style(Console console) {
        if (!color.equals("auto") && !color.equals("always") && !color.equals("never")) {
            throw new Failure(Exit.USAGE, "--color: " + color + " is not one of always, never and auto");
        }
        return console.terminal().withColor(color).style();
    }

    String mark(Console console, boolean up) {
        return console.style().mark(up);
    }

    /** The columns that are asked for, in order; {@code usual} or {@code wide} name those of the two formats. */
    List<Column> choose(List<Column> all, String usual, String wide) {
        String wanted = format == null || format.equals("default") ? usual : format.equals("long") ? wide : format;
        if (wanted.equals("help")) {
            return all;
        }
        List<String> fields = wanted.indexOf('{') < 0
                ? List.of(wanted.split(","))
                : template().fields();
        List<Column> chosen = new ArrayList<>();
        for (String field : fields) {
            chosen.add(find(all, field));
        }
        return chosen;
    }

    private static Column find(List<Column> all, String name) {
        for (Column column : all) {
            if (column.name().equals(name)) {
                return column;
            }
        }
        throw new Failure(Exit.USAGE, "--format: there is no column " + name + "; there are " + names(all));
    }

    private static String names(List<Column> all) {
        List<String> names = new ArrayList<>();
        all.forEach(column -> names.add(column.name()));
        return String.join(", ", names);
    }

    void print(Table table, Console console) {
        if ("help".equals(format)) {
            table.columns().forEach(column -> console.println(column.name()));
        } else if (format != null && format.indexOf('{') >= 0) {
            console.print(template().render(table, !noHeader));
        } else {
            console.print(table.render(!noHeader, style(console)));
        }
    }

    private Template template() {
        try {
            return Template.parse(String.valueOf(format));
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, "--format: " + e.getMessage());
        }
    }

    /** Cells by the names of {@code columns}. */
    static String[] cells(List<Column> columns, Map<String, String> values) {
        String[] cells = new String[columns.size()];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = values.getOrDefault(columns.get(i).name(), "");
        }
        return cells;
    }
}
