package io.muster.cli.ask;

import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.status.StateGroup;
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

    private final Overview standing;
    private final TableOptions look;
    private final Console console;
    private final double now;
    private final Zone zone;

    public StateTable(Overview standing, TableOptions look, Console console, Zone zone) {
        this.standing = standing;
        this.look = look;
        this.console = console;
        this.now = standing.now(console);
        this.zone = zone;
    }

    /**
     * Prints the groups, or a summary of their ranks if the table is longer than the terminal.
     *
     * @param formats formats by name
     * @param verb the verb and its program, for messages
     */
    public void print(List<StateGroup> groups, Map<String, String> formats, FluxClient client, String verb)
            throws IOException {
        Fold fold = new Fold(standing.resources(), look.choose(COLUMNS, formats), look.expand());
        for (StateGroup group : groups) {
            fold.add(cells(group, look.isTemplate(formats)), group.ranks());
        }
        look.print(fold.table(), formats, console, zone, () -> {
            Idset ranks = groups.stream().map(StateGroup::ranks).reduce(Idset.EMPTY, Idset::union);
            Summary.instead(console, zone, verb, client, standing, ranks);
        });
    }

    private Map<String, String> cells(StateGroup group, boolean forPrograms) {
        Map<String, String> cells = new HashMap<>();
        cells.put("state", group.word());
        cells.put("statex", group.state().label());
        cells.put("status", group.online() ? "online" : "offline");
        cells.put("up", look.mark(console, group.online()));
        cells.put("up.ascii", group.online() ? "y" : "n");
        cells.put("since", Times.age(group.since(), now));
        cells.put(
                "timestamp",
                group.since() <= 0 ? "-" : forPrograms ? Times.second(group.since()) : zone.second(group.since()));
        cells.put("holder", group.holders());
        cells.put("by", group.by());
        cells.put("until", group.until() == 0 ? "" : "in " + Times.span(group.until() - now));
        cells.put("reason", group.reason());
        return cells;
    }
}
