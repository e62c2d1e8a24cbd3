package io.muster.cli.ask;

import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Table;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * A table that merges rows that differ only in their hosts, so that 16,384 hosts that are drained for one reason are one
 * row.
 */
public final class Fold {
    private final List<Column> columns;
    private final boolean expand;
    private final Map<List<String>, List<StateRow>> rows = new LinkedHashMap<>();

    public Fold(List<Column> columns, boolean expand) {
        this.columns = columns;
        this.expand = expand;
    }

    public void add(Map<String, String> values, StateRow row) {
        List<String> key = new ArrayList<>(columns.size());
        for (Column column : columns) {
            key.add(values.getOrDefault(column.name(), ""));
        }
        rows.computeIfAbsent(key, none -> new ArrayList<>()).add(row);
    }

    public Table table() {
        Table table = new Table(columns);
        rows.forEach((key, merged) -> {
            String[] cells = key.toArray(new String[0]);
            for (int i = 0; i < cells.length; i++) {
                cells[i] = sum(columns.get(i).name(), merged, cells[i]);
            }
            table.row(cells);
        });
        return table;
    }

    private String sum(String column, List<StateRow> merged, String otherwise) {
        return switch (column) {
            case "nnodes", "ncores", "ngpus" -> {
                ToLongFunction<StateRow> number = row -> row.json().path(column).asLong();
                yield Long.toString(merged.stream().mapToLong(number).sum());
            }
            case "ranks" ->
                Idset.unionOf(merged.stream().map(row -> Idset.parse(row.text("ranks"))))
                        .toString();
            case "nodelist" -> hosts(merged);
            case "rlist" ->
                String.join(" ", merged.stream().map(row -> row.text("rlist")).toList());
            default -> otherwise;
        };
    }

    private String hosts(List<StateRow> merged) {
        if (merged.size() == 1 && !expand) {
            return merged.get(0).hosts();
        }
        Hostlist all = Hostlist.EMPTY;
        for (StateRow row : merged) {
            all = all.append(Hostlist.parse(row.hosts()));
        }
        Hostlist hosts = merged.size() == 1 ? all : all.sort();
        return expand ? String.join(",", hosts.expand()) : hosts.toString();
    }
}
