package io.muster.cli.ask;

import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Prints groups of hosts as a table, in which groups with equal cells are merged. */
public final class StateTable {
    private static final List<Column> COLUMNS = List.of(
            Column.right("state", "STATE"),
            Column.left("statex", "STATE"),
            Column.left("status", "STATUS"),
            Column.left("up", "UP"),
            Column.left("up.ascii", "UP"),
            Column.right("nnodes", "NNODES"),
            Column.right("since", "SINCE"),
            Column.left("timestamp", "TIME"),
            Column.left("holder", "HOLDER"),
            Column.left("by", "BY").optional(true),
            Column.left("until", "UNTIL"),
            Column.left("class", "CLASS").optional(true),
            Column.left("ticket", "TICKET").optional(true),
            Column.reason(),
            Column.ranks("ranks", "RANKS"),
            Column.hosts("nodelist", "NODELIST"));

    private final TableOptions look;
    private final Console console;
    private final Zone zone;

    public StateTable(TableOptions look, Console console, Zone zone) {
        this.look = look;
        this.console = console;
        this.zone = zone;
    }

    /** @param formats formats by name */
    public static TableOptions options(Map<String, String> formats) {
        return new TableOptions(COLUMNS, formats);
    }

    /** Prints the groups of a document, the newest first after those that are not out. */
    public void print(StateDocument document) {
        List<StateRow> groups =
                document.groups().stream().sorted(StateRow.NEWEST).toList();
        look.print(columns -> table(columns, groups, document.now()), console, zone);
    }

    private Table table(List<Column> columns, List<StateRow> groups, double now) {
        boolean holder = columns.stream().anyMatch(column -> column.name().equals("holder"));
        boolean ticket = columns.stream().anyMatch(column -> column.name().equals("ticket"));
        Fold fold = new Fold(columns, look.expand());
        for (StateRow group : groups) {
            fold.add(cells(group, now, holder, ticket), group);
        }
        return fold.table();
    }

    /**
     * @param holder whether a column has the holders, which the reason then does not repeat
     * @param ticket the same for the tickets
     */
    private Map<String, String> cells(StateRow group, double now, boolean holder, boolean ticket) {
        Map<String, String> cells = new HashMap<>();
        double since = group.since();
        cells.put("state", group.word());
        cells.put("statex", group.state());
        cells.put("status", group.online() ? "online" : "offline");
        cells.put("up", look.mark(console, group.up()));
        cells.put("up.ascii", group.up() ? "y" : "n");
        cells.put("since", Times.age(since, now));
        cells.put("timestamp", since <= 0 ? "-" : look.isTemplate() ? Times.second(since) : zone.second(since));
        cells.put("holder", group.holders());
        cells.put("by", group.by());
        cells.put("until", group.until() == 0 ? "" : "in " + Times.span(group.until() - now));
        cells.put("class", group.words("class"));
        cells.put("ticket", group.words("ticket"));
        cells.put("reason", holder || ticket ? group.reasons(!ticket) : group.reason());
        return cells;
    }
}
