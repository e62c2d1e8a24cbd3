package io.muster.daemon.service;

import io.muster.daemon.account.Account;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Committed;
import io.muster.inventory.axis.Notes;
import io.muster.inventory.find.Search;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.LiveGraph;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.ProtocolException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Serves {@code resource.find}: which vertices of the resource graph satisfy an expression, and on which hosts they are. */
public final class Searches implements Configurable {
    private final Turns<Committed> turns;

    private final Structures structures;

    /** The graph with live data, which is made once for each state. Used by one search at a time. */
    private ResourceGraph live = ResourceGraph.of(ResourceSet.EMPTY, Detail.NODES);

    private ResourceGraph structure = live;
    /** The structure with notes, which is made once for each change of notes. */
    private ResourceGraph noted = live;

    private Notes notes = Notes.NONE;
    private @Nullable InventoryState state;

    /**
     * @param inventory returns the current state; called on the core thread
     * @param nanos a clock by which a search that takes too long is refused; called beside the core thread
     */
    public Searches(Supplier<Committed> inventory, Structures structures, Aside beside, LongSupplier nanos) {
        this.structures = structures;
        this.turns = new Turns<>("searches", inventory, this::answer, beside, nanos, false);
    }

    @Override
    public void configure(Config next) {
        structures.configure(next);
    }

    void find(Bytes payload, Account asker, Replier reply) {
        turns.ask(payload, asker, reply);
    }

    private Bytes answer(Bytes payload, Committed now, Runnable step) throws ProtocolException {
        try {
            FindRequest request = FindRequest.parse(Operations.fields(FindRequest.TOPIC, payload));
            ResourceGraph graph = graph(now.state());
            Search.Found found = request.search().in(graph, now.state().resources(), step);
            return request.answer(graph, now.state().resources(), found, now.seq());
        } catch (MalformedException e) {
            throw new RpcException(Errno.EINVAL, String.valueOf(e.getMessage()));
        }
    }

    @SuppressWarnings("ReferenceEquality") // comparing states or graphs may take longer than the search
    private ResourceGraph graph(InventoryState next) {
        ResourceGraph now = structures.of(next);
        if (notes != next.notes() || structure != now) {
            noted = LiveGraph.noted(now, next);
            notes = next.notes();
            structure = now;
            state = null;
        }
        if (state != next) {
            live = LiveGraph.told(noted, next);
            state = next;
        }
        return live;
    }
}
