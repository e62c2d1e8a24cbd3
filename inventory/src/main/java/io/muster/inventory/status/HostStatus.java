package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about one rank, axis by axis.
 *
 * @param usage the reports of reporters about jobs
 * @param schedulers the schedulers that were offered the inventory
 */
public record HostStatus(InventoryState state, int rank, List<JobUsage> usage, List<Scheduler> schedulers) {
    public String host() {
        return state.resources().hostOf(rank);
    }

    private boolean up() {
        return state.view().up().contains(rank);
    }

    private @Nullable JobUsage knownUsage() {
        for (JobUsage each : usage) {
            if (each.ranks().contains(rank)) {
                return each;
            }
        }
        return null;
    }

    private List<String> properties() {
        List<String> names = new ArrayList<>();
        state.resources().properties().forEach((name, ranks) -> {
            if (ranks.contains(rank)) {
                names.add(name);
            }
        });
        return names;
    }

    /** Returns the state of the host. */
    public ObjectNode toJson() {
        Idset self = Idset.of(rank);
        ObjectNode json =
                StateGroup.of(state, JobUsage.allocated(usage), self).get(0).toJson(state.resources(), false);
        json.remove(List.of("up", "nnodes", "hosts", "ranks"));
        json.put("host", host()).put("rank", rank).put("up", up());
        state.liveness().shown(self).forEach((report, ranks) -> {
            boolean lost = state.liveness().reports().lapsedOn(rank) != null;
            json.put("liveness", lost ? "unknown" : report.status().word()).put("cause", report.reason());
            json.put("liveness_since", report.since() <= 0 ? null : Times.rfc3339(report.since()));
        });
        JobUsage known = knownUsage();
        json.put("allocated", known == null ? null : known.allocated().contains(rank));
        json.put("allocated_time", known == null ? null : Times.rfc3339(known.time()));
        ArrayNode properties = json.putArray("properties");
        properties().forEach(properties::add);
        json.set("planned", Plans.of(state.plans().on(rank)));
        json.set("notes", NoteText.of(state, rank, usage));
        return json;
    }

    /** Returns everything that is known about the host. */
    public ObjectNode account() {
        ObjectNode json = toJson();
        ArrayNode told = json.putArray("told");
        Told.of(state, rank).forEach(told::add);
        ArrayNode absences = json.putArray("absences");
        state.membership().of(rank).forEach(absence -> absences.add(StateGroup.toJson(absence)));
        json.set("holds", Plans.of(state.holds().on(rank)));
        LivenessState report = state.liveness().of(rank);
        if (report != null) {
            json.put("reported", report.status().word());
        }
        JobUsage known = knownUsage();
        json.put("allocated_reporter", known == null ? null : known.reporter());
        ArrayNode array = json.putArray("schedulers");
        for (Scheduler scheduler : schedulers) {
            ObjectNode entry = array.addObject();
            entry.put("user", scheduler.user())
                    .put("userid", scheduler.userid())
                    .put("pid", scheduler.pid());
            entry.put("owner", scheduler.owner().isEmpty() ? null : scheduler.owner());
            entry.put("connected", scheduler.isConnected());
            entry.put("since", Times.rfc3339(scheduler.since()));
            StateGroup.time(entry, "until", scheduler.until());
            entry.put("offered", scheduler.offered().contains(rank));
            entry.put("up", scheduler.up().contains(rank));
        }
        return json;
    }
}
