package io.muster.daemon.service;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.admin.StateQuery;
import io.muster.protocol.rpc.RpcException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Finds the ranks that a question about the state of hosts selects, whatever their states are. */
final class Selected {
    private final ResourceSet resources;
    private final Queues queues;
    private final StateQuery query;

    Selected(ResourceSet resources, Queues queues, StateQuery query) {
        this.resources = resources;
        this.queues = queues;
        this.query = query;
    }

    /** @throws RpcException ENOENT if something that must exist does not */
    Idset ranks() {
        Idset chosen = resources.ranks();
        if (!query.targets().isEmpty()) {
            Idset named = Idset.EMPTY;
            for (String word : TargetExpression.words(query.targets())) {
                named = named.union(search("targets", () -> TargetExpression.find(resources, word)));
            }
            chosen = named;
        }
        if (!query.include().isEmpty()) {
            chosen = chosen.intersect(search("include", () -> TargetExpression.among(resources, query.include())));
        }
        if (!query.queues().isEmpty()) {
            chosen = chosen.intersect(any(query.queues(), this::inQueue));
        }
        return query.properties().isEmpty() ? chosen : chosen.intersect(any(query.properties(), this::having));
    }

    private static Idset any(List<String> names, Function<String, Idset> ranks) {
        return Idset.unionOf(names.stream().map(ranks));
    }

    /** A name that is not the name of a queue is that of a property. */
    private Idset inQueue(String name) {
        if (queues.has(name)) {
            return queues.ranks(resources, name);
        }
        if (resources.properties().containsKey(name) || queues.requires().isEmpty()) {
            return having(name);
        }
        throw TargetRefusal.absent(
                "there is no queue " + name, name, queues.requires().keySet());
    }

    private Idset having(String property) {
        return search("properties", () -> TargetExpression.having(resources, property));
    }

    private Idset search(String key, Supplier<Idset> search) {
        try {
            return search.get();
        } catch (MalformedException e) {
            throw query.fault(key, "is malformed: " + e.getMessage());
        } catch (TargetException e) {
            throw TargetRefusal.of(e, resources);
        }
    }
}
