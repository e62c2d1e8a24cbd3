package io.muster.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WhenTest {
    private static final Zone BERLIN = new Zone(Console.ofProcess(), ZoneId.of("Europe/Berlin"));

    /** A Saturday, 13:00 in Berlin. */
    private static final Instant SATURDAY = Instant.parse("2026-01-31T12:00:00Z");

    private static Instant read(String text, Instant now, boolean future) {
        double epoch = now.getEpochSecond();
        double then = future ? When.future(text, BERLIN, epoch) : When.past(text, BERLIN, epoch);
        return Instant.ofEpochMilli(Math.round(then * 1e3));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "30m                       | 2026-01-31T12:30:00Z | 2026-01-31T11:30:00Z",
                "1.5h                      | 2026-01-31T13:30:00Z | 2026-01-31T10:30:00Z",
                "2d                        | 2026-02-02T12:00:00Z | 2026-01-29T12:00:00Z",
                "90s                       | 2026-01-31T12:01:30Z | 2026-01-31T11:58:30Z",
                "@1770000000               | 2026-02-02T02:40:00Z | 2026-02-02T02:40:00Z",
                "@1770000000.5             | 2026-02-02T02:40:00.5Z | 2026-02-02T02:40:00.5Z",
                "16:00                     | 2026-01-31T15:00:00Z | 2026-01-30T15:00:00Z",
                "16:00:30                  | 2026-01-31T15:00:30Z | 2026-01-30T15:00:30Z",
                "16:00:30.25               | 2026-01-31T15:00:30.250Z | 2026-01-30T15:00:30.250Z",
                "8:05                      | 2026-02-01T07:05:00Z | 2026-01-31T07:05:00Z",
                "8am                       | 2026-02-01T07:00:00Z | 2026-01-31T07:00:00Z",
                "8 AM                      | 2026-02-01T07:00:00Z | 2026-01-31T07:00:00Z",
                "8:30pm                    | 2026-01-31T19:30:00Z | 2026-01-30T19:30:00Z",
                "12am                      | 2026-01-31T23:00:00Z | 2026-01-30T23:00:00Z",
                "12pm                      | 2026-02-01T11:00:00Z | 2026-01-31T11:00:00Z",
                "13:00                     | 2026-02-01T12:00:00Z | 2026-01-31T12:00:00Z",
                "noon                      | 2026-02-01T11:00:00Z | 2026-01-31T11:00:00Z",
                "midnight                  | 2026-01-31T23:00:00Z | 2026-01-30T23:00:00Z",
                "today                     | 2026-01-30T23:00:00Z | 2026-01-30T23:00:00Z",
                "today 8am                 | 2026-01-31T07:00:00Z | 2026-01-31T07:00:00Z",
                "tomorrow                  | 2026-01-31T23:00:00Z | 2026-01-31T23:00:00Z",
                "tomorrow 8am              | 2026-02-01T07:00:00Z | 2026-02-01T07:00:00Z",
                "8am tomorrow              | 2026-02-01T07:00:00Z | 2026-02-01T07:00:00Z",
                "yesterday noon            | 2026-01-30T11:00:00Z | 2026-01-30T11:00:00Z",
                "tue 16:00                 | 2026-02-03T15:00:00Z | 2026-01-27T15:00:00Z",
                "Tuesday, 16:00            | 2026-02-03T15:00:00Z | 2026-01-27T15:00:00Z",
                "tues                      | 2026-02-02T23:00:00Z | 2026-01-26T23:00:00Z",
                "wednesday                 | 2026-02-03T23:00:00Z | 2026-01-27T23:00:00Z",
                "mon                       | 2026-02-01T23:00:00Z | 2026-01-25T23:00:00Z",
                "thu 00:00                 | 2026-02-04T23:00:00Z | 2026-01-28T23:00:00Z",
                "fri                       | 2026-02-05T23:00:00Z | 2026-01-29T23:00:00Z",
                "sun 8am                   | 2026-02-01T07:00:00Z | 2026-01-25T07:00:00Z",
                "sat                       | 2026-02-06T23:00:00Z | 2026-01-30T23:00:00Z",
                "sat 13:00                 | 2026-02-07T12:00:00Z | 2026-01-31T12:00:00Z",
                "sat 13:01                 | 2026-01-31T12:01:00Z | 2026-01-24T12:01:00Z",
                "2026-07-01                | 2026-06-30T22:00:00Z | 2026-06-30T22:00:00Z",
                "2026-07-01 noon           | 2026-07-01T10:00:00Z | 2026-07-01T10:00:00Z",
                "2026-07-01T08:30          | 2026-07-01T06:30:00Z | 2026-07-01T06:30:00Z",
                "2026-07-01 08:30:15 CEST  | 2026-07-01T06:30:15Z | 2026-07-01T06:30:15Z",
                "2026-07-01 08:30 +01:00   | 2026-07-01T07:30:00Z | 2026-07-01T07:30:00Z",
                "2026-07-01 08:30 UTC      | 2026-07-01T08:30:00Z | 2026-07-01T08:30:00Z",
                "2026-07-01T08:30:00Z      | 2026-07-01T08:30:00Z | 2026-07-01T08:30:00Z",
                "2026-07-01t08:30:00.5z    | 2026-07-01T08:30:00.5Z | 2026-07-01T08:30:00.5Z",
                "2026-07-01T08:30:00-05:00 | 2026-07-01T13:30:00Z | 2026-07-01T13:30:00Z",
                "16:00 utc                 | 2026-01-31T16:00:00Z | 2026-01-30T16:00:00Z",
                "tue 16:00 cet             | 2026-02-03T15:00:00Z | 2026-01-27T15:00:00Z",
                "2026-10-25 02:30 CEST     | 2026-10-25T00:30:00Z | 2026-10-25T00:30:00Z",
                "2026-10-25 02:30 CET      | 2026-10-25T01:30:00Z | 2026-10-25T01:30:00Z",
            })
    void everyFormOfTimeIsParsedAsTheNextOrTheLastSuchTime(String text, Instant next, Instant last) {
        assertThat(read(text, SATURDAY, true)).as("the next").isEqualTo(next);
        assertThat(read(text, SATURDAY, false)).as("the last").isEqualTo(last);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2026-03-29 02:30|2026-01-31T12:00:00Z|2026-03-29 02:30 does not exist|2026-03-29 03:30:00 CEST|2026-03-29 01:30:00 CET",
                "02:00|2026-03-28T12:00:00Z|2026-03-29 02:00 does not exist|2026-03-29 03:00:00 CEST|2026-03-29 01:00:00 CET",
                "tomorrow 2:59|2026-03-28T12:00:00Z|2026-03-29 02:59 does not exist|2026-03-29 03:59:00 CEST|2026-03-29 01:59:00 CET",
                "sun 2am|2026-10-24T12:00:00Z|2026-10-25 02:00 exists twice|2026-10-25 02:00:00 CEST|2026-10-25 02:00:00 CET",
                "02:30|2026-10-25T00:45:00Z|2026-10-25 02:30 exists twice|2026-10-25 02:30:00 CEST|2026-10-25 02:30:00 CET",
            })
    void aTimeThatDoesNotExistOrExistsTwiceIsRefusedWithBothReadings(
            String text, Instant now, String fault, String first, String second) {
        assertThatThrownBy(() -> read(text, now, true))
                .hasMessage("\"" + text + "\": the local time " + fault + " in Europe/Berlin")
                .isInstanceOfSatisfying(Failure.class, f -> {
                    assertThat(f.exit()).isEqualTo(Exit.USAGE);
                    assertThat(f.advice()).isEqualTo("give \"" + first + "\" or \"" + second + "\"");
                });
        assertThat(read(first, now, true)).isNotEqualTo(read(second, now, true));
    }

    /** An unambiguous time on a day with a change of the clocks is not affected by the offset of the present day. */
    @ParameterizedTest
    @CsvSource({"03:00,2026-03-28T12:00:00Z,2026-03-29T01:00:00Z", "03:00,2026-10-24T12:00:00Z,2026-10-25T02:00:00Z"})
    void theOffsetOfTheOtherDayIsUsed(String text, Instant now, Instant then) {
        assertThat(read(text, now, true)).isEqualTo(then);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2026-07-01 12:00 CET", "2026-07-01 12:00 cet"})
    void anAbbreviationOfTheOtherHalfOfTheYearIsRefusedWithBothReadings(String text) {
        assertThatThrownBy(() -> read(text, SATURDAY, true))
                .hasMessage("\"" + text + "\": Europe/Berlin does not have CET at 2026-07-01 12:00")
                .isInstanceOfSatisfying(
                        Failure.class,
                        f -> assertThat(f.advice())
                                .isEqualTo("give \"2026-07-01 13:00:00 CEST\" or \"2026-07-01 12:00:00 CEST\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "0", "1.5", ".5"})
    void aNumberWithoutAUnitIsRefusedWithTheUnits(String text) {
        assertThatThrownBy(() -> read(text, SATURDAY, true))
                .hasMessage("\"" + text + "\" has no unit")
                .isInstanceOfSatisfying(Failure.class, f -> {
                    assertThat(f.exit()).isEqualTo(Exit.USAGE);
                    assertThat(f.advice())
                            .isEqualTo(text + "s is seconds, " + text + "m minutes, " + text + "h hours and " + text
                                    + "d days");
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "soon",
                "4x",
                "inf",
                "25:00",
                "24:00",
                "8:5",
                "13pm",
                "0am",
                "tue 10",
                "2026-02-30",
                "2026-02-01T08",
                "2026-1-31",
                "2026-01-31 2026-02-01",
                "tue wed",
                "noon 8am",
                "16:00 UTC CET",
                "UTC",
                "16:00 PST",
                "16:00 +25:00",
                "16:60",
                "16:00:60",
                "@x",
                "@NaN",
                "@-5",
                "@1d",
                "-5m",
                "8am please"
            })
    void anInvalidTimeIsRefusedWithTheForms(String text) {
        assertThatThrownBy(() -> read(text, SATURDAY, true))
                .hasMessage("\"" + text + "\" is not a time")
                .isInstanceOfSatisfying(Failure.class, f -> {
                    assertThat(f.exit()).isEqualTo(Exit.USAGE);
                    assertThat(f.advice()).isEqualTo("forms of times: " + When.FORMS);
                });
    }
}
