package io.muster.inventory.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.find.Expression;
import io.muster.inventory.find.Search;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.Jgf;
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
import io.muster.inventory.state.ReportChanges;
import io.muster.inventory.state.States;
import io.muster.testing.Idsets;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The status, why, find, the graph and JGF show the same words for each host. */
class ToldPropsTest {
    private static final int HOSTS = 8;
    private static final Idset RANKS = Idset.range(0, HOSTS - 1);
    private static final ResourceSet R =
            ResourceSet.of(Hostlist.parse("n[0-7]"), RANKS, Idset.of(0), Idset.EMPTY, Map.of());
    private static final List<String> ALL =
            List.of("lost", "excluded", "drained", "torpid", "available", "offline", "unknown");

    private InventoryState state = InventoryState.empty();

    private void run(Command command) {
        for (Event event : command.decide(state, 100, States.ALICE).events()) {
            state = state.apply(event, 100, States.ALICE);
        }
    }

    private static Command any(Random random) {
        Idset some = Idsets.small(random, HOSTS).with(random.nextInt(HOSTS)).intersect(RANKS);
        Idset online = Idsets.small(random, HOSTS).intersect(some);
        String targets = some.toString();
        return switch (random.nextInt(9)) {
            case 0, 1 -> new HoldChanges.Drain(targets, "dimm", HoldChanges.Mode.NONE, Hold.SHARED, 0);
            case 2 -> new MembershipChanges.Exclude(targets, null);
            case 3 -> new MembershipChanges.ExcludeByConfig(R, some);
            case 4 -> new MembershipChanges.Shrink(targets, null);
            case 5 -> new MembershipChanges.Include(targets, null);
            case 6 ->
                new LivenessChanges.SetLiveness(
                        random.nextBoolean() ? LivenessChange.OFFLINE : LivenessChange.TORPID, targets, "");
            case 7 ->
                new ReportChanges.Register(
                        "r" + random.nextInt(2), some, online, random.nextBoolean() ? online : Idset.EMPTY);
            default -> new ReportChanges.Lapse("r" + random.nextInt(2));
        };
    }

    @Seeds
    void allViewsShowTheSameStatesOfAHost(Random random) {
        run(new DefinitionChanges.Define(R, "reload", Liveness.Status.ONLINE));
        ResourceGraph columns = Structure.of(R, Detail.UNITS);
        ResourceGraph table = Jgf.read(Jgf.toJson(columns, Jgf.Form.TERSE));
        for (int step = 0; step < 12; step++) {
            run(any(random));
            for (ResourceGraph structure : List.of(columns, table)) {
                ResourceGraph graph = LiveGraph.of(structure, state);
                JsonNode jgf = Jgf.toJson(graph, Jgf.Form.FULL);
                RANKS.forEach(rank -> {
                    List<String> words = Told.of(state, rank);
                    assertThat(statusOf(rank)).as("%s", words).isEqualTo(status(words));
                    assertThat(found(graph, rank)).isEqualTo(words);
                    int node = graph.nodesOf(R, Idset.of(rank)).first();
                    assertThat(graph.extended(node).conditions()).isEqualTo(words);
                    assertWritten(jgf, rank, words);
                });
            }
        }
    }

    /** Returns the state that {@code muster status} shows for a host with these words. */
    private static String status(List<String> words) {
        String first = words.get(0);
        List<String> base = List.of("lost", "excluded", "drained");
        String live = words.contains("unknown") ? "unknown" : words.contains("offline") ? "offline" : "";
        if (base.contains(first)) {
            return first + (live.isEmpty() ? "" : "," + live);
        }
        return live.isEmpty() ? first : live;
    }

    private String statusOf(int rank) {
        List<StateGroup> groups = StateGroup.of(state, Idset.EMPTY, Idset.of(rank));
        assertThat(groups).hasSize(1);
        HostStatus why = new HostStatus(state, rank, List.of(), List.of());
        boolean up = Told.of(state, rank).contains("available");
        assertThat(why.toJson().path("up").asBoolean()).isEqualTo(up);
        String word = groups.get(0).word();
        assertThat(StateGroup.word(why.account())).isEqualTo(word);
        return word;
    }

    private List<String> found(ResourceGraph graph, int rank) {
        List<String> words = new ArrayList<>();
        for (String word : ALL) {
            if (ranks(graph, "node and state=" + word).contains(rank)) {
                words.add(word);
            }
        }
        assertThat(ranks(graph, "state=up").contains(rank)).isEqualTo(words.contains("available"));
        assertThat(ranks(graph, "node and state!=up")).isEqualTo(ranks(graph, "state=down"));
        assertThat(ranks(graph, "state=up or state=down")).isEqualTo(RANKS);
        return words;
    }

    private static Idset ranks(ResourceGraph graph, String expression) {
        return Search.all(Expression.parse(expression)).in(graph, R).ranks();
    }

    private static void assertWritten(JsonNode jgf, int rank, List<String> words) {
        for (JsonNode vertex : jgf.at("/graph/nodes")) {
            JsonNode data = vertex.path("metadata");
            if (data.path("name").asText().equals("n" + rank)) {
                List<String> written = new ArrayList<>();
                data.path("conditions").forEach(word -> written.add(word.asText()));
                if (written.isEmpty()) {
                    written.add(data.path("state").asText("available"));
                }
                assertThat(written).isEqualTo(words);
                assertThat(data.path("status").asInt(-1)).isEqualTo(words.contains("available") ? 0 : 1);
            }
        }
    }
}
