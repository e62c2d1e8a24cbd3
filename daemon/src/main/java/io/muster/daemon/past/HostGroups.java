package io.muster.daemon.past;

import io.muster.inventory.graph.Racks;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.history.Uptime;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The racks and queues of hosts as they are now, by which the past is summed up: a host that moved counts for its present rack.
 *
 * @param graph makes the resource graph, if it is needed
 */
public record HostGroups(ResourceSet resources, Supplier<ResourceGraph> graph, Queues queues) {
    /** Returns the groups of hosts; one without a name for a host that is in none. */
    public Function<String, List<String>> by(Uptime.@Nullable By by) {
        Map<String, Idset> ranks = new TreeMap<>();
        if (by == Uptime.By.RACK) {
            ranks.putAll(Racks.of(graph.get(), resources));
        } else if (by == Uptime.By.QUEUE) {
            queues.requires().keySet().forEach(queue -> ranks.put(queue, queues.ranks(resources, queue)));
        }
        Map<String, List<String>> groups = new HashMap<>();
        ranks.forEach((name, some) -> resources.hostsOf(some).stream()
                .distinct()
                .forEach(host ->
                        groups.computeIfAbsent(host, each -> new ArrayList<>(1)).add(name)));
        return host -> groups.getOrDefault(host, List.of(""));
    }
}
