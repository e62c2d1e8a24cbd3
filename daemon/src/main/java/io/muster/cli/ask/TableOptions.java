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
import io.muster.inventory.problem.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
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
            names = "--all",
            description =
                    "Print all rows. Without --all, a terminal shows as many rows as it has room for, and the number of"
                            + " the others.")
    private boolean all;

    @Option(
            names = "--expand",
            description =
                    "Print every host by its full name instead of host[0-99], in all rows. Without --expand, a list of"
                            + " hosts is cut to the width of a terminal.")
    private boolean expand;

    private final List<Column> columns;
    private final Map<String, String> formats;

    /**
     * @param columns all columns of which the user may choose some
     * @param formats formats by name, one of them {@code default}
     */
    public TableOptions(List<Column> columns, Map<String, String> formats) {
        this.columns = columns;
        this.formats = formats;
    }

    /** Returns the words of which a format may consist. */
    public List<String> words() {
        List<String> words = new ArrayList<>(new TreeSet<>(formats.keySet()));
        columns.forEach(column -> words.add(column.name()));
        return words;
    }

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

    /** Returns the requested columns, in order. Columns that the user requested are not left out. */
    public List<Column> choose() {
        if (HELP.equals(format)) {
            return columns;
        }
        List<Column> chosen = new ArrayList<>();
        for (String field : isTemplate() ? template().fields() : List.of(wanted().split(","))) {
            Column column = find(field);
            chosen.add(column.optional(column.optional() && format == null));
        }
        if (expand) {
            Column last = chosen.get(chosen.size() - 1);
            chosen.replaceAll(column -> column.whole(column.equals(last)));
        }
        return chosen;
    }

    private String wanted() {
        String name = format == null ? "default" : format;
        return formats.getOrDefault(name, name);
    }

    private Column find(String name) {
        List<String> names = new ArrayList<>();
        for (Column column : columns) {
            if (column.name().equals(name)) {
                return column;
            }
            names.add(column.name());
        }
        throw new Failure(
                Exit.USAGE, "--format: there is no column " + name + "; there are " + String.join(", ", names));
    }

    /**
     * Prints a table in the requested format.
     *
     * @param make makes the table with some of the columns that {@link #choose} returned
     */
    public void print(Function<List<Column>, Table> make, Console console, Zone zone) {
        if (HELP.equals(format)) {
            help(console);
        } else if (isTemplate()) {
            console.print(template().render(make.apply(choose()), !noHeader, style(console), zone));
        } else {
            int width = expand ? 0 : console.style().width();
            print(Table.fitting(choose(), width, make), console);
        }
    }

    /** Prints as many rows as the terminal has room for. The last line is left for the prompt. */
    private void print(Table table, Console console) {
        int height = console.terminal().height();
        int most = height == 0 || all || expand ? Integer.MAX_VALUE : height - 1;
        String text = table.render(!noHeader, style(console));
        int rows = table.rows().size();
        while (rows > 1 && text.lines().count() > most) {
            rows = Math.min(rows - 1, height);
            text = table.first(rows).render(!noHeader, style(console))
                    + Text.count(table.rows().size() - rows, "more row") + ": " + console.line() + " | less\n";
        }
        console.print(text);
    }

    private void help(Console console) {
        console.println("formats:");
        new TreeMap<>(formats).forEach((name, format) -> console.println("  " + name + " = " + format));
        console.println("columns:");
        columns.forEach(column -> console.println("  " + column.name()));
    }

    /** Returns whether the requested format is text with fields, whose times are for programs, as in flux. */
    boolean isTemplate() {
        return wanted().indexOf('{') >= 0;
    }

    private Template template() {
        try {
            return Template.parse(wanted());
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, "--format: " + e.getMessage());
        }
    }
}
