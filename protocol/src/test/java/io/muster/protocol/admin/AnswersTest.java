package io.muster.protocol.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.HoldChanges.Mode;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of flux-core, and answers of Muster in the same form. */
class AnswersTest {
    private static final String R = "{'version':1,'execution':{'R_lite':[{'rank':'0-2','children':{'core':'0-3'}},"
            + "{'rank':'3','children':{'core':'0-3','gpu':'0'}}],'starttime':0.0,'expiration':0.0,"
            + "'nodelist':['node[0-3]'],'properties':{'batch':'3'}}}";

    /** R with children in flux-core's order. */
    private static final String FLUX_R = R.replace("{'core':'0-3','gpu':'0'}", "{'gpu':'0','core':'0-3'}");

    private static final String EMPTY_R =
            "{'version':1,'execution':{'R_lite':[],'starttime':0.0,'expiration':0.0,'nodelist':['']}}";

    private static ObjectNode json(String text) throws Exception {
        return Json.parse(Bytes.text(text.replace('\'', '"')));
    }

    private static String text(Bytes payload) {
        assertThat(payload.endsWithNul()).isTrue();
        return payload.text().replace('"', '\'');
    }

    private static InventoryState state(Command... commands) {
        InventoryState state = InventoryState.empty();
        double now = 1_795_225_914.778;
        ResourceSet resources = ResourceSet.parse(R.replace('\'', '"').replace("}}}", "}},\"scheduling\":{}}"));
        for (Event event : new DefinitionChanges.Define(resources, "configuration", Liveness.Status.ONLINE)
                .decide(state, now, Principal.DAEMON)
                .events()) {
            state = new Entry(1, now, Principal.DAEMON, event).applyTo(state);
        }
        for (Command command : commands) {
            for (Event event : command.decide(state, now, Principal.DAEMON).events()) {
                state = new Entry(1, now, Principal.DAEMON, event).applyTo(state);
            }
            now++;
        }
        return state;
    }

    private static Command drain(String targets, String reason, String holder) {
        return new HoldChanges.Drain(targets, reason, Mode.NONE, holder, 0);
    }

    @Test
    void statusOfFluxCoreIsRead() throws Exception {
        StatusAnswer status = StatusAnswer.parse(json("{'R':" + FLUX_R + ",'drain':{'2-3':{'timestamp':1795225916.0,"
                + "'reason':'hosts'},'0':{'timestamp':1795225915.0,'reason':''}},'online':'0-3','offline':'',"
                + "'exclude':'','torpid':''}"));
        assertThat(status.drain())
                .isEqualTo(Map.of(
                        new StatusAnswer.Reason(1_795_225_916, "hosts"), Idset.range(2, 3),
                        new StatusAnswer.Reason(1_795_225_915, ""), Idset.of(0)));
        assertThat(status.online()).hasToString("0-3");
        assertThat(status.offline()).isEqualTo(Idset.EMPTY);
        assertThat(status.resources().hosts()).hasToString("node[0-3]");
    }

    @Test
    void statusHasEveryAxisInFluxCoresForm() {
        assertThat(text(StatusAnswer.encode(state())))
                .isEqualTo("{'R':" + R + ",'drain':{},'online':'0-3','offline':'','exclude':'','torpid':''}");
        InventoryState state = state(
                drain("1", "dimm", Hold.SHARED),
                new LivenessChanges.SetLiveness(LivenessChange.TORPID, "0", ""),
                new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "2", ""),
                new MembershipChanges.Exclude("3", null));
        assertThat(text(StatusAnswer.encode(state)))
                .isEqualTo("{'R':" + R + ",'drain':{'1':{'timestamp':1795225915.0,'reason':'dimm'}},"
                        + "'online':'0-1,3','offline':'2','exclude':'3','torpid':'0'}");
    }

    @Test
    void statusShowsTheSharedHoldOrElseTheOldestHoldOfAHost() throws Exception {
        InventoryState state =
                state(drain("0-1", "first", "ops"), drain("0", "shared", Hold.SHARED), drain("1", "second", "health"));
        assertThat(StatusAnswer.parse(Json.parse(StatusAnswer.encode(state))).drain())
                .isEqualTo(Map.of(
                        new StatusAnswer.Reason(1_795_225_916, "shared"), Idset.of(0),
                        new StatusAnswer.Reason(1_795_225_915, "first"), Idset.of(1)));
    }

    @Test
    void aLostRankCountsAsExcludedAndNotAsDrained() throws Exception {
        InventoryState state = state(drain("2-3", "x", Hold.SHARED), new MembershipChanges.Shrink("3", null));
        StatusAnswer status = StatusAnswer.parse(Json.parse(StatusAnswer.encode(state)));
        assertThat(status.exclude()).hasToString("3");
        assertThat(status.drain().values()).containsExactly(Idset.of(2));
    }

    @Test
    void schedStatusLeavesExcludedRanksOut() throws Exception {
        InventoryState state = state(drain("1", "x", Hold.SHARED), new MembershipChanges.Exclude("3", null));
        String all = "{'version':1,'execution':{'R_lite':[{'rank':'0-2','children':{'core':'0-3'}}],"
                + "'starttime':0.0,'expiration':0.0,'nodelist':['node[0-2]']}}";
        String down = all.replace("'0-2'", "'1'").replace("node[0-2]", "node1");
        String golden = "{'all':" + all + ",'down':" + down + ",'allocated':" + EMPTY_R + "}";
        assertThat(text(SchedStatus.of(state, Idset.EMPTY).encode())).isEqualTo(golden);
    }

    @Test
    void getHasRAndItsSource() throws Exception {
        Get get = Get.parse(json("{'R':" + FLUX_R + ",'method':'configuration'}"));
        assertThat(get.method()).isEqualTo("configuration");
        assertThat(text(get.encode())).isEqualTo("{'R':" + R + ",'method':'configuration'}");
        assertThat(Get.of(state().definition(), MissingNode.getInstance())
                        .resources()
                        .scheduling())
                .isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "status|{}|resource.status: /drain: must be an object",
                "status|{'drain':{}}|resource.status: /R: must be a JSON object, not nothing",
                "status|{'drain':{'x':{'timestamp':1,'reason':''}}}|resource.status: /drain/x: idset \"x\": not a decimal digit at position 0",
                "status|{'drain':{'1':5}}|resource.status: /drain/1: must be an object",
                "status|{'drain':{'1':{'timestamp':'x'}}}|resource.status: /drain/1/timestamp: must be a number",
                "status|{'drain':{'1':{'timestamp':1,'reason':5}}}|resource.status: /drain/1/reason: must be a string",
                "status|{'R':EMPTY,'drain':{},'online':3}|resource.status: /online: must be a string",
                "status|{'R':EMPTY,'drain':{},'online':'3-'}|resource.status: /online: idset \"3-\": the range has no end at position 2",
                "get|{'R':EMPTY}|resource.get: /method: must be a string",
            })
    void malformedAnswersAreRefusedWithTheirPlace(String method, String answer, String sentence) throws Exception {
        Map<String, Function<JsonNode, Object>> readers = Map.of(
                "status", StatusAnswer::parse,
                "get", Get::parse);
        ObjectNode json = json(answer.replace("EMPTY", EMPTY_R));
        assertThatThrownBy(() -> Objects.requireNonNull(readers.get(method)).apply(json))
                .isInstanceOf(InvalidException.class)
                .hasMessage(sentence);
        for (Function<JsonNode, Object> reader : List.copyOf(readers.values())) {
            assertThatThrownBy(() -> reader.apply(json.arrayNode())).isInstanceOf(InvalidException.class);
        }
    }
}
