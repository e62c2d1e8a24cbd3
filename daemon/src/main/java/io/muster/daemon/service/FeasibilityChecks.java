package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Identity;
import io.muster.daemon.core.Aside;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.feasibility.Answer;
import io.muster.inventory.feasibility.Feasibility;
import io.muster.inventory.feasibility.Verdict;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.admin.FeasibilityAnswer;
import io.muster.protocol.admin.FeasibilityRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves RFC 27's {@code feasibility.check}: whether a job could ever run on this inventory. One check is computed at a
 * time, beside the core thread. Users take turns, so that a user with many checks delays only that user's own. Each check
 * uses the state of the inventory at the moment when its turn comes.
 */
public final class FeasibilityChecks {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /**
     * The highest number of waiting checks of one user. A connection has at most one check in progress, so a user that sends
     * checks over a few connections is slowed down, not refused.
     */
    private static final int MOST_OF_ONE_USER = 4096;

    private static final int MOST = 4 * MOST_OF_ONE_USER;
    /** The highest number of bytes of waiting requests, which are kept in the heap, and the heap may be small. */
    private static final long MOST_BYTES =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);

    /**
     * The size of the largest request that is computed. No real job comes near it; for larger requests, the budget of the
     * search would no longer bound the cost.
     */
    private static final int LARGEST = 1000;

    private final Supplier<InventoryState> inventory;
    private final DoubleSupplier clock;
    private final Aside checks;
    private final Map<String, Deque<Check>> waiting = new LinkedHashMap<>();
    private final Stock stock = new Stock();
    private int count;
    private long bytes;
    private boolean busy;

    /**
     * @param inventory returns the current state; called on the core thread
     * @param clock returns the time in seconds since the epoch
     * @param checks has one thread: a check may take tens of milliseconds, and the first check after a new R longer
     */
    public FeasibilityChecks(Supplier<InventoryState> inventory, DoubleSupplier clock, Aside checks) {
        this.inventory = inventory;
        this.clock = clock;
        this.checks = checks;
    }

    private record Check(Bytes payload, Replier reply) {}

    void check(Bytes payload, Identity asker, Replier reply) {
        String userKey = asker.who();
        Deque<Check> userChecks = waiting.get(userKey);
        boolean full = count >= MOST || bytes + payload.length() > MOST_BYTES;
        if (userChecks != null && userChecks.size() >= MOST_OF_ONE_USER) {
            reply.fail(
                    new RpcException(Errno.EAGAIN, userChecks.size() + " of this user's checks are waiting already"));
            return;
        }
        if (userChecks != null && full) {
            reply.fail(new RpcException(
                    Errno.EAGAIN, count + " checks are waiting already, of this user's " + userChecks.size()));
            return;
        }
        waiting.computeIfAbsent(userKey, user -> new ArrayDeque<>()).add(new Check(payload, reply));
        count++;
        bytes += payload.length();
        next();
    }

    /** Starts the oldest check of the next user. If the user has more checks, the user goes to the end of the queue. */
    private void next() {
        if (busy || waiting.isEmpty()) {
            return;
        }
        Iterator<Map.Entry<String, Deque<Check>>> line = waiting.entrySet().iterator();
        Map.Entry<String, Deque<Check>> first = line.next();
        String userKey = first.getKey();
        Deque<Check> userChecks = first.getValue();
        line.remove();
        Check check = userChecks.remove();
        if (!userChecks.isEmpty()) {
            waiting.put(userKey, userChecks);
        }
        count--;
        bytes -= check.payload().length();
        busy = true;
        InventoryState state = inventory.get();
        double now = clock.getAsDouble();
        checks.run(
                () -> {
                    Consumer<Replier> answer = answer(check.payload(), state, now);
                    return () -> finish(check, answer);
                },
                bug -> finish(check, reply -> reply.fail(new RpcException(Errno.EIO, bug))));
    }

    private void finish(Check check, Consumer<Replier> answer) {
        busy = false;
        try {
            answer.accept(check.reply());
        } finally {
            next();
        }
    }

    private Consumer<Replier> answer(Bytes payload, InventoryState state, double now) {
        try {
            ObjectNode json = Json.parse(payload);
            boolean explain = FeasibilityRequest.wantsExplanation(json);
            FeasibilityAnswer answer = answer(json, state, now);
            RpcException refusal = explain ? null : answer.refusal();
            Bytes encoded = explain ? Json.encode(answer.toJson()) : null;
            return reply -> {
                if (refusal == null) {
                    reply.done(encoded);
                } else {
                    reply.fail(refusal);
                }
            };
        } catch (RpcException e) {
            return reply -> reply.fail(e);
        } catch (ProtocolException e) {
            return reply -> reply.fail(new RpcException(Errno.EPROTO, String.valueOf(e.getMessage())));
        }
    }

    private FeasibilityAnswer answer(ObjectNode json, InventoryState state, double now) {
        try {
            FeasibilityRequest request = FeasibilityRequest.parse(json);
            Feasibility feasibility = stock.of(state);
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

        Feasibility of(InventoryState state) {
            Idset now = state.members();
            if (definition != state.definition() || !members.equals(now)) {
                define(state.definition().base());
                resources = state.resources().withoutScheduling().keep(now);
                folded = whole.with(resources);
                definition = state.definition();
                members = now;
            }
            return folded;
        }

        @SuppressWarnings("ReferenceEquality") // a definition keeps its base R when properties change
        private void define(ResourceSet next) {
            if (base != next) {
                whole = fold(next);
                base = next;
            }
        }

        ResourceSet resources() {
            return resources;
        }

        private static Feasibility fold(ResourceSet base) {
            ResourceSet r = base.withoutScheduling();
            try {
                ResourceGraph graph = Structure.given(base, Detail.POOLS);
                return graph == null ? Feasibility.of(r) : Feasibility.of(r, graph);
            } catch (IllegalArgumentException e) {
                log.warn("feasibility is judged without R's key scheduling: {}", e.getMessage());
                return Feasibility.of(r);
            }
        }
    }
}
