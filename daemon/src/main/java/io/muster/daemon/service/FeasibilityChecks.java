package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.account.Account;
import io.muster.daemon.core.Aside;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Notes;
import io.muster.inventory.feasibility.Assessment;
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
import io.muster.inventory.status.LiveGraph;
import io.muster.inventory.status.Marks;
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
public final class FeasibilityChecks {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /**
     * The size of the largest request that is computed. No real job comes near it; for larger requests, the budget of the
     * search would no longer bound the cost.
     */
    private static final int LARGEST = 1000;

    private final Turns<Inputs> turns;
    private final Stock stock;

    private record Inputs(InventoryState state, List<GraphEntry> graph, double time) {}

    /**
     * @param inventory returns the current state; called on the core thread
     * @param clock returns the time in seconds since the epoch
     * @param structures the entries of the configuration, and the graph that contains the marks
     * @param checks has one thread: a check may take tens of milliseconds, and the first check after a new R longer
     */
    public FeasibilityChecks(
            Supplier<InventoryState> inventory, DoubleSupplier clock, Structures structures, Aside checks) {
        this.stock = new Stock(structures);
        this.turns = new Turns<>(
                "checks",
                () -> new Inputs(inventory.get(), structures.entries(), clock.getAsDouble()),
                (payload, now, step) -> answer(payload, now),
                checks,
                System::nanoTime,
                false);
    }

    void check(Bytes payload, Account asker, Replier reply) {
        turns.ask(payload, asker, reply);
    }

    private @Nullable Bytes answer(Bytes payload, Inputs now) throws ProtocolException {
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
            return FeasibilityAnswer.of(false, Assessment.invalid(String.valueOf(e.getMessage())), ResourceSet.EMPTY);
        }
    }

    private static Assessment answer(
            Feasibility feasibility, FeasibilityRequest request, InventoryState state, double now) {
        int size = request.size();
        if (size > LARGEST) {
            String sentence = "the request has " + size + " vertices and constraint terms; Muster answers requests"
                    + " with up to " + LARGEST;
            return new Assessment(Verdict.UNKNOWN, sentence, -1, Idset.EMPTY, List.of());
        }
        return request.now()
                ? feasibility.now(request.request(), state.view().up(), now)
                : feasibility.ever(request.request());
    }

    /**
     * The resources that are offered to schedulers, folded into kinds of node. R's graph is read once for each definition of
     * R, and the nodes with marks are folded once for each change of marks. Used only by the thread of the checks.
     */
    private static final class Stock {
        private final Structures structures;
        private ResourceSet base = ResourceSet.EMPTY;
        private Feasibility whole = Feasibility.of(ResourceSet.EMPTY);
        private @Nullable Definition definition;
        private Idset members = Idset.EMPTY;
        private ResourceSet resources = ResourceSet.EMPTY;
        private Feasibility folded = whole;
        private List<GraphEntry> graph = List.of();
        private Notes notes = Notes.NONE;
        private Marks marks = Marks.of(notes);
        private Feasibility marked = whole;

        Stock(Structures structures) {
            this.structures = structures;
        }

        @SuppressWarnings(
                "ReferenceEquality") // the entries are another object only after the configuration was read again
        Feasibility of(InventoryState state, List<GraphEntry> entries) {
            Idset now = state.members();
            boolean isMarked = mark(state.notes());
            if (definition != state.definition() || !members.equals(now) || graph != entries || isMarked) {
                boolean isDefined = define(state.definition().base(), entries);
                if (isDefined || isMarked) {
                    marked = marks.places().isEmpty() ? whole : marked(state);
                }
                resources = state.resources().withoutScheduling().keep(now);
                folded = marked.with(resources);
                definition = state.definition();
                members = now;
            }
            return folded;
        }

        /** Replaces the notes; returns whether the marks differ from the previous ones. */
        @SuppressWarnings("ReferenceEquality") // comparing notes may take longer than collecting the marks
        private boolean mark(Notes next) {
            Marks before = marks;
            if (notes != next) {
                marks = Marks.of(next);
                notes = next;
            }
            return !marks.equals(before);
        }

        private Feasibility marked(InventoryState state) {
            ResourceGraph live = LiveGraph.noted(structures.of(state), state);
            return whole.marked(live, marks.down(), marks.remarks(state.resources()));
        }

        @SuppressWarnings("ReferenceEquality") // a definition keeps its base R when properties change
        private boolean define(ResourceSet next, List<GraphEntry> entries) {
            if (base == next && graph == entries) {
                return false;
            }
            whole = fold(next, entries);
            base = next;
            graph = entries;
            return true;
        }

        ResourceSet resources() {
            return resources;
        }

        private static Feasibility fold(ResourceSet base, List<GraphEntry> entries) {
            ResourceSet r = base.withoutScheduling();
            try {
                ResourceGraph graph = Structure.given(base, entries, Detail.POOLS);
                return graph == null ? Feasibility.of(r) : Feasibility.of(r, graph);
            } catch (IllegalArgumentException e) {
                log.warn("feasibility is judged without R's key scheduling: {}", e.getMessage());
                return Feasibility.of(r);
            }
        }
    }
}
