package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import java.util.List;

/** What taking hosts out would do: which resources, jobs, and shares of queues and properties would go. */
public final class Impact {
    private final ResourceSet resources;
    private final Idset up;
    private final Idset targets;

    public Impact(InventoryState state, Idset targets) {
        this.resources = state.resources();
        this.up = state.view().up();
        this.targets = targets;
    }

    /** Adds the impact to a document. */
    public void writeTo(ObjectNode json, Queues queues, List<JobUsage> usage) {
        Idset known = Idset.unionOf(usage.stream().map(JobUsage::ranks));
        Idset allocated = JobUsage.allocated(usage).intersect(targets);
        json.put("hosts", resources.hostsOf(targets).toString());
        count(json, "", targets);
        count(json, "_up", targets.intersect(up));
        json.put("allocated", resources.hostsOf(allocated).toString());
        json.put("unreported", resources.hostsOf(targets.subtract(known)).toString());
        left(json.putObject("all"), resources.ranks());
        ArrayNode losers = json.putArray("queues");
        queues.requires().keySet().forEach(name -> add(losers, name, queues.ranks(resources, name)));
        ArrayNode properties = json.putArray("properties");
        resources.properties().forEach((name, ranks) -> add(properties, name, ranks));
    }

    private void count(ObjectNode json, String suffix, Idset ranks) {
        json.put("nnodes" + suffix, ranks.size());
        json.put("ncores" + suffix, resources.count("core", ranks));
        json.put("ngpus" + suffix, resources.count("gpu", ranks));
    }

    /** Adds a queue or a property that would lose hosts. */
    private void add(ArrayNode array, String name, Idset ranks) {
        if (ranks.intersects(targets)) {
            left(array.addObject().put("name", name), ranks);
        }
    }

    /** Adds how many of the hosts schedulers may use now, and how many they could still use. */
    private void left(ObjectNode json, Idset ranks) {
        Idset before = ranks.intersect(up);
        Idset after = before.subtract(targets);
        json.put("nnodes", ranks.size()).put("nnodes_up", before.size()).put("nnodes_left", after.size());
        json.put("last", !before.isEmpty() && after.isEmpty());
    }
}
