package io.muster.protocol.acquire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 28 "Additional Acquire Responses". */
class NextTest {
    /** The example of the RFC, which lacks a comma and a colon, and in which rank 3 both comes up and loses a property. */
    private static final String EXAMPLE = """
            {
            "up": "3-6",
            "down": "2"
            "property-add": { "foo": "0-1" },
            "property-remove" { "bar": "3" }
            }
            """;

    /**
     * Returns the example with the missing comma and colon. The reader does not repair malformed JSON, so it refuses the example
     * itself.
     */
    private static String punctuated(String example) {
        return example.replace("\"2\"\n", "\"2\",\n").replace("\"property-remove\" {", "\"property-remove\": {");
    }

    private static Next read(String json) throws Exception {
        return Next.parse(Json.parse(Bytes.text(json.replace('\'', '"'))));
    }

    private static SortedMap<String, Idset> names(String... namesAndRanks) {
        SortedMap<String, Idset> names = new TreeMap<>();
        for (int i = 0; i < namesAndRanks.length; i += 2) {
            names.put(namesAndRanks[i], Idset.parse(namesAndRanks[i + 1]));
        }
        return names;
    }

    private static Next next(String up, String down, String shrink) {
        return new Next(
                Idset.parse(up), Idset.parse(down), Idset.parse(shrink), names(), names(), OptionalDouble.empty());
    }

    @Test
    void theExampleOfTheRfcIsReadOnceItsMissingPunctuationIsAdded() throws Exception {
        assertThat(read(punctuated(EXAMPLE)))
                .isEqualTo(new Next(
                        Idset.parse("3-6"),
                        Idset.of(2),
                        Idset.EMPTY,
                        names("foo", "0-1"),
                        names("bar", "3"),
                        OptionalDouble.empty()));
        assertThatThrownBy(() -> read(EXAMPLE)).isInstanceOf(ProtocolException.class);
    }

    /** The exact payloads: keys and forms that both deployed schedulers read, in a fixed order. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'up':'1-2'}",
                "{'down':'1'}",
                "{'up':'0','down':'1'}",
                "{'down':'1-3','shrink':'2-3'}",
                "{'property-add':{'+inst':'0','gpu@v100':'1-2'}}",
                "{'property-remove':{'batch':'3'}}",
                "{'property-add':{'batch':'1'},'property-remove':{'batch':'3'}}",
                "{'expiration':2000000000.0}",
                "{'expiration':2000000001.5}",
                "{'expiration':1795226327.122392}",
                "{'expiration':0.0}",
                "{'up':'0','down':'1-3','shrink':'2','property-add':{'a':'0'},'property-remove':{'b':'1'},"
                        + "'expiration':5.0}",
            })
    void updatesAreReadAndWrittenUnchanged(String golden) throws Exception {
        byte[] bytes = (golden.replace('\'', '"') + "\0").getBytes(UTF_8);
        assertThat(Json.encode(read(golden).toJson()).toByteArray()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // flux-core sends this for a drained rank that is lost
                "{'shrink':'3'}|{'down':'3','shrink':'3'}",
                "{'down':'1','shrink':'3'}|{'down':'1,3','shrink':'3'}",
                // schedulers apply up first and then down
                "{'up':'3-6','down':'6'}|{'up':'3-5','down':'6'}",
                "{'up':'3','shrink':'3'}|{'down':'3','shrink':'3'}",
                "{'up':'','down':'1'}|{'down':'1'}",
                "{'down':'[1]'}|{'down':'1'}",
                "{'expiration':5}|{'expiration':5.0}",
            })
    void unnormalizedUpdatesAreReadAsDeployedSchedulersReadThem(String sent, String meant) throws Exception {
        assertThat(Json.encode(read(sent).toJson()).text().replace('"', '\'')).isEqualTo(meant);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|acquire response: says nothing",
                "{'up':'','down':''}|acquire response: says nothing",
                "{'property-add':{}}|acquire response: says nothing",
                "{'resources':{},'up':'1'}|acquire response: /resources: is not a key of this response",
                "{'shink':'1'}|acquire response: /shink: is not a key of this response",
                "{'up':null}|acquire response: /up: must be an idset string",
                "{'down':3}|acquire response: /down: must be an idset string",
                "{'down':'x'}|acquire response: /down: idset \"x\": not a decimal digit at position 0",
                "{'expiration':'5'}|acquire response: /expiration: must be a number",
                "{'expiration':-1}|acquire response: /expiration: must be 0 or more",
                "{'property-add':'a'}|acquire response: /property-add: must be an object of property names to idsets",
                "{'property-add':{'a/b':''}}|acquire response: /property-add/a~1b: names no rank",
                "{'property-add':{'a':1}}|acquire response: /property-add/a: must be an idset string",
                "{'property-remove':{'a!':'1'}}|acquire response: /property-remove/a!: property name \"a!\" has the illegal character !",
                "{'property-add':{'a':'1-2'},'property-remove':{'a':'2'}}"
                        + "|acquire response: /property-add/a: and /property-remove both name 2",
            })
    void emptyMalformedAndContradictoryUpdatesAreRefused(String json, String sentence) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(InvalidException.class)
                .hasMessage(sentence);
    }

    @Test
    void anArrayIsRefused() {
        assertThatThrownBy(() -> Next.parse(Json.parse(Bytes.text("{\"a\":[]}")).path("a")))
                .isInstanceOf(InvalidException.class)
                .hasMessage("acquire response: must be an object");
    }

    @Test
    void theConstructorRefusesEmptyAndContradictoryUpdates() {
        assertThatThrownBy(() -> next("", "", ""))
                .isInstanceOf(InvalidException.class)
                .hasMessage("acquire response: says nothing");
        assertThatThrownBy(() -> next("1-3", "3-4", ""))
                .isInstanceOf(InvalidException.class)
                .hasMessage("acquire response: /up: and /down both name 3");
        assertThatThrownBy(() -> next("", "1", "1-2"))
                .isInstanceOf(InvalidException.class)
                .hasMessage("acquire response: /shrink: names 2, which /down does not");
        assertThatThrownBy(() -> next("", "", "1")).isInstanceOf(InvalidException.class);
        for (double expiration : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            assertThatThrownBy(() -> new Next(
                            Idset.EMPTY, Idset.EMPTY, Idset.EMPTY, names(), names(), OptionalDouble.of(expiration)))
                    .isInstanceOf(InvalidException.class)
                    .hasMessage("acquire response: /expiration: must be 0 or more");
        }
        assertThatThrownBy(() -> new Next(
                        Idset.EMPTY, Idset.EMPTY, Idset.EMPTY, names("a", ""), names(), OptionalDouble.empty()))
                .isInstanceOf(InvalidException.class)
                .hasMessage("acquire response: /property-add/a: names no rank");
    }

    @Test
    void theConstructorCopiesTheMapsAndTheCopiesAreUnmodifiable() {
        SortedMap<String, Idset> mine = names("a", "1");
        Next next = new Next(Idset.EMPTY, Idset.EMPTY, Idset.EMPTY, mine, names(), OptionalDouble.empty());
        mine.clear();
        assertThat(next.propertyAdd()).isEqualTo(Map.of("a", Idset.of(1)));
        assertThatThrownBy(() -> next.propertyAdd().clear()).isInstanceOf(UnsupportedOperationException.class);
    }
}
