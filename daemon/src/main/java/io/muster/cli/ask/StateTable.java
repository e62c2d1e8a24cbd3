package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
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
            Column.left("by", "BY"),
            Column.left("until", "UNTIL"),
            Column.flexible("reason", "REASON"),
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

    /**
     * Prints the groups of a document, or a summary of their hosts if the table is longer than the terminal.
     *
     * @param question for which the document was the answer
     * @param formats formats by name
     * @param verb the verb and its program, for messages
     */
    public void print(
            StateDocument document, ObjectNode question, Map<String, String> formats, FluxClient client, String verb)
            throws IOException {
        Fold fold = new Fold(look.choose(COLUMNS, formats), look.expand());
        for (StateRow group : document.groups()) {
            fold.add(cells(group, document.now(), look.isTemplate(formats)), group);
        }
        look.print(fold.table(), formats, console, zone, () -> Summary.instead(console, zone, verb, client, question));
    }

    private Map<String, String> cells(StateRow group, double now, boolean forPrograms) {
        Map<String, String> cells = new HashMap<>();
        double since = group.since();
        cells.put("state", group.word());
        cells.put("statex", group.state());
        cells.put("status", group.online() ? "online" : "offline");
        cells.put("up", look.mark(console, group.up()));
        cells.put("up.ascii", group.up() ? "y" : "n");
        cells.put("since", Times.age(since, now));
        cells.put("timestamp", since <= 0 ? "-" : forPrograms ? Times.second(since) : zone.second(since));
        cells.put("holder", group.holders());
        cells.put("by", group.by());
        cells.put("until", group.until() == 0 ? "" : "in " + Times.span(group.until() - now));
        cells.put("reason", group.reason());
        return cells;
    }
}
