package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Identity;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.core.Aside;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.feasibility.Answer;
import io.muster.inventory.feasibility.Feasibility;
import io.muster.inventory.feasibility.Verdict;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.GraphEntry;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.admin.FeasibilityAnswer;
import io.muster.protocol.admin.FeasibilityRequest;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves RFC 27's {@code feasibility.check}: whether a job could ever run on this inventory. Checks are
 * computed in {@link Turns}.
 */
public final class FeasibilityChecks implements Configurable {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /**
     * The size of the largest request that is computed. No real job comes near it; for larger requests, the budget of the
     * search would no longer bound the cost.
     */
    private static final int LARGEST = 1000;

    private final Turns<Situation> turns;
    private final Stock stock = new Stock();
    private List<GraphEntry> graph = List.of();

    private record Situation(InventoryState state, List<GraphEntry> graph, double time) {}

    /**
     * @param inventory returns the current state; called on the core thread
     * @param clock returns the time in seconds since the epoch
     * @param checks has one thread: a check may take tens of milliseconds, and the first check after a new R longer
     */
    public FeasibilityChecks(Supplier<InventoryState> inventory, DoubleSupplier clock, Aside checks) {
        this.turns = new Turns<>(
                "checks", () -> new Situation(inventory.get(), graph, clock.getAsDouble()), this::answer, checks);
    }

    @Override
    public void configure(Config next) {
        graph = next.graph();
    }

    void check(Bytes payload, Identity asker, Replier reply) {
        turns.ask(payload, asker, reply);
    }

    private @Nullable Bytes answer(Bytes payload, Situation now) throws ProtocolException {
        ObjectNode json = Json.parse(payload);
        boolean explain = FeasibilityRequest.wantsExplanation(json);
        FeasibilityAnswer answer = answer(json, now.state(), now.graph(), now.time());
        RpcException refusal = explain ? null : answer.refusal();
        if (refusal != null) {
            throw refusal;
        }
        return explain ? Json.encode(answer.toJson()) : null;
    }

    private FeasibilityAnswer answer(ObjectNode json, InventoryState state, List<GraphEntry> entries, double now) {
        try {
            FeasibilityRequest request = FeasibilityRequest.parse(json);
            Feasibility feasibility = stock.of(state, entries);
            return FeasibilityAnswer.of(request.now(), answer(feasibility, request, state, now), stock.resources());
        } catch (InvalidException e) {
            return FeasibilityAnswer.of(false, Answer.invalid(String.valueOf(e.getMessage())), ResourceSet.EMPTY);
        }
    }

    private static Answer answer(
            Feasibility feasibility, FeasibilityRequest request, InventoryState state, double now) {
        int size = request.size();
        if (size > LARGEST) {
            String sentence = "the request has " + size + " vertices and constraint terms; Muster answers requests"
                    + " with up to " + LARGEST;
            return new Answer(Verdict.UNKNOWN, sentence, -1, Idset.EMPTY, List.of(), List.of());
        }
        return request.now()
                ? feasibility.now(request.request(), state.view().up(), now)
                : feasibility.ever(request.request());
    }

    /**
     * The resources that are offered to schedulers, folded into kinds of node. R's graph is read once for each definition of
     * R. Used only by the thread of the checks.
     */
    private static final class Stock {
        private ResourceSet base = ResourceSet.EMPTY;
        private Feasibility whole = Feasibility.of(ResourceSet.EMPTY);
        private @Nullable Definition definition;
        private Idset members = Idset.EMPTY;
        private ResourceSet resources = ResourceSet.EMPTY;
        private Feasibility folded = whole;
        private List<GraphEntry> graph = List.of();

        @SuppressWarnings(
                "ReferenceEquality") // the entries are another object only after the configuration was read again
        Feasibility of(InventoryState state, List<GraphEntry> entries) {
            Idset now = state.members();
            if (definition != state.definition() || !members.equals(now) || graph != entries) {
                define(state.definition().base(), entries);
                resources = state.resources().withoutScheduling().keep(now);
                folded = whole.with(resources);
                definition = state.definition();
                members = now;
            }
            return folded;
        }

        @SuppressWarnings("ReferenceEquality") // a definition keeps its base R when properties change
        private void define(ResourceSet next, List<GraphEntry> entries) {
            if (base != next || graph != entries) {
                whole = fold(next, entries);
                base = next;
                graph = entries;
            }
        }

        ResourceSet resources() {
            return resources;
        }

        private static Feasibility fold(ResourceSet base, List<GraphEntry> entries) {
            ResourceSet r = base.withoutScheduling();
            try {
                // This graph has the states of R's graph only. Feasibility also obeys states that are set on it here.
                ResourceGraph graph = Structure.given(base, entries, Detail.POOLS);
                return graph == null ? Feasibility.of(r) : Feasibility.of(r, graph);
            } catch (IllegalArgumentException e) {
                log.warn("feasibility is judged without R's key scheduling: {}", e.getMessage());
                return Feasibility.of(r);
            }
        }
    }
}
