package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Style;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Template;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.problem.MalformedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options for the form of a table: {@code -o}, {@code -n} and {@code -L} of flux resource, and {@code --expand}, which flux
 * does not have.
 */
public final class TableOptions {
    private static final String HELP = "help";

    @Option(
            names = {"-o", "--format"},
            paramLabel = "FORMAT",
            description = "Print these columns: name,name,...; a text with fields as in flux and Python, \"{state:>10} "
                    + "?:{reason} {nodelist}\"; or a format by its name. -o help lists all names.")
    private @Nullable String format;

    @Option(
            names = {"-n", "--no-header"},
            description = "Print no header line.")
    private boolean noHeader;

    @Option(
            names = {"-L", "--color"},
            paramLabel = "WHEN",
            arity = "0..1",
            defaultValue = "auto",
            fallbackValue = "always",
            description =
                    "Print colors always, never, or auto: on a terminal, unless NO_COLOR is set. Default: auto; without "
                            + "WHEN: always.")
    private String color = "auto";

    @Option(
            names = "--expand",
            description =
                    "Print every host by its full name instead of host[0-99], and cut nothing. Without --expand, a"
                            + " list of hosts is cut to the width of a terminal, and a table that is longer than the"
                            + " terminal is replaced by a summary, unless -o is given.")
    private boolean expand;

    public boolean expand() {
        return expand;
    }

    /** Adds to a question whether the answer names each host, which only documents for programs need. */
    public ObjectNode expand(ObjectNode question, boolean json) {
        return expand && json ? question.put("expand", true) : question;
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

    /**
     * Returns the requested columns, in order.
     *
     * @param formats formats by name, one of them {@code default}
     */
    public List<Column> choose(List<Column> all, Map<String, String> formats) {
        if (HELP.equals(format)) {
            return all;
        }
        String wanted = wanted(formats);
        List<Column> chosen = new ArrayList<>();
        for (String field : isTemplate(wanted) ? template(wanted).fields() : List.of(wanted.split(","))) {
            chosen.add(find(all, field));
        }
        if (expand) {
            Column last = chosen.get(chosen.size() - 1);
            chosen.replaceAll(column -> column.whole(column.equals(last)));
        }
        return chosen;
    }

    private String wanted(Map<String, String> formats) {
        String name = format == null ? "default" : format;
        return formats.getOrDefault(name, name);
    }

    /** Returns whether the table is longer than the terminal, and the user has not asked for this table in particular. */
    private boolean isTooLong(Table table, Console console) {
        int height = console.terminal().height();
        int lines = table.rows().size() + (noHeader ? 0 : 1) + 1; // the last line is the prompt
        return height > 0 && lines > height && !expand && format == null;
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

    /** Prints something else in place of a table that is longer than the terminal. */
    public interface Substitute {
        void print() throws IOException;
    }

    /**
     * Prints a table in the requested format.
     *
     * @param table a table with the columns that {@link #choose} returned
     */
    public void print(Table table, Map<String, String> formats, Console console, Zone zone, Substitute brief)
            throws IOException {
        String wanted = wanted(formats);
        if (isTooLong(table, console)) {
            brief.print();
        } else if (HELP.equals(format)) {
            help(table.columns(), formats, console);
        } else if (isTemplate(wanted)) {
            console.print(template(wanted).render(table, !noHeader, style(console), zone));
        } else {
            console.print(table.render(!noHeader, style(console)));
        }
    }

    private static void help(List<Column> columns, Map<String, String> formats, Console console) {
        console.println("formats:");
        new TreeMap<>(formats).forEach((name, format) -> console.println("  " + name + " = " + format));
        console.println("columns:");
        columns.forEach(column -> console.println("  " + column.name()));
    }

    /** Returns whether the requested format is text with fields, whose times are for programs, as in flux. */
    boolean isTemplate(Map<String, String> formats) {
        return isTemplate(wanted(formats));
    }

    private static boolean isTemplate(String format) {
        return format.indexOf('{') >= 0;
    }

    private static Template template(String format) {
        try {
            return Template.parse(format);
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, "--format: " + e.getMessage());
        }
    }
}
