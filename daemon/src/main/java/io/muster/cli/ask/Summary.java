package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.status.Scheduler;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The inventory in one screen. {@code muster summary} prints it, and lists that are longer than the terminal print it in
 * their place.
 *
 * @param among the ranks that the summary is about
 * @param since troubles that began then or later are new
 */
public record Summary(Overview standing, Queues queues, Idset among, double since) {
    /** How long a trouble counts as new if the user gives no time, in seconds. */
    public static final double NEW = 12 * 3600;

    /** The number of rows of each kind if there is no terminal; otherwise the height of the terminal determines it. */
    private static final int ROWS = 10;

    /** The lines of a screen besides the rows of the tables: the first lines, headers, empty lines, a note and a prompt. */
    private static final int OTHER_LINES = 12;

    /** The kinds of rows: queues, properties, and new, oldest and ending troubles. */
    private static final int KINDS = 5;

    /** Prints a summary in place of a list that is longer than the terminal. */
    public static void instead(
            Console console, Zone zone, String verb, FluxClient client, Overview standing, Idset among)
            throws IOException {
        double since = standing.now(console) - NEW;
        new Summary(standing, Queues.ask(client), among, since).print(console, zone);
        console.complain(verb + ": the table is longer than the terminal; --expand prints all of it");
    }

    public void print(Console console, Zone zone) {
        double now = standing.now(console);
        int height = console.terminal().height();
        int most = height == 0 ? ROWS : Math.max(2, (height - OTHER_LINES) / KINDS);
        Map<String, String> lines = new LinkedHashMap<>();
        Idset up = up(among);
        lines.put("up", parts(among, up));
        lines.put("states", states());
        lines.put("R", Lifetime.of(resources()).text(now, zone));
        lines.put("scheduler", schedulers(now, zone));
        lines.put("disk", disk());
        lines.put("clock", standing.clock() == null ? "" : standing.clock());
        lines.values().removeIf(String::isEmpty);
        lines.forEach((label, text) -> console.println(String.format(Locale.ROOT, "%-9s  %s", label, text)));
        for (Table table : List.of(parts(most), troubles(most, now))) {
            if (!table.rows().isEmpty()) {
                console.print("\n" + table.render(true, console.style()));
            }
        }
    }

    private ResourceSet resources() {
        return standing.resources();
    }

    private Idset up(Idset ranks) {
        return standing.state().view().up().intersect(ranks);
    }

    private String parts(Idset all, Idset up) {
        return count(up.size()) + " of " + count(all.size()) + " hosts, "
                + count(resources().count("core", up)) + " of "
                + count(resources().count("core", all)) + " cores, "
                + count(resources().count("gpu", up)) + " of "
                + count(resources().count("gpu", all)) + " GPUs";
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private String states() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        standing.groups(among)
                .forEach(group -> counts.merge(group.word(), group.ranks().size(), Integer::sum));
        List<String> words = new ArrayList<>();
        counts.forEach((word, hosts) -> words.add(count(hosts) + " " + word));
        return String.join(", ", words);
    }

    private String schedulers(double now, Zone zone) {
        List<String> all = new ArrayList<>();
        for (Scheduler scheduler : standing.schedulers()) {
            int wrong = unsent(scheduler);
            all.add(
                    !scheduler.isConnected()
                            ? scheduler + ", not connected: the acquisition is kept until "
                                    + zone.second(scheduler.until())
                            : scheduler + ", connected since " + zone.second(scheduler.since()) + " ("
                                    + Times.age(scheduler.since(), now) + "), "
                                    + (wrong > 0 || scheduler.behind()
                                            ? "behind: has not read the changes of " + count(wrong) + " hosts"
                                            : "has every change")
                                    + ignorance(scheduler));
        }
        return standing.flux() ? "" : all.isEmpty() ? "none is connected" : String.join("; ", all);
    }

    private String ignorance(Scheduler scheduler) {
        int unknown = scheduler.unknown(standing.state()).size();
        return unknown == 0 ? "" : ", does not know " + count(unknown) + " hosts until it acquires again";
    }

    /** Returns the number of hosts whose present state the scheduler has not been sent. */
    private int unsent(Scheduler scheduler) {
        return scheduler.up().symmetricDifference(up(scheduler.offered())).size();
    }

    private String disk() {
        if (standing.flux()) {
            return "";
        }
        String kept = standing.journalBytes() == 0
                ? ""
                : "; the journal has " + count(standing.journalBytes() >> 10) + " KiB";
        return (standing.fault() == null ? "accepts changes" : "the daemon takes no changes: " + standing.fault())
                + kept;
    }

    private Table parts(int most) {
        Table table = new Table(
                Column.left("kind", ""),
                Column.flexible("name", "NAME"),
                Column.right("up", "UP"),
                Column.right("hosts", "OF HOSTS"),
                Column.right("coresup", "UP"),
                Column.right("cores", "OF CORES"),
                Column.right("gpusup", "UP"),
                Column.right("gpus", "OF GPUS"));
        rows(table, "queue", queueRanks(), most);
        rows(table, "property", families(), most);
        return table;
    }

    /** Adds a row for each of the first parts. */
    private void rows(Table table, String kind, Map<String, Idset> parts, int most) {
        Comparator<Map.Entry<String, Idset>> down = Comparator.comparing(
                part -> up(part.getValue()).size() - part.getValue().size());
        List<Map.Entry<String, Idset>> shown =
                parts.entrySet().stream().sorted(down).limit(most).toList();
        for (int i = 0; i < shown.size(); i++) {
            Idset ranks = shown.get(i).getValue();
            Idset up = up(ranks);
            table.row(
                    label(i, kind, parts.size(), most),
                    shown.get(i).getKey(),
                    count(up.size()),
                    count(ranks.size()),
                    count(resources().count("core", up)),
                    count(resources().count("core", ranks)),
                    count(resources().count("gpu", up)),
                    count(resources().count("gpu", ranks)));
        }
    }

    /** Returns the first cell of a row: the kind in the first row, and in the second row the number of all rows if some are left out. */
    private static String label(int row, String kind, int all, int most) {
        return row == 0 ? kind : row == 1 && all > most ? "of " + count(all) : "";
    }

    private Map<String, Idset> queueRanks() {
        Map<String, Idset> ranks = new LinkedHashMap<>();
        queues.requires()
                .keySet()
                .forEach(name -> ranks.put(name, queues.ranks(resources(), name).intersect(among)));
        return ranks;
    }

    /**
     * Returns the ranks that have a property. Properties that differ only in numbers are one: {@code rack*} for rack000 to
     * rack249. Properties that a queue requires are left out, because the queue has a row.
     */
    private Map<String, Idset> families() {
        Map<String, List<String>> names = new TreeMap<>();
        Set<String> ofQueues = new HashSet<>();
        queues.requires().values().forEach(ofQueues::addAll);
        for (String name : resources().properties().keySet()) {
            if (ofQueues.contains(name)) {
                continue;
            }
            names.computeIfAbsent(name.replaceAll("\\d+", "*"), any -> new ArrayList<>())
                    .add(name);
        }
        Map<String, Idset> ranks = new LinkedHashMap<>();
        names.forEach((family, members) -> {
            Idset all = Idset.EMPTY;
            for (String name : members) {
                all = all.union(resources().properties().getOrDefault(name, Idset.EMPTY));
            }
            String shown = members.size() == 1 ? members.get(0) : family + " (" + members.size() + ")";
            ranks.put(shown, all.intersect(among));
        });
        ranks.values().removeIf(Idset::isEmpty);
        return ranks;
    }

    private Table troubles(int most, double now) {
        Table table = new Table(
                Column.left("kind", ""),
                Column.right("time", "TIME"),
                Column.left("state", "STATE"),
                Column.right("nnodes", "NNODES"),
                Column.left("holder", "HOLDER"),
                Column.flexible("reason", "REASON"),
                Column.hosts("nodelist", "NODELIST"));
        Map<Trouble, Idset> all = Trouble.of(standing.groups(among));
        rows(table, "new in " + Times.span(now - since), Trouble.newest(all, since), most, now);
        rows(table, "oldest", Trouble.oldest(all), most, now);
        rows(table, "ending", Trouble.ending(all), most, now);
        return table;
    }

    private void rows(Table table, String kind, List<Map.Entry<Trouble, Idset>> all, int most, double now) {
        for (int i = 0; i < Math.min(most, all.size()); i++) {
            Trouble trouble = all.get(i).getKey();
            Idset ranks = all.get(i).getValue();
            table.row(
                    label(i, kind, all.size(), most),
                    kind.equals("ending") ? "in " + Times.span(trouble.until() - now) : Times.age(trouble.since(), now),
                    trouble.state(),
                    count(ranks.size()),
                    trouble.holder(),
                    trouble.reason(),
                    resources().hostsOf(ranks).toString());
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = standing.toJson();
        Lifetime.of(resources()).writeTo(json);
        if (!standing.flux()) {
            json.put("journal_bytes", standing.journalBytes());
            ArrayNode schedulers = json.putArray("schedulers");
            standing.schedulers()
                    .forEach(scheduler ->
                            schedulers.add(standing.toJson(scheduler).put("unsent_nnodes", unsent(scheduler))));
        }
        write(json.putObject("all"), among);
        ArrayNode named = json.putArray("queues");
        queueRanks().forEach((name, ranks) -> write(named.addObject().put("name", name), ranks));
        ArrayNode properties = json.putArray("properties");
        families().forEach((name, ranks) -> write(properties.addObject().put("name", name), ranks));
        Map<Trouble, Idset> all = Trouble.of(standing.groups(among));
        write(json.putArray("new"), Trouble.newest(all, since));
        write(json.putArray("oldest"), Trouble.oldest(all));
        write(json.putArray("ending"), Trouble.ending(all));
        return json;
    }

    private void write(ObjectNode json, Idset ranks) {
        Idset up = up(ranks);
        json.put("nnodes", ranks.size()).put("nnodes_up", up.size());
        json.put("ncores", resources().count("core", ranks))
                .put("ncores_up", resources().count("core", up));
        json.put("ngpus", resources().count("gpu", ranks))
                .put("ngpus_up", resources().count("gpu", up));
    }

    private void write(ArrayNode array, List<Map.Entry<Trouble, Idset>> troubles) {
        troubles.forEach(entry -> array.add(entry.getKey().toJson(resources(), entry.getValue())));
    }
}
