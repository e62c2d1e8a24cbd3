package io.muster.inventory.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.problem.Text;
import io.muster.inventory.rset.ResourceSet;
import io.muster.testing.Jansson;
import io.muster.testing.Nasty;
import io.muster.testing.Seeds;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortableJsonPropsTest {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** Returns a random document that could be in a journal: the parser has never accepted half of a surrogate pair in a key. */
    private static String json(Random random) {
        String json;
        do {
            json = "{\"R\":" + Nasty.value(random, 4) + ",\"x\":" + Nasty.value(random, 4) + "}";
        } while (!isReadable(json));
        return json;
    }

    private static boolean isReadable(String json) {
        try {
            return !MAPPER.readTree(json).isMissingNode();
        } catch (JsonProcessingException e) {
            return false;
        }
    }

    @Seeds
    void aDocumentWithoutAFaultIsReadByLibjanssonAndByTheDaemon(Random random) throws IOException {
        String json = json(random);
        JsonNode document = MAPPER.readTree(json);
        Problems problems = new Problems();

        PortableJson.check(document, "", problems::add);

        if (problems.isEmpty()) {
            assertThat(Jansson.fault(document.toString().getBytes(UTF_8)))
                    .as(json)
                    .isNull();
            assertThat(StrictJson.stored(json.getBytes(UTF_8)).isObject()).isTrue();
        } else {
            assertThatThrownBy(() -> StrictJson.stored(json.getBytes(UTF_8)))
                    .as(json)
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            "not JSON that Muster writes: " + problems.errors().get(0));
        }
        problems.errors()
                .forEach(problem -> assertThat(Text.escaped(problem.toString())).isEqualTo(problem.toString()));
    }

    /** Every reader of JSON can read an R that is not refused, with any keys and strings. */
    @Seeds
    void anAcceptedRIsReadByLibjansson(Random random) {
        String r = "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}"
                + (random.nextBoolean() ? ",\"k\":" + Nasty.value(random, 1) : "") + "}],\"nodelist\":[\"n\"],"
                + "\"properties\":{" + Nasty.quoted(random) + ":\"0\"}},\"scheduling\":{\"x\":" + Nasty.value(random, 1)
                + "},\"attributes\":{" + Nasty.quoted(random) + ":" + Nasty.value(random, 1) + "}}";
        Problems problems = new Problems();

        ResourceSet set = ResourceSet.parse(r.getBytes(UTF_8), problems);

        if (set == null) {
            assertThat(problems.errors()).as(r).isNotEmpty();
        } else {
            assertThat(Jansson.fault(set.toBytes())).as(r).isNull();
            assertThat(set.properties().keySet()).allMatch(name -> PortableJson.keyFault(name) == null);
        }
    }

    @Test
    void everyFaultIsNamedWithItsPlace() throws JsonProcessingException {
        Problems problems = new Problems();

        PortableJson.check(
                MAPPER.readTree("{\"a\\u0000\":1,\"a\\\\u0000\":2,\"reason\":\"x\\ny\",\"R\":{\"s\":\"x\\ny\\u001b\"},"
                        + "\"n\":[9223372036854775808,1e999]}"),
                "/top",
                problems::add);

        assertThat(problems.errors().stream().map(Problem::toString))
                .containsExactly(
                        "/top/a\\u0000: the key has the character U+0000, which no name may have",
                        "/top/R/s: has the character U+001B, which no string may have",
                        "/top/n/0: is an integer of more than 64 bits",
                        "/top/n/1: is out of a double's range");
    }

    @ParameterizedTest
    @CsvSource({
        "plain é \uD83D\uDE00,plain é \uD83D\uDE00",
        "'a\u001Bb','a\\u001bb'",
        "'a\nb\tc','a\\nb\tc'",
        "\u202Ex,\\u202ex"
    })
    void unprintableCharactersAreEscaped(String text, String escaped) {
        assertThat(Text.escaped(text)).isEqualTo(escaped);
    }

    @Test
    void aSingleSurrogateIsEscapedAndASurrogatePairIsNot() {
        assertThat(Text.escaped("\ud83d\ude00\ud83d")).isEqualTo("\ud83d\ude00\\ud83d");
        assertThat(Text.escaped("\ude00")).isEqualTo("\\ude00");
    }
}
