package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.HELD_BY_OTHER;
import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Notes;
import io.muster.inventory.axis.Places;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.UnknownPathException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The command that tags and marks vertices of the resource graph, and the event that it leads to. */
public final class NoteChanges {
    private NoteChanges() {}

    /** Finds the vertices that paths name, which only the resource graph knows. */
    @FunctionalInterface
    public interface Finder {
        /** A finder that finds no vertex. */
        Finder NONE = state -> path -> {
            throw new UnknownPathException("no vertex has the path " + path);
        };

        /**
         * Returns, for one request, a function that returns the places of the vertices that a path names, at least one. The function
         * throws an {@link UnknownPathException} if there is no such vertex.
         */
        Function<String, Places> in(InventoryState state);
    }

    /**
     * The command that changes the notes on vertices. A decision takes long if the graph is large, so the core thread never
     * makes it.
     *
     * @param targets ranks or hosts whose nodes are meant; "" for none
     * @param paths paths of further vertices
     * @param finder replaced where the graph is known
     */
    public record Annotate(String targets, List<String> paths, NoteEdit edit, Finder finder) implements Command {
        public Annotate {
            paths = List.copyOf(paths);
        }

        public Annotate(String targets, List<String> paths, NoteEdit edit) {
            this(targets, paths, edit, Finder.NONE);
        }

        /** Returns this command with the finder that knows the graph. */
        public Annotate with(Finder other) {
            return new Annotate(targets, paths, edit, other);
        }

        @Override
        public boolean takesLong() {
            return true;
        }

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            String fault = fault();
            return targets.isEmpty()
                    ? Targets.bounded(
                            () -> fault == null ? annotate(state, Places.NONE, by) : Decision.reject(INVALID, fault))
                    : Targets.resolveWithDeparted(
                            state,
                            targets,
                            fault,
                            found -> annotate(
                                    state, Places.NONE.within("", found.ranks()).away("", found.departed()), by));
        }

        private @Nullable String fault() {
            String fault = edit.fault();
            if (targets.isEmpty() && paths.isEmpty()) {
                fault = "the request names no vertex: give targets or paths";
            }
            NoteEdit.Mark mark = edit.mark();
            return fault == null && mark != null ? Wording.fault("reason", mark.reason()) : fault;
        }

        private Decision annotate(InventoryState state, Places targeted, Principal by) {
            if (!targeted.departed().isEmpty() && !edit.onlyRemoves()) {
                return Decision.reject(
                        INVALID,
                        "invalid targets: R does not name " + targeted.hosts()
                                + ": notes on departed hosts can only be removed");
            }
            List<Places> found = new ArrayList<>(List.of(targeted));
            try {
                Function<String, Places> graph = (paths.isEmpty() ? Finder.NONE : finder).in(state);
                paths.forEach(path -> found.add(find(graph, state, path)));
            } catch (UnknownPathException e) {
                return Decision.reject(INVALID, String.valueOf(e.getMessage()));
            }
            Places places = Places.all(found);
            Places changed = state.notesAt(places, note -> !Objects.equals(edit.applyTo(note, 0, by), note));
            Targets.bound(changed.count(), "separate vertices or ranges of ranks");
            Decision refusal = refusal(state, changed, by);
            return refusal != null
                    ? refusal
                    : changed.isEmpty() ? Decision.accept() : Decision.accept(Annotated.of(state, changed, edit));
        }

        /**
         * Finds the vertices of a path. If the graph has none and the change only removes notes, finds the places of stored
         * notes instead.
         */
        private Places find(Function<String, Places> graph, InventoryState state, String path) {
            try {
                return graph.apply(path);
            } catch (UnknownPathException e) {
                Places stored = edit.onlyRemoves() ? stored(graph, state, path) : Places.NONE;
                if (stored.isEmpty()) {
                    throw e;
                }
                return stored;
            }
        }

        /**
         * Returns the places with notes that {@code path} names, although the graph has no vertex there: the absolute path
         * itself, a path below a departed host, or a path below a node that the graph still has.
         */
        private static Places stored(Function<String, Places> graph, InventoryState state, String path) {
            Places found = state.notes().outside().containsKey(path) ? Places.NONE.at(path) : Places.NONE;
            for (int from = path.indexOf('/'); from >= 0; from = path.indexOf('/', from + 1)) {
                int end = path.indexOf('/', from + 1) < 0 ? path.length() : path.indexOf('/', from + 1);
                String host = path.substring(from + 1, end);
                String below = path.substring(Math.min(end + 1, path.length()));
                Departed departed = state.departed().get(host);
                if (departed != null && departed.notes().containsKey(below)) {
                    found = found.away(below, Hostlist.of(host));
                }
                Idset noted = state.notes().below(below).keys();
                Idset ranks = noted.isEmpty() ? noted : state.resources().ranksOf(host);
                if (!ranks.isEmpty()) {
                    found = found.within(below, noted.intersect(ranks).intersect(node(graph, path.substring(0, end))));
                }
            }
            return found;
        }

        /** Returns the ranks whose nodes the graph has at a path. */
        private static Idset node(Function<String, Places> graph, String path) {
            try {
                return graph.apply(path).inside().getOrDefault("", Idset.EMPTY);
            } catch (UnknownPathException e) {
                return Idset.EMPTY;
            }
        }

        private @Nullable Decision refusal(InventoryState state, Places changed, Principal by) {
            String[] faults = new String[2];
            Notes after = state.notes().change(changed, note -> {
                faults[0] = faults[0] == null ? edit.ownerFault(note, by) : faults[0];
                faults[1] = faults[1] == null ? edit.sizeFault(note, by) : faults[1];
                return edit.applyTo(note, 0, by);
            });
            if (faults[0] != null) {
                return Decision.reject(HELD_BY_OTHER, faults[0]);
            }
            String excess = faults[1] == null
                    ? after.excess(state.notes(), state.departed().values())
                    : faults[1];
            return excess == null ? null : Decision.reject(INVALID, excess);
        }
    }

    /**
     * The event {@code annotate}: the notes on vertices changed.
     *
     * @param targets the ranks and departed hosts of all places, as in every event about hosts
     */
    public record Annotated(Event.Targets targets, Places places, NoteEdit edit) implements Event.Targeted {
        static Annotated of(InventoryState state, Places places, NoteEdit edit) {
            return new Annotated(Event.Targets.of(state, places.ranks(), places.hosts()), places, edit);
        }

        static Annotated read(Event.Targets targets, Fields context) {
            Places places = Places.read(context);
            if (!places.ranks().equals(targets.ranks())
                    || !Set.copyOf(places.hosts().expand())
                            .equals(Set.copyOf(targets.departed().expand()))) {
                throw context.fault("idset", "names other ranks than vertices does");
            }
            return new Annotated(targets, places, NoteEdit.read(context));
        }

        @Override
        public String name() {
            return "annotate";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            for (Map.Entry<String, JsonNode> member :
                    places.toJson().<ObjectNode>setAll(edit.toJson()).properties()) {
                out.writeFieldName(member.getKey());
                out.writeRawValue(member.getValue().toString());
            }
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withNotes(places, note -> edit.applyTo(note, time, by));
        }
    }
}
