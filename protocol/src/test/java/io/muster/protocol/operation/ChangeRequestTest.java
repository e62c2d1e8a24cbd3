package io.muster.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.HoldChanges.Mode;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.Once;
import io.muster.inventory.state.PlanChanges;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeRequestTest {
    /** Serves nothing. */
    static final Connection NOBODY = (Connection) Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> null);

    private static ObjectNode json(String text) throws Exception {
        return Json.parse(Bytes.text(text.replace('\'', '"')));
    }

    /** Reads the payload of a request for the topic {@code resource.METHOD}. */
    static ChangeRequest parse(String method, ObjectNode payload) {
        String topic = "resource." + method;
        Operation<?, ?> operation = Objects.requireNonNull(Operations.of(topic), topic);
        return ChangeRequest.parse(Objects.requireNonNull(operation.form()), payload);
    }

    private static Command read(String method, String text) throws Exception {
        ChangeRequest request = parse(method, json(text));
        assertThat(request.dryRun()).isFalse();
        return request.command();
    }

    @Test
    void aKeyOfAnotherRequestDoesNotChangeHowTargetsAreRead() throws Exception {
        ChangeRequest request = parse("drain", json("{'targets':'1','properties':{'a':'2','b':'3'}}"));
        assertThat(request.selection()).isNull();
        assertThat(request.targets()).containsExactly("1");
    }

    /** The exact requests of a client, method by method. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "drain|{'targets':'0-3'}",
                "drain|{'targets':'host[0-3]','reason':''}",
                "drain|{'targets':'1','reason':'dimm','mode':'update'}",
                "drain|{'targets':'1','mode':'overwrite'}",
                "drain|{'targets':'1','mode':'force-overwrite','holder':'ops','until':1795226327.5}",
                "undrain|{'targets':'1'}",
                "undrain|{'targets':'1','reason':'fixed','mode':'force-overwrite','holder':'admin'}",
                "exclude|{'targets':'1','reason':'burn-in'}",
                "include|{'targets':'1'}",
                "shrink|{'targets':'1','reason':'scrapped'}",
                "online|{'targets':'1','cause':'pxe'}",
                "offline|{'targets':'1'}",
                "torpid|{'targets':'1'}",
                "lively|{'targets':'1'}",
                "property-add|{'properties':{'+inst':'0-1','gpu@v100':'host3'}}",
                "property-remove|{'properties':{'batch':'3'}}",
                "expiration-update|{'expiration':2000000000.0}",
                "expiration-update|{'expiration':-1.0}",
                "monitor-force-down|{'ranks':'0-3'}",
                "monitor-force-down|{'ranks':''}",
            })
    void callsAreReadAndWrittenUnchanged(String method, String payload) throws Exception {
        ChangeRequest request = parse(method, json(payload));
        ChangeRequest.Call call = ChangeRequest.call(request.command(), false);
        assertThat(call.topic()).isEqualTo("resource." + method);
        assertThat(Json.encode(call.payload()).text()).isEqualTo(payload.replace('\'', '"'));

        ObjectNode dry = ChangeRequest.call(request.command(), true).payload();
        ChangeRequest again = parse(method, dry);
        assertThat(again.command()).isEqualTo(request.command());
        assertThat(again.dryRun()).isTrue();
    }

    @Test
    void requestsAreReadAsCommands() throws Exception {
        assertThat(read("drain", "{'targets':'1'}"))
                .isEqualTo(new HoldChanges.Drain("1", null, Mode.NONE, Hold.SHARED, 0));
        assertThat(read("drain", "{'targets':'1','reason':'x','mode':'update','holder':'ops','until':5,'extra':[]}"))
                .isEqualTo(new HoldChanges.Drain("1", "x", Mode.UPDATE, "ops", 5));
        assertThat(read("undrain", "{'targets':'1'}")).isEqualTo(new HoldChanges.Undrain("1", null, Mode.NONE, null));
        assertThat(read("monitor-force-down", "{'ranks':'0-1'}"))
                .isEqualTo(new LivenessChanges.ForceDown(Idset.range(0, 1)));
        assertThat(read("expiration-update", "{'expiration':5}")).isEqualTo(new DefinitionChanges.SetExpiration(5));
        assertThat(read("offline", "{'targets':'host1'}"))
                .isEqualTo(new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "host1", ""));
        assertThat(read("property-add", "{'properties':{'a':'1'}}"))
                .isEqualTo(new DefinitionChanges.ChangeProperties(true, new TreeMap<>(Map.of("a", "1"))));
    }

    @Test
    void aSelectionIsReplacedByTheTargetsThatWereFoundForIt() throws Exception {
        ChangeRequest request = parse(
                "drain", json("{'select':'@gpu','reason':'x','if-seq':7,'id':'01234567-89ab-cdef-0123-456789abcdef'}"));
        ChangeRequest.Selection selection = Objects.requireNonNull(request.selection());
        assertThat(selection.texts()).containsExactly("@gpu");
        ChangeRequest found = request.found(List.of("node[1-2]"));
        assertThat(found.selection()).isNull();
        assertThat(found.seq()).isEqualTo(7);
        assertThat(found.command())
                .isEqualTo(new Once(
                        new HoldChanges.Drain("node[1-2]", "x", Mode.NONE, Hold.SHARED, 0),
                        Objects.requireNonNull(request.command().id())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"status", "acquire", "", "drain ", "Drain", "reload", "monitor-waitup"})
    void methodsThatRequestNoCommandAndMisspelledNamesHaveNoConstant(String method) {
        Operation<?, ?> operation = Operations.of("resource." + method);
        assertThat(operation == null || !operation.isCommand()).isTrue();
    }

    /** flux-core's error numbers and, where flux-core has a sentence, its sentence. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "drain|{}|EPROTO|resource.drain: /targets is missing",
                "drain|{'targets':'1','select':'all'}|EPROTO|resource.drain: /select and /targets must not both be given",
                "property-add|{'properties':{'a':'1'},'select':'all'}|EPROTO|resource.property-add: /select is not a key of this request",
                "expiration-update|{'expiration':5,'select':'all'}|EPROTO|resource.expiration-update: /select is not a key of this request",
                "drain|{'select':1}|EPROTO|resource.drain: /select must be a string",
                "drain|{'targets':'1','if-seq':-1}|EPROTO|resource.drain: /if-seq must be an integer from 0 to 9223372036854775807",
                "annotate|{'targets':'1','mark':{'state':''}}|EPROTO|resource.annotate: /mark/state must not be empty: null removes the mark",
                "drain|{'targets':1}|EPROTO|resource.drain: /targets must be a string",
                "drain|{'targets':null}|EPROTO|resource.drain: /targets must be a string",
                "drain|{'targets':'1','reason':null}|EPROTO|resource.drain: /reason must be a string",
                "drain|{'targets':'1','reason':5}|EPROTO|resource.drain: /reason must be a string",
                "drain|{'targets':'1','mode':null}|EPROTO|resource.drain: /mode must be a string",
                "drain|{'targets':'1','mode':5}|EPROTO|resource.drain: /mode must be a string",
                "drain|{'targets':'1','mode':'bogus'}|EINVAL|Invalid mode specified",
                "drain|{'targets':'1','mode':''}|EINVAL|Invalid mode specified",
                "drain|{'targets':'1','holder':7}|EPROTO|resource.drain: /holder must be a string",
                "drain|{'targets':'1','until':'x'}|EPROTO|resource.drain: /until must be a number",
                "drain|{'targets':'1','dry-run':1}|EPROTO|resource.drain: /dry-run must be true or false",
                "undrain|{}|EPROTO|resource.undrain: /targets is missing",
                "undrain|{'targets':'1','mode':'bogus'}|EINVAL|invalid undrain mode 'bogus' specified",
                "undrain|{'targets':'1','mode':''}|EINVAL|invalid undrain mode '' specified",
                "undrain|{'targets':'1','mode':5}|EPROTO|resource.undrain: /mode must be a string",
                "exclude|{'target':'1'}|EPROTO|resource.exclude: /targets is missing",
                "offline|{'targets':'1','cause':[]}|EPROTO|resource.offline: /cause must be a string",
                "property-add|{}|EPROTO|resource.property-add: /properties must be an object of property names to targets, with at least one",
                "property-add|{'properties':{}}|EPROTO|resource.property-add: /properties must be an object of property names to targets, with at least one",
                "property-remove|{'properties':{'a':1}}|EPROTO|resource.property-remove: /properties/a must be a string of targets",
                "expiration-update|{}|EPROTO|resource.expiration-update: /expiration must be a number",
                "expiration-update|{'expiration':'5'}|EPROTO|resource.expiration-update: /expiration must be a number",
                "monitor-force-down|{}|EPROTO|resource.monitor-force-down: /ranks is missing",
                "monitor-force-down|{'ranks':3}|EPROTO|resource.monitor-force-down: /ranks must be a string",
                "monitor-force-down|{'ranks':'x'}|EINVAL|error parsing range 'x'",
                "monitor-force-down|{'ranks':'1-'}|EINVAL|error parsing range '1-'",
            })
    void malformedPayloadsAreRefusedWithErrnoAndSentence(String method, String payload, String errno, String sentence)
            throws Exception {
        ObjectNode json = json(payload.replace("'bogus' s", "bogus"));
        assertThatThrownBy(() -> parse(method, json))
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.errno()).hasToString(errno))
                .hasMessage(sentence);
    }

    @ParameterizedTest
    @ValueSource(strings = {"drain", "undrain", "exclude", "lively", "property-add", "expiration-update"})
    void aRequestWithoutAPayloadIsRefused(String method) {
        Operation<? super Connection, ?> operation = Objects.requireNonNull(Operations.of("resource." + method));
        assertThatThrownBy(() -> operation.serve(NOBODY, null))
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPROTO));
    }

    @Test
    void commandsThatOnlyTheDaemonIssuesHaveNoCall() {
        assertThatThrownBy(() -> ChangeRequest.call(new PlanChanges.MeetDeadlines(), false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("no request asks for MeetDeadlines");
        Command define = new DefinitionChanges.Define(ResourceSet.EMPTY, "x", Liveness.Status.ONLINE);
        assertThatThrownBy(() -> ChangeRequest.call(define, false)).isInstanceOf(IllegalArgumentException.class);
    }
}
