package io.muster.daemon.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.http.Refusal;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.TargetExpression;
import io.muster.inventory.status.Departure;
import io.muster.inventory.status.HostStatus;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.NoteText;
import io.muster.inventory.status.StateFilter;
import io.muster.inventory.status.StateGroup;
import io.muster.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The bodies of responses that are made from the state alone. They may take long and run beside the core thread. */
final class Views {
    private static final int MOST_HOSTS = 1000;
    private static final int USUAL_HOSTS = 100;

    private Views() {}

    static Bytes status(Situation now, InventoryState state, Call call) {
        ObjectNode json = now.document();
        usage(now, json);
        ResourceSet resources = state.resources();
        json.put("starttime", resources.starttime() <= 0 ? null : Times.rfc3339(resources.starttime()));
        json.put("expiration", resources.expiration() <= 0 ? null : Times.rfc3339(resources.expiration()));
        json.put("departed", Hostlist.of(List.copyOf(state.departed().keySet())).toString());
        json.set("notes", NoteText.all(state));
        groups(json, filter(call).keep(groups(now, state, among(state, call))), resources, call.flag("expand"));
        return encode(json);
    }

    static Bytes holds(Situation now, InventoryState state, Call call) {
        ObjectNode json = now.document();
        List<StateGroup> groups = new ArrayList<>(groups(now, state, among(state, call)));
        groups.removeIf(group -> group.holds() == null);
        groups(json, groups, state.resources(), call.flag("expand"));
        ArrayNode departed = json.putArray("departed");
        state.departed().forEach((host, left) -> {
            if (left.holds() != null) {
                departed.add(departed(host, left));
            }
        });
        return encode(json);
    }

    static Bytes hosts(Situation now, InventoryState state, Call call) {
        int limit = (int) call.number("limit", USUAL_HOSTS, 1, MOST_HOSTS);
        int after = (int) call.number("after", -1, 0, Idset.MAX_ID);
        Idset found = Idset.EMPTY;
        for (StateGroup group : filter(call).keep(groups(now, state, among(state, call)))) {
            found = found.union(group.ranks());
        }
        ObjectNode json = now.document();
        usage(now, json);
        json.put("nnodes", found.size());
        ArrayNode hosts = json.putArray("hosts");
        int rank = found.next(after);
        int last = after;
        while (rank >= 0 && hosts.size() < limit) {
            hosts.add(host(now, state, rank));
            last = rank;
            rank = found.next(rank);
        }
        if (rank >= 0) {
            json.put("next", last);
        } else {
            json.putNull("next");
        }
        return encode(json);
    }

    static Bytes host(Situation now, InventoryState state, Call call) {
        String name = call.route().variable(call.ask().path());
        Idset ranks = state.resources().ranksOf(name);
        Departed left = state.departed().get(name);
        ObjectNode json = now.document();
        usage(now, json);
        if (!ranks.isEmpty()) {
            json.setAll(host(now, state, ranks.first()));
        } else if (left != null) {
            json.setAll(departed(name, left));
        } else {
            throw new Refusal(404, "there is no host " + name + ": neither R nor the state has it");
        }
        return encode(json);
    }

    static Bytes resources(Situation now, InventoryState state, Call call) {
        return Bytes.of(state.resources().toPieces().all());
    }

    /** Returns the state of a host, without the parts that only the core thread may read. */
    private static ObjectNode host(Situation now, InventoryState state, int rank) {
        ObjectNode json = new HostStatus(state, rank, now.usage(), null, List.of()).toJson();
        json.remove(List.of("schedulers", "events"));
        ResourceSet own = state.resources().keep(Idset.of(rank));
        return json.put("ncores", own.cores()).put("ngpus", own.gpus());
    }

    private static ObjectNode departed(String host, Departed left) {
        ObjectNode json = new Departure(host, left, List.of()).toJson();
        json.remove("events");
        return json;
    }

    static void usage(Situation now, ObjectNode json) {
        ArrayNode reported = json.putArray("usage");
        now.usage().forEach(each -> reported.add(each.toJson()));
    }

    private static List<StateGroup> groups(Situation now, InventoryState state, Idset among) {
        return StateGroup.of(state, JobUsage.allocated(now.usage()), among);
    }

    private static void groups(ObjectNode json, List<StateGroup> groups, ResourceSet resources, boolean expand) {
        ArrayNode all = json.putArray("groups");
        groups.forEach(group -> all.add(group.toJson(resources, expand)));
    }

    private static StateFilter filter(Call call) {
        try {
            return StateFilter.of(call.param("states"));
        } catch (IllegalArgumentException e) {
            throw Call.wrong("states", String.valueOf(e.getMessage()));
        }
    }

    private static Idset among(InventoryState state, Call call) {
        String targets = call.param("targets");
        return targets == null ? state.resources().ranks() : find(state, targets);
    }

    /** Returns the ranks that the text selects, of which at least one must exist. */
    static Idset find(InventoryState state, String targets) {
        checkNoSearch(targets);
        try {
            return TargetExpression.among(state.resources(), targets);
        } catch (MalformedException e) {
            throw new Refusal(400, String.valueOf(e.getMessage()));
        } catch (TargetException e) {
            throw new Refusal(404, String.valueOf(e.getMessage()));
        }
    }

    /** Refuses expressions, which only the core thread can begin to search for. */
    static void checkNoSearch(String targets) {
        if (TargetExpression.parts(targets).stream().anyMatch(TargetExpression::isSearch)) {
            throw Call.wrong(
                    "targets", "takes ranks, hosts, all and @PROPERTY here: send the hosts that /v1/find finds");
        }
    }

    static Bytes encode(ObjectNode json) {
        return Bytes.wrap((json + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
