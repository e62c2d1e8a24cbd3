package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CountTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Returns every acceptable count in ascending order. */
    static LongStream members(Count count) {
        return LongStream.iterate(count.min(), n -> n > 0, count::next);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "4 | 4 | 4",
                "[3] | 3 | 3",
                "3-30 | 3-30 | 3 4 5 6 7",
                "[3-30] | 3-30 | 3 4 5 6 7",
                "3-3 | 3 | 3",
                "2+ | 2+ | 2 3 4 5 6",
                "[2+] | 2+ | 2 3 4 5 6",
                "100+:1:+ | 100+ | 100 101 102 103 104",
                "2+:2:* | 2+:2:* | 2 4 8 16 32",
                "2-8:2:* | 2-8:2:* | 2 4 8",
                "[1-4:2:*] | 1-4:2:* | 1 2 4",
                "2-16:2:^ | 2-16:2:^ | 2 4 16",
                "2-20:2:^ | 2-16:2:^ | 2 4 16",
                "1-5:2 | 1-5:2 | 1 3 5",
                "1-6:2:+ | 1-5:2 | 1 3 5",
                "1-5:10 | 1 | 1",
                "4,9,16,25 | 4,9,16,25 | 4 9 16 25",
                "1,7-9 | 1,7-9 | 1 7 8 9",
                "1,2,3 | 1-3 | 1 2 3",
                "2147483646-2147483647 | 2147483646-2147483647 | 2147483646 2147483647",
                "2147483647 | 2147483647 | 2147483647",
                "1073741824+:2:* | 1073741824+:2:* | 1073741824 2147483648 4294967296 8589934592 17179869184",
            })
    void readsIteratesAndPrintsEveryForm(String text, String printed, String firstFive) {
        Count count = Count.parse(text);
        assertThat(count).hasToString(printed);
        assertThat(Count.parse(printed)).isEqualTo(count).hasSameHashCodeAs(count);
        assertThat(members(count).limit(5).mapToObj(Long::toString)).containsExactly(firstFive.split(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~ | 0 | expected a count",
                "[] | 1 | expected a count",
                "0 | 0 | at least 1",
                "0-3 | 0 | at least 1",
                "0,3 | 0 | at least 1",
                "3-2 | 2 | max 2 is less than min 3",
                "01 | 0 | leading zero",
                "02-8 | 0 | leading zero",
                "2-08 | 2 | leading zero",
                "2-8:01 | 4 | leading zero",
                "2-8:0 | 4 | at least 1",
                "2-8: | 4 | expected an operand",
                "2-8:+ | 4 | expected an operand",
                "2-8::+ | 4 | expected an operand",
                "2-8:2: | 6 | expected one operator",
                "2-8:2:/ | 6 | expected one operator",
                "2-8:2:'+' | 6 | expected one operator",
                "2-8:2:++ | 6 | expected one operator",
                "1-4] | 3 | brackets do not pair",
                "[1-4 | 4 | brackets do not pair",
                "[ | 1 | brackets do not pair",
                "1 - 4 | 1 | expected '-', '+' or the end",
                "4:2 | 1 | expected '-', '+' or the end",
                "2-8:1:* | 4 | operand must be at least 2",
                "2-8:1:^ | 4 | operand must be at least 2",
                "1-16:2:^ | 0 | min must be at least 2",
                "1+:2:^ | 0 | min must be at least 2",
                "1-1152921504606846977 | 2 | at most 1152921504606846976",
                "99999999999999999999 | 0 | at most 1152921504606846976",
                "-1 | 0 | expected a count",
                "1.5 | 1 | expected '-', '+' or the end",
                "٣ | 0 | expected a count",
            })
    void refusesWithPositionAndReason(String text, int position, String reason) {
        assertThatThrownBy(() -> Count.parse(text)).isInstanceOfSatisfying(MalformedException.class, e -> {
            assertThat(e.reason()).contains(reason);
            assertThat(e.position()).isEqualTo(position);
            assertThat(e.what()).isEqualTo("count");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"3,1", "1,1", "1-3,5+", "1,2-", "[1,2"})
    void refusesMalformedIdsets(String text) {
        assertThatThrownBy(() -> Count.parse(text)).isInstanceOf(MalformedException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "4 | 4",
                "\"4\" | 4",
                "{\"min\":2} | 2+",
                "{\"min\":2,\"max\":8} | 2-8",
                "{\"min\":3,\"max\":30,\"operator\":\"+\",\"operand\":1} | 3-30",
                "{\"min\":2,\"operator\":\"*\",\"operand\":2} | 2+:2:*",
                "\"4,9,16,25\" | 4,9,16,25",
            })
    void readsJson(String json, String printed) throws Exception {
        Problems problems = new Problems();
        Count count = Count.parse(JSON.readTree(json), "/count", problems);
        assertThat(problems.errors()).isEmpty();
        assertThat(count).hasToString(printed);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"min\":2,\"max\":8,\"operand\":2} | operator and operand must both be given",
                "{\"min\":2,\"operator\":\"+\"} | operator and operand must both be given",
                "{\"max\":8} | must have min",
                "{} | must have min",
                "{\"min\":0} | min must be at least 1",
                "{\"min\":2,\"max\":1} | max 1 is less than min 2",
                "{\"min\":2,\"max\":-1} | max must be at least 1",
                "{\"min\":2.0} | min must be an integer, not 2.0",
                "{\"min\":2,\"step\":2} | no such key",
                "{\"min\":2,\"operator\":\"-\",\"operand\":2} | operator must be",
                "0 | a count must be at least 1, not 0",
                "-4 | a count must be at least 1, not -4",
                "1.0 | count must be an integer, not 1.0",
                "true | count must be an integer, not true",
                "null | count must be an integer, not null",
                "[1] | count must be an integer, not [1]",
                "1152921504606846977 | above 1152921504606846976",
                "-99999999999999999999 | is below 1",
                "\"\" | expected a count",
            })
    void refusesJsonWithASentence(String json, String sentence) throws Exception {
        Problems problems = new Problems();
        assertThat(Count.parse(JSON.readTree(json), "/count", problems)).isNull();
        assertThat(problems.errors())
                .extracting(Problem::toString)
                .anyMatch(s -> s.startsWith("/count") && s.contains(sentence));
    }

    @Test
    void jsonHasTheFormOfTheExamplesInRfc46() throws Exception {
        assertThat(Count.parse("3-30").toJson())
                .isEqualTo(JSON.readTree("{\"min\":3,\"max\":30,\"operator\":\"+\",\"operand\":1}"));
        assertThat(Count.parse("2+").toJson()).isEqualTo(JSON.readTree("{\"min\":2}"));
        assertThat(Count.parse("2+:2:^").toJson())
                .isEqualTo(JSON.readTree("{\"min\":2,\"operator\":\"^\",\"operand\":2}"));
        assertThat(Count.parse("4,9").toJson()).isEqualTo(JSON.readTree("\"4,9\""));
        assertThat(Count.parse("[7]").toJson()).isEqualTo(JSON.readTree("7"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "4",
                "2+",
                "3-30",
                "2-200:3",
                "3+:7",
                "1-1000:3:*",
                "2+:2:*",
                "2-70000:2:^",
                "3+:3:^",
                "4,9,16-20"
            })
    void nextAgreesWithTheListOfMembers(String text) {
        Count count = Count.parse(text);
        java.util.List<Long> members = members(count).limit(300).boxed().toList();
        long highest = members.get(members.size() - 1);
        for (long n = 0; n <= Math.min(highest, 400); n++) {
            long at = n;
            if (n < highest) {
                assertThat(count.next(n))
                        .isEqualTo(
                                members.stream().filter(m -> m > at).findFirst().orElse(-1L));
            }
        }
        JsonNode json = count.toJson();
        assertThat(Count.parse(json, "", new Problems())).isEqualTo(count);
    }

    @Test
    void nothingOverflows() {
        assertThat(members(Count.parse("2+:3:^"))).startsWith(2L, 8L, 512L, 134217728L);
        assertThat(members(Count.parse(Count.MAX + "+"))).containsExactly(Count.MAX);
        assertThat(members(Count.parse("1-" + Count.MAX + ":" + (Count.MAX - 1))))
                .containsExactly(1L, Count.MAX);
        assertThat(Count.parse("1+").next(Count.MAX)).isEqualTo(-1);
        assertThat(Count.of(Idset.of(4, 6)).min()).isEqualTo(4);
        assertThatThrownBy(() -> Count.of(Idset.range(0, 3))).hasMessage("a count cannot be 0");
    }
}
