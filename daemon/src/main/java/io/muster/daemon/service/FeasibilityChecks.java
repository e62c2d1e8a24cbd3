package io.muster.daemon.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Identity;
import io.muster.daemon.core.Aside;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.feasibility.Answer;
import io.muster.inventory.feasibility.Feasibility;
import io.muster.inventory.feasibility.Verdict;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.ResourceGraph;
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
 * Whether jobs could ever run here: RFC 27's {@code feasibility.check}. One question is worked on at a time, and away from the
 * core thread; users take turns, so that whoever asks much waits for himself. Each is asked of the inventory as it stands when
 * its turn has come.
 */
public final class FeasibilityChecks {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /** A connection has one check unanswered at a time, so a user who asks over a few connections is slowed down, not refused. */
    private static final int MOST_OF_ONE_USER = 4096;

    private static final int MOST = 4 * MOST_OF_ONE_USER;
    /** Bytes of requests that wait for a check, because they wait in the heap, which may be small. */
    private static final long MOST_BYTES =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);

    /** No job comes near it; past it the cost of an answer is not bounded by the search's own budget any more. */
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
     * @param inventory as it stands; asked on the core thread
     * @param clock seconds since the epoch
     * @param checks with one thread: checks may take tens of milliseconds, the first after a new R longer
     */
    public FeasibilityChecks(Supplier<InventoryState> inventory, DoubleSupplier clock, Aside checks) {
        this.inventory = inventory;
        this.clock = clock;
        this.checks = checks;
    }

    private record Check(Bytes payload, Replier reply) {}

    void check(Bytes payload, Identity asker, Replier reply) {
        String who = asker.who();
        Deque<Check> own = waiting.get(who);
        boolean full = count >= MOST || bytes + payload.length() > MOST_BYTES;
        if (own != null && own.size() >= MOST_OF_ONE_USER) {
            reply.fail(new RpcException(Errno.EAGAIN, own.size() + " of this user's checks are waiting already"));
            return;
        }
        if (own != null && full) {
            reply.fail(new RpcException(
                    Errno.EAGAIN, count + " checks are waiting already, of this user's " + own.size()));
            return;
        }
        waiting.computeIfAbsent(who, user -> new ArrayDeque<>()).add(new Check(payload, reply));
        count++;
        bytes += payload.length();
        next();
    }

    /** The next user's oldest question; the user then goes to the end of the line. */
    private void next() {
        if (busy || waiting.isEmpty()) {
            return;
        }
        Iterator<Map.Entry<String, Deque<Check>>> line = waiting.entrySet().iterator();
        Map.Entry<String, Deque<Check>> first = line.next();
        String who = first.getKey();
        Deque<Check> own = first.getValue();
        line.remove();
        Check check = own.remove();
        if (!own.isEmpty()) {
            waiting.put(who, own);
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
            FeasibilityRequest asked = FeasibilityRequest.parse(json);
            Feasibility feasibility = stock.of(state);
            return FeasibilityAnswer.of(asked.now(), answer(feasibility, asked, state, now), stock.resources());
        } catch (InvalidException e) {
            return FeasibilityAnswer.of(false, Answer.invalid(String.valueOf(e.getMessage())), ResourceSet.EMPTY);
        }
    }

    private static Answer answer(Feasibility feasibility, FeasibilityRequest asked, InventoryState state, double now) {
        int size = asked.size();
        if (size > LARGEST) {
            String sentence = "the request has " + size + " vertices and constraint terms; with more than " + LARGEST
                    + " neither fitting nor not fitting is looked for";
            return new Answer(Verdict.UNKNOWN, sentence, -1, Idset.EMPTY, List.of(), List.of());
        }
        return asked.now()
                ? feasibility.now(asked.request(), state.view().up(), now)
                : feasibility.ever(asked.request());
    }

    /** The members' resources, folded into kinds of node. R's graph is read once for each definition. The checks' own. */
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

        @SuppressWarnings("ReferenceEquality") // a definition keeps its base through every change of properties
        private void define(ResourceSet next) {
            if (base != next) {
                whole = fold(next.withoutScheduling(), next.scheduling());
                base = next;
            }
        }

        ResourceSet resources() {
            return resources;
        }

        private static Feasibility fold(ResourceSet r, @Nullable JsonNode scheduling) {
            if (scheduling == null || !scheduling.has("graph")) {
                return Feasibility.of(r);
            }
            try {
                ResourceGraph graph = Jgf.read(scheduling);
                return Feasibility.of(r, graph);
            } catch (InvalidException e) {
                log.warn("feasibility is judged without R's scheduling graph: {}", e.getMessage());
                return Feasibility.of(r);
            }
        }
    }
}
