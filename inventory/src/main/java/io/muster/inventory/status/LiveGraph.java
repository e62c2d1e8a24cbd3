package io.muster.inventory.status;

import io.muster.inventory.axis.Note;
import io.muster.inventory.axis.Places;
import io.muster.inventory.graph.Extended;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.UnknownPathException;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The resource graph with the current data about its vertices: notes, the conditions of nodes ({@link Told}), and what holds are for. The
 * command {@code graph} makes it in one step. The daemon's searches and feasibility checks, which make it on their own threads, keep the
 * graph with the notes, because the conditions change more often.
 */
public final class LiveGraph {
    private LiveGraph() {}

    /**
     * Returns {@code structure} with the extended data of RFC 4. A note on a vertex that the graph does not have is left out.
     *
     * @param structure the graph of {@code state.resources()}, with its properties
     */
    public static ResourceGraph of(ResourceGraph structure, InventoryState state) {
        return told(noted(structure, state), state);
    }

    /** Returns {@code noted}, a graph that {@link #noted} returned for the same R, with the conditions of nodes. */
    public static ResourceGraph told(ResourceGraph noted, InventoryState state) {
        ResourceGraph graph = noted;
        for (Map.Entry<String, Idset> told : Told.of(state).entrySet()) {
            Idset nodes = graph.nodesOf(state.resources(), told.getValue());
            graph = graph.extend(nodes, data -> data.withCondition(told.getKey()));
        }
        for (Map.Entry<List<String>, Idset> held : held(state).entrySet()) {
            Idset nodes = graph.nodesOf(state.resources(), held.getValue());
            graph = graph.extend(nodes, data -> data.withHeld(held.getKey()));
        }
        return graph;
    }

    /** Returns what holds are for, with the ranks that have such holds. */
    private static Map<List<String>, Idset> held(InventoryState state) {
        Map<List<String>, Idset> held = new LinkedHashMap<>();
        state.holds().groups().forEach((set, ranks) -> {
            List<String> words = new ArrayList<>();
            set.holds().forEach(hold -> hold.purpose().words().forEach((key, value) -> words.add(key + "=" + value)));
            if (!words.isEmpty()) {
                held.merge(words, ranks, Idset::union);
            }
        });
        return held;
    }

    /** Returns {@code structure} with the notes, and without the conditions of nodes. */
    public static ResourceGraph noted(ResourceGraph structure, InventoryState state) {
        Paths paths = new Paths(structure, state.resources());
        ResourceGraph graph = structure;
        for (Map.Entry<String, IdMap<Note>> path : state.notes().inside().entrySet()) {
            for (Map.Entry<Note, Idset> group : path.getValue().groups().entrySet()) {
                graph = note(graph, paths.below(group.getValue(), path.getKey()), group.getKey());
            }
        }
        for (Map.Entry<String, Note> note : state.notes().outside().entrySet()) {
            try {
                graph = note(graph, paths.find(note.getKey()), note.getValue());
            } catch (UnknownPathException gone) {
                // The note stays stored, because the vertex may return.
            }
        }
        return graph;
    }

    private static ResourceGraph note(ResourceGraph graph, Idset vertices, Note note) {
        return vertices.isEmpty() ? graph : graph.extend(vertices, data -> noted(data, note));
    }

    private static Extended noted(Extended data, Note note) {
        Note.Fact mark = note.mark();
        Extended noted = mark == null ? data : data.withState(mark.value());
        for (Map.Entry<String, Note.Fact> tag : note.tags().entrySet()) {
            noted = noted.withTag(tag.getKey(), tag.getValue().value());
        }
        for (Map.Entry<String, Note.Fact> object : note.data().entrySet()) {
            noted = noted.withScheduler(
                    object.getKey(), Note.tree(object.getValue().value()));
        }
        return noted;
    }

    /** Returns the places of vertices of the graph of {@code paths}. */
    public static Places places(Paths paths, Idset vertices) {
        Map<String, Idset.Builder> inside = new TreeMap<>();
        Places[] places = {Places.NONE};
        paths.locate(
                vertices,
                (rank, below) ->
                        inside.computeIfAbsent(below, b -> Idset.builder()).add(rank),
                absolute -> places[0] = places[0].at(absolute));
        inside.forEach((below, ranks) -> places[0] = places[0].within(below, ranks.build()));
        return places[0];
    }
}
