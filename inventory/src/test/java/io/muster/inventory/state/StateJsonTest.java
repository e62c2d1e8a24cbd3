package io.muster.inventory.state;

import static io.muster.inventory.state.States.BOB;
import static io.muster.inventory.state.States.config;
import static io.muster.inventory.state.States.define;
import static io.muster.inventory.state.States.drain;
import static io.muster.inventory.state.States.exclude;
import static io.muster.inventory.state.States.hold;
import static io.muster.inventory.state.States.map;
import static io.muster.inventory.state.States.resources;
import static io.muster.inventory.state.States.shrink;
import static io.muster.inventory.state.States.snapshot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.POJONode;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateJsonTest {
    private static final String GOLDEN = "{'method':'reload','R':{'version':1,'execution':{'R_lite':[{'rank':'0-2',"
            + "'children':{'core':'0-3'}}],'starttime':0.0,'expiration':0.0,'nodelist':['host[0-2]']}},"
            + "'property-add':{'debug':'0-1'},'property-remove':{},'expiration':5000.5,"
            + "'liveness':["
            + "{'idset':'0,2','nodelist':'host[0,2]','status':'online','since':100,'cause':'defined'},"
            + "{'idset':'1','nodelist':'host1','status':'offline','since':100,'cause':'no heartbeat','absent':100}],"
            + "'absent':["
            + "{'idset':'2','nodelist':'host2','kind':'config','reason':'resource.exclude','since':100,"
            + "'by':{'userid':1001,'user':'alice','pid':42}},"
            + "{'idset':'1','nodelist':'host1','kind':'lost','since':100,"
            + "'by':{'userid':1001,'user':'alice','pid':42}}],"
            + "'holds':[{'idset':'0','nodelist':'host0','holds':["
            + "{'holder':'admin','since':100,'by':{'userid':1001,'user':'alice','pid':42}},"
            + "{'holder':'ops','reason':'held','since':100,'until':200.25,'by':{'userid':1002,'user':'bob'}}]}],"
            + "'departed':{'host3':{'holds':[{'holder':'admin','reason':'dimm','since':100,"
            + "'by':{'userid':1001,'user':'alice','pid':42}}],'property-remove':['batch']},"
            + "'host4':{'absent':[{'kind':'admin','since':100,'by':{'userid':1001,'user':'alice','pid':42}}],"
            + "'property-add':['debug']}},'level':1,'ids':[]}";

    private static InventoryState everything() {
        States states = States.empty().after(define(resources("0-4", "host[0-4]")));
        states.after(
                new LivenessChanges.SetLiveness(LivenessChange.ONLINE, "0-4", "defined"),
                new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "1", "no heartbeat"),
                new DefinitionChanges.ChangeProperties(true, map("debug", "0-1,4")));
        InventoryState before = StateJson.parse(States.tree(snapshot(states.state())
                .replace(
                        "'nodelist':['host[0-4]']".replace('\'', '"'),
                        "'nodelist':['host[0-4]'],'properties':{'batch':'3'}".replace('\'', '"'))));
        return States.on(before)
                .after(
                        new DefinitionChanges.ChangeProperties(false, map("batch", "3")),
                        new DefinitionChanges.SetExpiration(5000.5),
                        drain("3", "dimm"),
                        exclude("4"),
                        config("2"),
                        shrink("1"),
                        drain("0"))
                .afterBy(BOB, hold("0", "ops", 200.25))
                .after(define(resources("0-2", "host[0-2]")))
                .state();
    }

    @Test
    void theTextOfASnapshotWithEveryAxisIsExact() {
        assertThat(snapshot(everything()).replace('"', '\'')).isEqualTo(GOLDEN);
    }

    /** R is not serialized at all, because a graph may be long and any peer may ask. */
    @Test
    void toBytesWithoutRDoesNotSerializeR() {
        JsonNode unwritable = new POJONode(new JsonSerializable.Base() {
            @Override
            public void serialize(JsonGenerator out, SerializerProvider provider) {
                throw new AssertionError("it was written");
            }

            @Override
            public void serializeWithType(JsonGenerator out, SerializerProvider provider, TypeSerializer types) {
                throw new AssertionError("it was written");
            }
        });
        JsonNode r = resources("0-2", "host[0-2]").toJson().set("more", unwritable);
        Event define = new DefinitionChanges.Defined("reload", ResourceSet.parse(r), Liveness.Status.ONLINE);
        InventoryState state = InventoryState.empty().apply(define, 100, BOB);
        assertThat(new String(StateJson.toBytesWithoutR(state), StandardCharsets.UTF_8))
                .startsWith("{\"method\":\"reload\",\"property-add\":{},");
    }

    @Test
    void aSnapshotReadsBackEqual() {
        InventoryState state = StateJson.parse(States.tree(GOLDEN));
        assertThat(snapshot(state).replace('"', '\'')).isEqualTo(GOLDEN);
        assertThat(state.view()).isEqualTo(everything().view());
        assertThat(state.holds().nextDeadline()).isEqualTo(200.25);
        assertThat(state.departed()).isEqualTo(everything().departed());
        assertThat(state.definition().method()).isEqualTo("reload");
    }

    @Test
    void theEmptyStateReadsBackEqual() {
        String nothing = snapshot(InventoryState.empty());
        assertThat(snapshot(StateJson.parse(States.tree(nothing)))).isEqualTo(nothing);
    }

    @Test
    void toBytesWithoutROmitsR() {
        ObjectNode json = States.tree(StateJson.toBytesWithoutR(everything()));
        assertThat(json.has("R")).isFalse();
        assertThat(json.path("expiration").toString()).isEqualTo("5000.5");
        assertThat(json.path("holds").size()).isEqualTo(1);
    }

    @Test
    void numbersOfRKeepTheirDigits() {
        String exact = GOLDEN.replace("'starttime':0.0", "'starttime':1795.120")
                .replace("host[0-2]']}}", "host[0-2]']," + "'x':1.10}}");
        assertThat(snapshot(StateJson.parse(States.tree(exact))).replace('"', '\''))
                .isEqualTo(exact);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'method':'reload'|'method':1|/method: must be a string",
                "'version':1|'version':2|/R/version: must be the integer 1, not 2",
                "'debug':'0-1'|'debug':'0-3'|/property-add/debug: names 3, which R does not have",
                "'debug':'0-1'|'debug!':'0-1'|/property-add/debug!: property name \"debug!\" has the illegal character !",
                "'debug':'0-1'|'debug':''|/property-add/debug: names no rank",
                "'property-remove':{}|'property-remove':[]|/property-remove: must be an object",
                "'expiration':5000.5|'expiration':'x'|/expiration: must be a number of seconds",
                "'expiration':5000.5|'expiration':-5|/expiration: must not be negative",
                "'starttime':0.0|'starttime':9000.0|/expiration: expiration 5000.5 is not after R's start time 9000",
                "'idset':'1','nodelist':'host1','status'|'idset':'1,3','nodelist':'host1','status'"
                        + "|/liveness/1/idset: names 3, which R does not have",
                "'idset':'1','nodelist':'host1','status'|'idset':'','nodelist':'host1','status'"
                        + "|/liveness/1/idset: names no rank",
                "'idset':'1','nodelist':'host1','status'|'idset':'0','nodelist':'host1','status'"
                        + "|/liveness: says nothing of 1",
                "'status':'offline'|'status':'OFFLINE'|/liveness/1/status: must be one of online, torpid, offline",
                "'kind':'config'|'kind':'x'|/absent/0/kind: must be one of config, admin, lost",
                "'holder':'ops'|'holder':3|/holds/0/holds/1/holder: must be a string",
                "'until':200.25|'until':-1|/holds/0/holds/1/until: must not be negative",
                "'user':'bob'|'user':null|/holds/0/holds/1/by/user: must be a string",
                "'departed':{'host3':{|'departed':{'host3':5,'x':{|/departed/host3: must be an object",
                "'property-remove':['batch']|'property-remove':[7]|/departed/host3/property-remove: must be an array of strings",
            })
    void damageIsRefusedWithItsPlace(String part, String instead, String sentence) {
        assertThat(GOLDEN).contains(part);
        ObjectNode damaged = States.tree(GOLDEN.replace(part, instead));
        assertThatThrownBy(() -> StateJson.parse(damaged))
                .isInstanceOf(InvalidException.class)
                .hasMessage("snapshot: " + sentence);
    }

    /** Removes each member, and replaces it by each kind of value, one at a time. */
    @Test
    void anyDamagedMemberIsReadOrRefusedWithItsPlace() {
        int refused = 0;
        int damaged = 0;
        ObjectNode whole = States.tree(GOLDEN);
        for (String pointer : pointers(whole, "")) {
            for (JsonNode instead : replacements()) {
                ObjectNode copy = whole.deepCopy();
                replace(copy, pointer, instead);
                damaged++;
                refused += isRefused(copy) ? 1 : 0;
            }
        }
        assertThat(damaged).isGreaterThan(800);
        assertThat(refused).isGreaterThan(damaged * 3 / 4);
    }

    private static boolean isRefused(ObjectNode snapshot) {
        try {
            InventoryState state = StateJson.parse(snapshot);
            assertThat(snapshot(StateJson.parse(States.tree(snapshot(state))))).isEqualTo(snapshot(state));
            return false;
        } catch (InvalidException e) {
            assertThat(e.problems()).isNotEmpty();
            assertThat(e.problems().get(0).place()).startsWith("/");
            return true;
        }
    }

    private static List<JsonNode> replacements() {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return List.of(
                nodes.missingNode(),
                nodes.nullNode(),
                nodes.booleanNode(true),
                nodes.numberNode(-7),
                nodes.numberNode(new BigDecimal("1e999")),
                nodes.textNode("\uD83D\uDE00[0-"),
                nodes.textNode(""),
                nodes.arrayNode().add(1),
                nodes.objectNode().put("x", "0"));
    }

    private static List<String> pointers(JsonNode node, String place) {
        List<String> found = new ArrayList<>();
        node.properties().forEach(member -> {
            String pointer = place + "/" + member.getKey();
            found.add(pointer);
            found.addAll(pointers(member.getValue(), pointer));
        });
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            found.add(place + "/" + i);
            found.addAll(pointers(node.get(i), place + "/" + i));
        }
        return found;
    }

    private static void replace(ObjectNode root, String pointer, JsonNode instead) {
        int slash = pointer.lastIndexOf('/');
        JsonNode parent = root.at(pointer.substring(0, slash));
        String key = pointer.substring(slash + 1);
        if (parent instanceof ArrayNode array) {
            if (instead.isMissingNode()) {
                array.remove(Integer.parseInt(key));
            } else {
                array.set(Integer.parseInt(key), instead);
            }
        } else if (instead.isMissingNode()) {
            ((ObjectNode) parent).remove(key);
        } else {
            ((ObjectNode) parent).set(key, instead);
        }
    }
}
