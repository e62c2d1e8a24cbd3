package io.muster.cli.follow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.cli.ask.PlanText;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.ask.StateRow;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Style;
import io.muster.cli.terminal.Table;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The contents of the screen of {@code muster top}, and the effects of keys. Does not use the terminal. */
final class TopView {
    private static final int HEAD = 3;
    private static final int END = 1 << 24;
    /** The state is read more often than this, unless the daemon does not answer. */
    private static final int LONGEST_SILENCE_SECONDS = 10;

    /** The columns of the labels of an account, which its wrapped lines leave free. */
    private static final int LABELS = 14;

    private static final String KEYS = "Enter why   / filter   s sort   ? keys   q end";
    private static final List<String> HELP = List.of(
            "up, k    down, j          choose a row, or scroll",
            "page up, Ctrl-B    page down, Ctrl-F",
            "Home, g    End, G",
            "Enter                     show `muster why` of the first host of the row",
            "s                         sort by newest, state, host",
            "/                         show only rows with a text",
            "h                         ask for a host to show",
            "Escape                    go back; show all rows again",
            "q                         end");

    private static final List<String> ORDERS = List.of("newest first", "by state", "by host");
    private static final List<Comparator<StateRow>> COMPARATORS = List.of(
            StateRow.NEWEST,
            Comparator.comparing(StateRow::isOut), // all are, so this keeps the order of the daemon
            StateRow.BY_HOST);

    private static final List<Column> COLUMNS = List.of(
            Column.right("state", "STATE"),
            Column.right("nnodes", "NNODES"),
            Column.right("since", "SINCE").optional(true),
            Column.left("holder", "HOLDER").optional(true),
            Column.left("by", "BY").optional(true),
            Column.reason(),
            Column.hosts("nodelist", "NODELIST"));

    private final Style style;
    private @Nullable StateDocument standing;
    /** The attempts of holds that wait for an action or a check. */
    private JsonNode attempts = MissingNode.getInstance();
    /** What is known about the host that is shown. */
    private List<String> account = List.of();

    private long shownAt;
    /** Why there is no connection; null if there is one. */
    private @Nullable String loss;

    private int columns;
    private int rows;
    private int chosen;
    private int first;
    private int visible;
    private int order;
    private boolean help;
    /** The first line of the account that is shown. */
    private int top;

    private String filter = "";
    /** The label of the text that is being typed; null if no text is. */
    private @Nullable String label;

    private String typed = "";
    /** The host that is shown; "" for the table. */
    private String host = "";

    TopView(Style style) {
        this.style = style;
    }

    void show(StateDocument next, JsonNode work, List<String> about, long nanos) {
        standing = next;
        attempts = work;
        account = about;
        shownAt = nanos;
        loss = null;
    }

    /** Marks the contents as stale until the next {@link #show}. */
    void lose(String reason) {
        loss = reason;
    }

    void size(int width, int height) {
        columns = width;
        rows = height;
    }

    /** @return false if the verb ends */
    boolean press(String key) {
        if (label != null) {
            type(key);
            return true;
        }
        if (help && !key.equals("q")) {
            help = false;
            return true;
        }
        switch (key) {
            case "q" -> {
                return false;
            }
            case "up", "k" -> move(-1);
            case "down", "j" -> move(1);
            case "page up" -> move(-room());
            case "page down" -> move(room());
            case "home", "g" -> move(-END);
            case "end", "G" -> move(END);
            case "/" -> prompt("filter: ", filter);
            case "h" -> prompt("host: ", "");
            case "s" -> {
                order = (order + 1) % ORDERS.size();
                chosen = 0;
            }
            case "?" -> help = true;
            case "enter" -> open(host.isEmpty() ? firstHost() : "");
            case "escape", "back" -> {
                filter = host.isEmpty() ? "" : filter;
                open("");
            }
            default -> {}
        }
        return true;
    }

    private void move(int rows) {
        chosen += host.isEmpty() ? rows : 0;
        top += host.isEmpty() ? 0 : rows;
    }

    private void open(String name) {
        host = name;
        account = List.of();
        top = 0;
    }

    private void prompt(String what, String text) {
        label = what;
        typed = text;
    }

    private void type(String key) {
        boolean isFilter = "filter: ".equals(label);
        switch (key) {
            case "escape" -> label = null;
            case "enter" -> {
                open(isFilter ? "" : typed.strip());
                label = null;
            }
            case "back" ->
                typed = typed.isEmpty() ? "" : typed.substring(0, typed.offsetByCodePoints(typed.length(), -1));
            default -> typed += key.codePointCount(0, key.length()) == 1 ? key : "";
        }
        if (isFilter) {
            filter = key.equals("escape") ? "" : typed.strip();
        }
    }

    /** Returns the host that is shown; "" for the table. */
    String host() {
        return host;
    }

    private String firstHost() {
        List<StateRow> groups = groups();
        int row = Math.max(0, Math.min(chosen, groups.size() - 1));
        return groups.isEmpty() ? "" : Hostlist.parse(groups.get(row).hosts()).nth(0);
    }

    private List<StateRow> groups() {
        StateDocument now = standing;
        if (now == null) {
            return List.of();
        }
        return now.groups().stream()
                .filter(group -> group.isOut() && matches(group))
                .sorted(COMPARATORS.get(order))
                .toList();
    }

    private boolean matches(StateRow group) {
        String text = String.join(" ", group.word(), group.holders(), group.by(), group.reason(), group.hosts());
        return text.toLowerCase(Locale.ROOT).contains(filter.toLowerCase(Locale.ROOT))
                || Hostlist.parse(group.hosts()).contains(filter);
    }

    /** Returns the line of the chosen row; -1 if none is chosen. */
    int marked() {
        return host.isEmpty() && !help && visible > 0 ? HEAD + chosen - first : -1;
    }

    List<String> lines(long nanos) {
        StateDocument shown = standing;
        if (shown == null) {
            return List.of();
        }
        double age = (nanos - shownAt) / (double) TimeUnit.SECONDS.toNanos(1);
        double now = shown.now() + age;
        List<String> lines = new ArrayList<>();
        lines.add(sums(shown));
        String fault = fault(shown, age);
        List<String> ahead = new ArrayList<>(PlanText.sentences(shown.json().path("planned"), now, 1));
        ahead.addAll(PlanText.waiting(attempts, now));
        String plans = String.join("; ", ahead);
        lines.add(fault == null ? filter.isEmpty() ? plans : "filter: " + filter : "! " + fault);
        lines.addAll(help ? HELP : host.isEmpty() ? table(now) : account());
        while (lines.size() < rows - 1) {
            lines.add("");
        }
        List<String> cut = new ArrayList<>(lines.subList(0, Math.max(0, rows - 1)));
        cut.add(label == null ? place() + KEYS : label + typed + "_");
        return cut;
    }

    private String place() {
        if (help) {
            return "";
        }
        if (!host.isEmpty()) {
            int all = wrapped().size();
            return all <= room() ? "" : "line " + (top + 1) + " of " + all + "   ";
        }
        int all = groups().size();
        return all == 0 ? "" : chosen + 1 + " of " + all + ", " + ORDERS.get(order) + "   ";
    }

    private int room() {
        return Math.max(1, rows - HEAD - (host.isEmpty() ? 1 : 0));
    }

    private List<String> account() {
        List<String> lines = wrapped();
        top = Math.max(0, Math.min(top, lines.size() - room()));
        return lines.subList(top, Math.min(lines.size(), top + room()));
    }

    private List<String> wrapped() {
        String indent = " ".repeat(columns < 4 * LABELS ? 2 : LABELS);
        List<String> lines = new ArrayList<>();
        for (String line : account) {
            String rest = line;
            while (rest.length() > Math.max(2 * indent.length(), columns)) {
                int space = rest.lastIndexOf(' ', columns);
                int end = space > indent.length() ? space : columns;
                lines.add(rest.substring(0, end));
                rest = indent + rest.substring(end).stripLeading();
            }
            lines.add(rest);
        }
        return lines;
    }

    private @Nullable String fault(StateDocument shown, double age) {
        if (loss != null) {
            return "not connected, this is " + Times.span(age) + " old; connecting again: " + loss;
        } else if (age > LONGEST_SILENCE_SECONDS) {
            return "the daemon does not answer, this is " + Times.span(age) + " old";
        }
        JsonNode fault = shown.json().path("fault");
        JsonNode trouble = fault.isTextual() ? fault : shown.json().path("clock");
        return trouble.isTextual() ? trouble.asText() : null;
    }

    private static String sums(StateDocument shown) {
        Map<String, Integer> sums = new LinkedHashMap<>();
        int all = 0;
        for (StateRow group : shown.groups()) {
            sums.merge(group.word(), group.nnodes(), Integer::sum);
            all += group.nnodes();
        }
        List<String> words = new ArrayList<>();
        sums.forEach((word, number) -> words.add(StateDocument.count(number) + " " + word));
        return Text.count(all, "host") + ": " + String.join(", ", words) + "   seq "
                + shown.json().path("seq").asLong();
    }

    private List<String> table(double now) {
        List<StateRow> groups = groups();
        int room = room();
        chosen = Math.max(0, Math.min(chosen, groups.size() - 1));
        first = Math.max(Math.min(first, chosen), chosen - room + 1);
        visible = Math.min(room, groups.size() - first);
        if (groups.isEmpty()) {
            return List.of(filter.isEmpty() ? "No host is out." : "No row has this text.");
        }
        List<StateRow> shown = groups.subList(first, first + visible);
        Table table = Table.fitting(COLUMNS, columns, kept -> table(kept, shown, now));
        return table.render(true, new Style(style.color(), style.marks(), columns))
                .lines()
                .toList();
    }

    private static Table table(List<Column> columns, List<StateRow> shown, double now) {
        boolean holder = columns.stream().anyMatch(column -> column.name().equals("holder"));
        Table table = new Table(columns);
        for (StateRow group : shown) {
            table.row(Map.of(
                    "state", group.word(),
                    "nnodes", Integer.toString(group.nnodes()),
                    "since", Times.age(group.since(), now),
                    "holder", group.holders(),
                    "by", group.by(),
                    "reason", holder ? group.reasons(true) : group.reason(),
                    "nodelist", group.hosts()));
        }
        return table;
    }
}
