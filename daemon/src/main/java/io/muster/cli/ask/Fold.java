package io.muster.cli.ask;

import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Table;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A table that merges rows that differ only in their ranks, so that 16,384 hosts that are drained for one reason are one
 * row. Counts and names of hosts are computed from the merged ranks.
 */
public final class Fold {
    private final ResourceSet resources;
    private final List<Column> columns;
    private final boolean expand;
    private final Map<List<String>, Idset> rows = new LinkedHashMap<>();

    public Fold(ResourceSet resources, List<Column> columns, boolean expand) {
        this.resources = resources;
        this.columns = columns;
        this.expand = expand;
    }

    public void add(Map<String, String> values, Idset ranks) {
        List<String> key = new ArrayList<>(columns.size());
        for (Column column : columns) {
            key.add(values.getOrDefault(column.name(), ""));
        }
        rows.merge(key, ranks, Idset::union);
    }

    public Table table() {
        Table table = new Table(columns.toArray(new Column[0]));
        for (Map.Entry<List<String>, Idset> row : rows.entrySet()) {
            String[] cells = row.getKey().toArray(new String[0]);
            for (int i = 0; i < cells.length; i++) {
                cells[i] = sum(columns.get(i).name(), row.getValue(), cells[i]);
            }
            table.row(cells);
        }
        return table;
    }

    private String sum(String column, Idset ranks, String otherwise) {
        return switch (column) {
            case "nnodes" -> Integer.toString(ranks.size());
            case "ranks" -> ranks.toString();
            case "ncores" -> Long.toString(resources.count("core", ranks));
            case "ngpus" -> Long.toString(resources.count("gpu", ranks));
            case "nodelist" -> hosts(ranks);
            case "rlist" -> resources.keep(ranks).shortForm();
            default -> otherwise;
        };
    }

    private String hosts(Idset ranks) {
        return expand
                ? String.join(",", resources.hostsOf(ranks).expand())
                : resources.hostsOf(ranks).toString();
    }
}
