package io.muster.inventory.idset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.muster.inventory.problem.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdsetTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                    | ''
            []                    | ''
            0                     | 0
            [0]                   | 0
            42                    | 42
            1,2                   | 1-2
            1,2,3                 | 1-3
            1-2                   | 1-2
            1-3,4-5               | 1-5
            1-3,4,5-6             | 1-6
            [1-3,5-6,42]          | 1-3,5-6,42
            1,2,3,5,6,42          | 1-3,5-6,42
            1-3,5-6,42            | 1-3,5-6,42
            0-1048575             | 0-1048575
            0-65535,65536-65540   | 0-65540
            65535,65537           | 65535,65537
            0,2147483646          | 0,2147483646
            0-2147483646          | 0-2147483646
            """)
    void validTextIsReadAndWrittenCanonically(String text, String canonical) {
        assertThat(Idset.parse(text)).hasToString(canonical);
        assertThat(Idset.parse(canonical)).isEqualTo(Idset.parse(text)).hasSameHashCodeAs(Idset.parse(text));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, quoteCharacter = '"', textBlock = """
            01|0|leading zeros are not allowed
            00|0|leading zeros are not allowed
            1,01|2|leading zeros are not allowed
            1-02|2|leading zeros are not allowed
            5-5|2|a range must end above its start 5
            5-4|2|a range must end above its start 5
            3,2,1|2|ids must ascend, but 2 comes after 3
            1,1|2|ids must ascend, but 1 comes after 1
            1-3,3|4|ids must ascend, but 3 comes after 3
            1-3,2-5|4|ids must ascend, but 2 comes after 3
            [|0|'[' is never closed
            [1-3|0|'[' is never closed
            [1,|0|'[' is never closed
            1-3]|3|']' closes nothing
            ]|0|']' closes nothing
            []]|1|']' closes nothing
            [[1]]|1|'[' may only open the whole set
            1[2]|1|'[' may only open the whole set
            [1],[2]|2|']' closes nothing
            [1],2|3|nothing may follow ']'
            [1] |3|nothing may follow ']'
            ,|0|an item is empty
            ,1|0|an item is empty
            1,|2|an item is empty
            1,,2|2|an item is empty
            [,]|1|an item is empty
            [1,]|3|an item is empty
            1-|2|the range has no end
            1-,3|2|the range has no end
            [1-]|3|the range has no end
            -1|0|stray '-'
            -|0|stray '-'
            1--3|2|stray '-'
            1-2-3|3|stray '-'
            +1|0|stray '+'
            1,-2|2|stray '-'
             1|0|spaces are not allowed
            1 |1|spaces are not allowed
            1, 2|2|spaces are not allowed
            1 -2|1|spaces are not allowed
            0x10|1|not a decimal digit
            1e3|1|not a decimal digit
            1.0|1|not a decimal digit
            foo|0|not a decimal digit
            \u0661|0|not a decimal digit
            1\uFF12|1|not a decimal digit
            2147483647|0|ids go up to 2147483646
            1-2147483647|2|ids go up to 2147483646
            0,4294967296|2|ids go up to 2147483646
            99999999999999999999|0|ids go up to 2147483646
            """)
    void malformedTextIsRefusedWithItsPositionAndReason(String text, int position, String reason) {
        assertThatThrownBy(() -> Idset.parse(text))
                .asInstanceOf(type(MalformedException.class))
                .satisfies(e -> assertThat(e.what() + " at " + e.position() + ": " + e.reason())
                        .isEqualTo("idset at " + position + ": " + reason));
    }

    @Test
    void newlinesAndTabsAreRefused() {
        for (String text : List.of("1\n", "\n", "1\t,2", "1,\r2")) {
            assertThatThrownBy(() -> Idset.parse(text)).hasMessageContaining("spaces are not allowed");
        }
        assertThatThrownBy(() -> Idset.parse("1\n\033[2J"))
                .hasMessage("idset \"1??[2J\": spaces are not allowed at position 1");
    }

    @Test
    void queriesReturnTheMembersAndTheirPositions() {
        Idset set = Idset.parse("3-5,9,100000");
        assertThat(set.size()).isEqualTo(5);
        assertThat(set.rangeCount()).isEqualTo(3);
        assertThat(set.first()).isEqualTo(3);
        assertThat(set.last()).isEqualTo(100000);
        assertThat(set.contains(9)).isTrue();
        assertThat(set.contains(8)).isFalse();
        assertThat(set.contains(-1)).isFalse();
        assertThat(set.next(-1)).isEqualTo(3);
        assertThat(set.next(5)).isEqualTo(9);
        assertThat(set.next(100000)).isEqualTo(-1);
        assertThat(set.position(9)).isEqualTo(3);
        assertThat(set.position(10)).isEqualTo(4);
        assertThat(set.nth(3)).isEqualTo(9);
        assertThat(set.stream()).containsExactly(3, 4, 5, 9, 100000);
    }

    @Test
    void theEmptySetHasNoMembers() {
        assertThat(Idset.EMPTY.isEmpty()).isTrue();
        assertThat(Idset.EMPTY.next(-1)).isEqualTo(-1);
        assertThat(Idset.EMPTY.next(-7)).isEqualTo(-1);
        assertThat(Idset.EMPTY.position(5)).isZero();
        assertThat(Idset.EMPTY.stream()).isEmpty();
        assertThat(Idset.EMPTY.rangeCount()).isZero();
        assertThatThrownBy(Idset.EMPTY::first).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(Idset.EMPTY::last).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> Idset.EMPTY.nth(0)).hasMessage("member 0 of an idset of 0");
    }

    @Test
    void idsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> Idset.of(-1)).hasMessage("not a range of ids between 0 and 2147483646: -1--1");
        assertThatThrownBy(() -> Idset.of(Integer.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Idset.range(2, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Idset.EMPTY.with(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void setOperationsWorkOnTheSetOfAllIds() {
        Idset all = Idset.range(0, Idset.MAX_ID);
        assertThat(all.size()).isEqualTo(Integer.MAX_VALUE);
        assertThat(all.without(7)).hasToString("0-6,8-2147483646");
        assertThat(all.without(7).with(7)).isEqualTo(all);
        assertThat(all.subtract(Idset.range(1, Idset.MAX_ID - 1))).hasToString("0,2147483646");
        assertThat(all.without(7).position(Idset.MAX_ID)).isEqualTo(Idset.MAX_ID - 1);
    }

    @Test
    void aBuilderTakesIdsInAnyOrderAndMayBeUsedAfterBuild() {
        Idset.Builder builder =
                Idset.builder().add(9).addRange(100, 200).add(8).add(9).add(10);
        Idset built = builder.build();
        assertThat(built).hasToString("8-10,100-200");
        assertThat(builder.addAll(Idset.parse("0,11-99")).build()).hasToString("0,8-200");
        assertThat(built).hasToString("8-10,100-200");
    }

    @Test
    void rangesAreMaximalAcrossTheContainersOfTheBitmap() {
        List<String> ranges = new ArrayList<>();
        Idset.parse("1,65530-131080,131082").forEachRange((first, last) -> ranges.add(first + "-" + last));
        assertThat(ranges).containsExactly("1-1", "65530-131080", "131082-131082");
    }
}
