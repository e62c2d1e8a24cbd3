package io.muster.cli.follow;

import io.muster.cli.ask.Overview;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Style;
import io.muster.cli.terminal.Table;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.status.HostState;
import io.muster.inventory.status.HostStatus;
import io.muster.inventory.status.StateGroup;
import io.muster.inventory.status.WhyText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** The contents of the screen of {@code muster top}, and the effects of keys. Does not use the terminal. */
final class TopView {
    private static final int HEAD = 3;
    /** The state is read more often than this, unless the daemon does not answer. */
    private static final int LONGEST_SILENCE_SECONDS = 10;

    private static final String HELP = "up/down choose   Enter host   / filter   h host by name   Escape back   q end";

    private final Style style;
    private final DoubleFunction<String> time;
    private @Nullable Overview standing;
    private long shownAt;
    /** Why there is no connection; null if there is one. */
    private @Nullable String loss;

    private int columns;
    private int rows;
    private int chosen;
    private int first;
    private int visible;
    private String filter = "";
    /** The label of the text that is being typed; null if no text is. */
    private @Nullable String label;

    private String typed = "";
    /** The host that is shown; "" for the table. */
    private String host = "";

    TopView(Style style, DoubleFunction<String> time) {
        this.style = style;
        this.time = time;
    }

    void show(Overview next, long nanos) {
        standing = next;
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
        switch (key) {
            case "q" -> {
                return false;
            }
            case "up" -> chosen--;
            case "down" -> chosen++;
            case "page up" -> chosen -= visible;
            case "page down" -> chosen += visible;
            case "home" -> chosen = 0;
            case "end" -> chosen = Integer.MAX_VALUE / 2;
            case "/" -> prompt("filter: ", filter);
            case "h" -> prompt("host: ", "");
            case "enter" -> host = host.isEmpty() ? firstHost() : "";
            case "escape", "back" -> {
                filter = host.isEmpty() ? "" : filter;
                host = "";
            }
            default -> {}
        }
        return true;
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
                host = isFilter ? "" : typed.strip();
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

    private String firstHost() {
        List<StateGroup> groups = groups();
        return groups.isEmpty() || standing == null
                ? ""
                : standing.resources()
                        .hostOf(groups.get(Math.min(chosen, groups.size() - 1))
                                .ranks()
                                .first());
    }

    private List<StateGroup> groups() {
        Overview now = standing;
        List<StateGroup> out = new ArrayList<>();
        if (now == null) {
            return out;
        }
        for (StateGroup group : now.groups(now.resources().ranks())) {
            boolean isIn = group.online() && (group.state() == HostState.AVAIL || group.state() == HostState.ALLOCATED);
            if (!isIn && matches(now, group)) {
                out.add(group);
            }
        }
        return out;
    }

    private boolean matches(Overview now, StateGroup group) {
        String hosts = now.resources().hostsOf(group.ranks()).toString();
        String text = String.join(" ", group.word(), group.holders(), group.by(), group.reason(), hosts);
        return text.toLowerCase(Locale.ROOT).contains(filter.toLowerCase(Locale.ROOT))
                || !now.resources().ranksOf(filter).intersect(group.ranks()).isEmpty();
    }

    /** Returns the line of the chosen row; -1 if none is chosen. */
    int marked() {
        return host.isEmpty() && visible > 0 ? HEAD + chosen - first : -1;
    }

    List<String> lines(Console console, long nanos) {
        Overview shown = standing;
        if (shown == null) {
            return List.of();
        }
        double age = (nanos - shownAt) / (double) TimeUnit.SECONDS.toNanos(1);
        double now = shown.now(console) + age;
        List<String> lines = new ArrayList<>();
        lines.add(sums(shown));
        String fault = fault(shown, age);
        lines.add(fault == null ? filter.isEmpty() ? "" : "filter: " + filter : "! " + fault);
        lines.addAll(host.isEmpty() ? table(shown, now) : host(shown, now));
        while (lines.size() < rows - 1) {
            lines.add("");
        }
        List<String> cut = new ArrayList<>(lines.subList(0, Math.max(0, rows - 1)));
        cut.add(label == null ? HELP.substring(0, Math.min(HELP.length(), Math.max(0, columns))) : label + typed + "_");
        return cut;
    }

    private @Nullable String fault(Overview shown, double age) {
        if (loss != null) {
            return "not connected, this is " + Times.span(age) + " old; connecting again: " + loss;
        } else if (age > LONGEST_SILENCE_SECONDS) {
            return "the daemon does not answer, this is " + Times.span(age) + " old";
        }
        return shown.fault() == null ? shown.clock() : shown.fault();
    }

    private static String sums(Overview shown) {
        Map<String, Integer> sums = new LinkedHashMap<>();
        for (StateGroup group : shown.groups(shown.resources().ranks())) {
            sums.merge(group.word(), group.ranks().size(), Integer::sum);
        }
        List<String> words = new ArrayList<>();
        sums.forEach((word, number) -> words.add(number + " " + word));
        return shown.resources().nodes() + " hosts: " + String.join(", ", words) + "   seq " + shown.seq();
    }

    private List<String> table(Overview shown, double now) {
        List<StateGroup> groups = groups();
        int room = Math.max(1, rows - HEAD - 1);
        chosen = Math.max(0, Math.min(chosen, groups.size() - 1));
        first = Math.max(Math.min(first, chosen), chosen - room + 1);
        visible = Math.min(room, groups.size() - first);
        if (groups.isEmpty()) {
            return List.of(filter.isEmpty() ? "No host is out." : "No row has this text.");
        }
        Table table = new Table(
                Column.right("state", "STATE"),
                Column.right("nnodes", "NNODES"),
                Column.right("since", "SINCE"),
                Column.left("holder", "HOLDER"),
                Column.left("by", "BY"),
                Column.flexible("reason", "REASON"),
                Column.hosts("nodelist", "NODELIST"));
        for (StateGroup group : groups.subList(first, first + visible)) {
            table.row(
                    group.word(),
                    Integer.toString(group.ranks().size()),
                    Times.age(group.since(), now),
                    group.holders(),
                    group.by(),
                    group.reason(),
                    shown.resources().hostsOf(group.ranks()).toString());
        }
        return table.render(true, new Style(style.color(), style.marks(), columns))
                .lines()
                .toList();
    }

    private List<String> host(Overview shown, double now) {
        Idset ranks = shown.resources().ranksOf(host);
        if (ranks.isEmpty()) {
            return List.of("there is no host " + host);
        }
        HostStatus status = new HostStatus(shown.state(), ranks.first(), shown.usage(), shown.schedulers());
        return WhyText.of(status.account(), now, "", time).lines().toList();
    }
}
