package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.account.Account;
import io.muster.daemon.core.Aside;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.Group;
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
import io.muster.protocol.admin.StateQuery;
import io.muster.protocol.operation.Document;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Answers questions about the state of hosts with documents, which are made beside the core thread from the immutable state. Users take
 * turns, and equal questions get the same document.
 */
public final class Documents {
    private final Map<Document, Turns<Situation>> turns = new EnumMap<>(Document.class);

    /** @param now returns the same object until it would be another one; called on the core thread */
    public Documents(Supplier<Situation> now, Aside beside) {
        for (Document document : Document.values()) {
            turns.put(document, turns(now, document, beside));
        }
    }

    private static View view(Document document) {
        return switch (document) {
            case STATUS -> Documents::status;
            case HOLDS -> Documents::holds;
            case HOSTS -> Documents::hosts;
            case HOST -> Documents::host;
            case R -> Documents::resources;
            case LAYOUT -> Documents::layout;
        };
    }

    /** Makes a document. */
    private interface View {
        Bytes of(Situation now, StateQuery query);
    }

    private static Turns<Situation> turns(Supplier<Situation> now, Document document, Aside beside) {
        View view = view(document);
        return new Turns<>(
                "documents",
                now,
                (payload, situation, step) ->
                        view.of(situation, StateQuery.parse(Operations.fields(document.topic(), payload))),
                beside,
                System::nanoTime,
                true);
    }

    void ask(Document document, Bytes unread, Account asker, Replier reply) {
        Objects.requireNonNull(turns.get(document)).ask(unread, asker, reply);
    }

    private static Bytes status(Situation now, StateQuery query) {
        InventoryState state = now.state();
        ObjectNode json = now.document();
        now.putUsage(json);
        ResourceSet resources = state.resources();
        json.put("starttime", resources.starttime() <= 0 ? null : Times.rfc3339(resources.starttime()));
        json.put("expiration", resources.expiration() <= 0 ? null : Times.rfc3339(resources.expiration()));
        json.put("departed", Hostlist.of(List.copyOf(state.departed().keySet())).toString());
        json.set("notes", NoteText.all(state));
        groups(json, filter(query).keep(groups(now, state, among(state, query))), resources, query.expand());
        return encode(json);
    }

    private static Bytes holds(Situation now, StateQuery query) {
        InventoryState state = now.state();
        ObjectNode json = now.document();
        List<StateGroup> groups = new ArrayList<>(groups(now, state, among(state, query)));
        groups.removeIf(group -> group.holds() == null);
        groups(json, groups, state.resources(), query.expand());
        ArrayNode departed = json.putArray("departed");
        state.departed().forEach((host, left) -> {
            if (left.holds() != null) {
                departed.add(departed(host, left));
            }
        });
        return encode(json);
    }

    private static Bytes hosts(Situation now, StateQuery query) {
        InventoryState state = now.state();
        int after = query.after();
        Idset found = Idset.EMPTY;
        for (StateGroup group : filter(query).keep(groups(now, state, among(state, query)))) {
            found = found.union(group.ranks());
        }
        ObjectNode json = now.document();
        now.putUsage(json);
        json.put("nnodes", found.size());
        ArrayNode hosts = json.putArray("hosts");
        int rank = found.next(after);
        int last = after;
        while (rank >= 0 && hosts.size() < query.limit()) {
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

    private static Bytes host(Situation now, StateQuery query) {
        InventoryState state = now.state();
        String name = query.host();
        Idset ranks = state.resources().ranksOf(name);
        Departed left = state.departed().get(name);
        ObjectNode json = now.document();
        now.putUsage(json);
        if (!ranks.isEmpty()) {
            json.setAll(host(now, state, ranks.first()));
        } else if (left != null) {
            json.setAll(departed(name, left));
        } else {
            throw new RpcException(Errno.ENOENT, "there is no host " + name + ": neither R nor the state has it");
        }
        return encode(json);
    }

    private static Bytes resources(Situation now, StateQuery query) {
        return Bytes.join(Bytes.of(now.state().resources().toPieces().all()), Bytes.wrap(new byte[] {0}));
    }

    /** Returns the state of a host. */
    private static ObjectNode host(Situation now, InventoryState state, int rank) {
        ObjectNode json = new HostStatus(state, rank, now.usage(), List.of()).toJson();
        ResourceSet own = state.resources().keep(Idset.of(rank));
        return json.put("ncores", own.cores()).put("ngpus", own.gpus());
    }

    private static ObjectNode departed(String host, Departed left) {
        return new Departure(host, left).toJson();
    }

    private static List<StateGroup> groups(Situation now, InventoryState state, Idset among) {
        return StateGroup.of(state, JobUsage.allocated(now.usage()), among);
    }

    private static void groups(ObjectNode json, List<StateGroup> groups, ResourceSet resources, boolean expand) {
        ArrayNode all = json.putArray("groups");
        groups.forEach(group -> all.add(group.toJson(resources, expand)));
    }

    private static StateFilter filter(StateQuery query) {
        try {
            return StateFilter.of(query.states());
        } catch (IllegalArgumentException e) {
            throw query.fault("states", String.valueOf(e.getMessage()));
        }
    }

    private static Idset among(InventoryState state, StateQuery query) {
        String targets = query.targets();
        return targets == null ? state.resources().ranks() : find(state, targets, query.refusal());
    }

    /** Returns the ranks that the text selects, of which at least one must exist. */
    static Idset find(InventoryState state, String targets, Fields.Refusal refusal) {
        if (TargetExpression.parts(targets).stream().anyMatch(TargetExpression::isSearch)) {
            throw refusal.of(
                    "/targets", "takes ranks, hosts, all and @PROPERTY here: send the hosts that `find` finds");
        }
        try {
            return TargetExpression.among(state.resources(), targets);
        } catch (MalformedException e) {
            throw refusal.of("/targets", "is malformed: " + e.getMessage());
        } catch (TargetException e) {
            throw new RpcException(Errno.ENOENT, String.valueOf(e.getMessage()));
        }
    }

    /** Returns cores, GPUs and properties of hosts, with one entry for all hosts that are alike. */
    private static Bytes layout(Situation now, StateQuery query) {
        ObjectNode json = now.document();
        ArrayNode groups = json.putArray("resources");
        for (Group group : now.state().resources().groups()) {
            ObjectNode each = groups.addObject().put("ranks", group.ranks().toString());
            for (String type : new String[] {"core", "gpu"}) {
                var ids = group.children().get(type);
                each.put("n" + type + "s", ids == null ? 0 : ids.size());
            }
        }
        ObjectNode properties = json.putObject("properties");
        now.state().resources().properties().forEach((name, ranks) -> properties.put(name, ranks.toString()));
        return encode(json);
    }

    /** Returns the payload with the document, which ends with a line end for those who read it in a terminal. */
    static Bytes encode(ObjectNode json) {
        return Bytes.wrap((json + "\n\0").getBytes(StandardCharsets.UTF_8));
    }
}
