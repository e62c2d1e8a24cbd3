package io.muster.daemon.service;

import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Places;
import io.muster.inventory.find.Search;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.UnknownPathException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.TargetExpression;
import io.muster.inventory.status.LiveGraph;
import io.muster.inventory.status.VertexStatus;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the targets of a question for explanations name: hosts, hosts that R no longer names, and vertices. A path of a node stands for its
 * host. A name that no host has may be the name of a vertex.
 */
final class Explained {
    private static final int MOST_VERTICES = 1000;

    private final InventoryState state;
    private final ResourceSet resources;
    private final Map<String, Departed> departed = new TreeMap<>();
    private final List<VertexStatus> vertices = new ArrayList<>();
    private Idset ranks = Idset.EMPTY;

    private Explained(InventoryState state) {
        this.state = state;
        this.resources = state.resources();
    }

    /** @throws RpcException EINVAL if the targets are malformed, ENOENT if something does not exist */
    static Explained of(String targets, InventoryState state, Structures structures, Runnable step) {
        try {
            Explained found = new Explained(state);
            found.find(TargetExpression.parts(targets), structures, step);
            return found;
        } catch (MalformedException e) {
            throw new RpcException(Errno.EINVAL, String.valueOf(e.getMessage()));
        } catch (TargetException e) {
            throw TargetRefusal.of(e, state.resources());
        } catch (UnknownPathException e) {
            throw new RpcException(Errno.ENOENT, String.valueOf(e.getMessage()));
        }
    }

    Idset ranks() {
        return ranks;
    }

    Map<String, Departed> departed() {
        return departed;
    }

    List<VertexStatus> vertices() {
        return vertices;
    }

    private void find(List<String> parts, Structures structures, Runnable step) {
        List<String> ids = new ArrayList<>();
        List<String> hosts = new ArrayList<>();
        for (String part : parts) {
            step.run();
            boolean isHost = resources.hosts().contains(part);
            Departed left = isHost ? null : state.departed().get(part);
            if (left != null) {
                departed.put(part, left);
            } else if (Paths.isPath(part) || (!isHost && isName(part))) {
                if (!addVertices(part, structures.of(state))) {
                    hosts.add(part);
                }
            } else if (TargetExpression.isSelection(part)) {
                ranks = ranks.union(TargetExpression.find(resources, part));
            } else {
                (part.matches("[0-9\\[].*") ? ids : hosts).add(part);
            }
        }
        for (List<String> plain : List.of(ids, hosts)) {
            if (!plain.isEmpty()) {
                ranks = ranks.union(TargetExpression.find(resources, String.join(",", plain)));
            }
        }
    }

    private static boolean isName(String part) {
        return part.matches("[^-@0-9\\[\\]][^\\[\\]]*") && !TargetExpression.isSelection(part);
    }

    /** @return false if no vertex has the name */
    private boolean addVertices(String part, ResourceGraph graph) {
        Paths paths = new Paths(graph, resources);
        Idset found = Paths.isPath(part) ? paths.find(part) : graph.named(Set.of(part));
        if (found.size() > 1 && !Paths.isPath(part)) {
            throw new RpcException(
                    Errno.ENOENT,
                    found.size() + " vertices have the name " + part + ", such as " + graph.address(found.first())
                            + ": give the path of one of them; `muster find " + part + "` prints all");
        }
        if (vertices.size() + found.size() > MOST_VERTICES) {
            throw new RpcException(
                    Errno.EOVERFLOW, "more than " + MOST_VERTICES + " vertices are found: name fewer of them");
        }
        found.forEach(vertex -> {
            Places place = LiveGraph.places(paths, Idset.of(vertex));
            Idset nodes = Search.hosts(graph, resources, Idset.of(vertex));
            if (place.inside().containsKey("")) {
                ranks = ranks.with(nodes.first());
            } else {
                String type = graph.pool(vertex).type();
                vertices.add(new VertexStatus(state, graph.address(vertex), type, place, nodes));
            }
        });
        return !found.isEmpty();
    }
}
