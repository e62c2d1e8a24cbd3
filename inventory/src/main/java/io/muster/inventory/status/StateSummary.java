package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts of hosts, cores and GPUs, by state, queue and property, and the newest and oldest problems. */
public final class StateSummary {
    private final ResourceSet resources;
    private final Idset up;
    private final Queues queues;
    private final Idset among;

    /** @param among the ranks that the summary is about */
    public StateSummary(InventoryState state, Queues queues, Idset among) {
        this.resources = state.resources();
        this.up = state.view().up();
        this.queues = queues;
        this.among = among;
    }

    /**
     * Adds the summary to a document.
     *
     * @param groups the groups of the ranks
     * @param since problems that began then or later are new
     * @param most the highest number of problems in each list
     */
    public void writeTo(ObjectNode json, List<StateGroup> groups, double since, int most) {
        count(json.putObject("all"), among);
        Map<String, Integer> counts = new LinkedHashMap<>();
        groups.forEach(group -> counts.merge(group.word(), group.ranks().size(), Integer::sum));
        counts.forEach(json.putObject("states")::put);
        ArrayNode named = json.putArray("queues");
        queues.requires().keySet().forEach(name -> {
            Idset ranks = queues.ranks(resources, name).intersect(among);
            count(named.addObject().put("name", name), ranks);
        });
        ArrayNode properties = json.putArray("properties");
        families().forEach((name, ranks) -> count(properties.addObject().put("name", name), ranks));
        Map<Trouble, Idset> all = Trouble.of(groups);
        StateGroup.time(json, "since", since);
        Set<Trouble> written = new HashSet<>();
        write(json, "new", Trouble.newest(all, since), most, written);
        write(json, "oldest", Trouble.oldest(all), most, written);
        write(json, "ending", Trouble.ending(all), most, written);
    }

    private void count(ObjectNode json, Idset ranks) {
        Idset ready = up.intersect(ranks);
        json.put("nnodes", ranks.size()).put("nnodes_up", ready.size());
        json.put("ncores", resources.count("core", ranks)).put("ncores_up", resources.count("core", ready));
        json.put("ngpus", resources.count("gpu", ranks)).put("ngpus_up", resources.count("gpu", ready));
    }

    /**
     * Returns the ranks that have a property. Properties that differ only in numbers are one: {@code rack*} for rack000 to
     * rack249. Properties that a queue requires are left out, because the queue has a row.
     */
    private Map<String, Idset> families() {
        Map<String, List<String>> names = new TreeMap<>();
        Set<String> ofQueues = new HashSet<>();
        queues.requires().values().forEach(ofQueues::addAll);
        for (String name : resources.properties().keySet()) {
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
                all = all.union(resources.properties().getOrDefault(name, Idset.EMPTY));
            }
            String shown = members.size() == 1 ? members.get(0) : family + " (" + members.size() + ")";
            ranks.put(shown, all.intersect(among));
        });
        ranks.values().removeIf(Idset::isEmpty);
        return ranks;
    }

    /** Writes the first problems of a kind that have not been written yet: the texts of all of them may take a hundred times as long. */
    private void write(
            ObjectNode json, String kind, List<Map.Entry<Trouble, Idset>> troubles, int most, Set<Trouble> written) {
        json.put(kind + "_total", troubles.size());
        ArrayNode rows = json.putArray(kind);
        for (Map.Entry<Trouble, Idset> entry : troubles) {
            if (rows.size() < most && written.add(entry.getKey())) {
                rows.add(entry.getKey().toJson(resources, entry.getValue()));
            }
        }
    }
}
