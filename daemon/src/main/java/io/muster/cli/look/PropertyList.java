package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Fold;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.SelectionOptions;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.ask.StateRow;
import io.muster.cli.ask.TableOptions;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Table;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code muster property list}. */
@Command(
        name = "list",
        description = "Show each property and the hosts that have it.",
        footer = {
            "  muster property list",
            "  muster property list node7",
            "  muster property list --property=gpu -o long"
        })
public final class PropertyList extends ReadVerb {
    private static final Map<String, String> FORMATS =
            Map.of("default", "property,nnodes,nodelist", "long", "property,nnodes,ranks,nodelist");
    private static final List<Column> COLUMNS = List.of(
            Column.left("property", "PROPERTY"),
            Column.right("nnodes", "NNODES"),
            Column.ranks("ranks", "RANKS"),
            Column.hosts("nodelist", "NODELIST"));

    @Parameters(
            arity = "0..*",
            paramLabel = "TARGETS",
            description = "Select only these ranks, hosts or @PROPERTY. - reads them from standard input.")
    private List<String> targets = List.of();

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    @Mixin
    private final TableOptions look = new TableOptions(COLUMNS, FORMATS);

    public PropertyList(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        ObjectNode question = selection.question(console(), targets);
        StateDocument layout = StateDocument.ask(client, StateDocument.LAYOUT, question);
        if (json()) {
            console().json(layout.json());
        } else {
            look.print(columns -> table(layout, columns), console(), console().zone());
        }
        return Exit.OK;
    }

    private Table table(StateDocument layout, List<Column> columns) {
        Fold fold = new Fold(columns, look.expand());
        layout.json()
                .path("properties")
                .forEach(property ->
                        fold.add(Map.of("property", property.path("name").asText()), new StateRow(property)));
        return fold.table();
    }
}
