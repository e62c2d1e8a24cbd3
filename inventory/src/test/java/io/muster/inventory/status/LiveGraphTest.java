package io.muster.inventory.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Places;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.Picture;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.NoteChanges;
import io.muster.inventory.state.States;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LiveGraphTest {
    private InventoryState state = InventoryState.empty();

    private static Places find(InventoryState at, String path) {
        ResourceSet r = at.resources();
        Paths paths = new Paths(Structure.of(r, Detail.UNITS), r);
        return LiveGraph.places(paths, paths.find(path));
    }

    private void run(Command command) {
        var decision = command.decide(state, 100, States.ALICE);
        assertThat(decision.rejection()).isNull();
        for (Event event : decision.events()) {
            state = state.apply(event, 100, States.ALICE);
        }
    }

    private void annotate(String path, NoteEdit edit) {
        run(new NoteChanges.Annotate("", List.of(path), edit, at -> name -> find(at, name)));
    }

    private String tree(int depth) {
        ResourceGraph graph = LiveGraph.of(Structure.of(state.resources(), Detail.UNITS), state);
        return new Picture(graph, EdgeKind.CONTAINMENT, depth).tree(Picture.Lines.ASCII, 250, (state, text) -> text);
    }

    private void define(String hosts) {
        Hostlist names = Hostlist.parse(hosts);
        ResourceSet r =
                ResourceSet.of(names, Idset.range(0, names.size() - 1), Idset.of(0), Idset.range(0, 1), Map.of());
        run(new DefinitionChanges.Define(r, "reload", Liveness.Status.ONLINE));
    }

    @Test
    void thePictureShowsTheStatesOfNodesAndTheNotesOnVertices() {
        define("n[0-5]");
        run(new HoldChanges.Drain("1-2", "dimm", HoldChanges.Mode.NONE, Hold.SHARED, 0));
        run(new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "2", ""));
        run(new MembershipChanges.Exclude("3", null));
        run(new LivenessChanges.SetLiveness(LivenessChange.TORPID, "4", ""));
        run(new MembershipChanges.Shrink("5", null));
        run(new DefinitionChanges.ChangeProperties(true, new TreeMap<>(Map.of("late", "0"))));
        annotate("/cluster0/n1", NoteEdit.mark("degraded", "one fan"));
        annotate("/cluster0", NoteEdit.tag("site", "north"));
        annotate("/cluster0/n0/gpu1", NoteEdit.tag("suspect", ""));

        assertThat(tree(1)).isEqualTo("""
                cluster0 #site=north
                |- n0 (node) late [available]
                |- n1 (node) [drained, degraded]
                |- n2 (node) [drained, offline]
                |- n3 (node) [excluded]
                |- n4 (node) [torpid]
                `- n5 (node) [lost]
                """);
        assertThat(tree(2)).contains("gpu1 #suspect\n");
    }

    @Test
    void notesFollowTheirHostToANewRankAndReturnWithTheHost() {
        define("n[0-3]");
        annotate("/cluster0/n[1-2]/gpu1", NoteEdit.mark("failing", "ECC"));
        define("n3,n2,n0");
        assertThat(tree(2)).containsOnlyOnce("gpu1 [failing]");
        assertThat(state.notes().below("gpu1").keys()).isEqualTo(Idset.of(1));
        define("x,n0,n1,n2");
        assertThat(state.notes().below("gpu1").keys()).isEqualTo(Idset.of(2, 3));
        assertThat(state.departed()).isEmpty();
    }

    @Test
    void jgfContainsTheStatesAndTheNotes() {
        define("n[0-1]");
        run(new HoldChanges.Drain("1", "dimm", HoldChanges.Mode.NONE, Hold.SHARED, 0));
        annotate("/cluster0/n1", NoteEdit.mark("failing", ""));
        annotate("/cluster0/n0/gpu0", NoteEdit.mark("down", ""));
        annotate("/cluster0/n0/gpu0", NoteEdit.tag("firmware", "7.1"));
        annotate(
                "/cluster0/n0/gpu0",
                new NoteEdit(
                        new TreeMap<>(), null, new TreeMap<>(Map.of("fluxion", Optional.of("{\"jobs\":[1.50]}")))));
        JsonNode jgf = Jgf.toJson(LiveGraph.of(Structure.of(state.resources(), Detail.UNITS), state), Jgf.Form.TERSE);
        Map<String, String> words = new TreeMap<>();
        jgf.at("/graph/nodes").forEach(vertex -> {
            JsonNode data = vertex.path("metadata");
            words.put(
                    data.at("/paths/containment").asText(),
                    data.path("status") + " " + data.path("state") + " " + data.path("conditions") + " "
                            + data.path("tags") + " " + data.path("scheduler"));
        });
        assertThat(words)
                .containsEntry("/cluster0/n0", "    ")
                .containsEntry("/cluster0/n1", "1 \"failing\" [\"drained\"]  ")
                .containsEntry("/cluster0/n0/gpu0", "1   {\"firmware\":\"7.1\"} {\"fluxion\":{\"jobs\":[1.50]}}");
        assertThat(Jgf.toJson(Jgf.read(jgf), Jgf.Form.TERSE)).isEqualTo(jgf);
    }
}
