package io.muster.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WhenTest {
    private static final ZoneId ZONE = ZoneId.of("+02:00");
    private static final double NOW =
            (double) Instant.parse("2026-01-31T12:00:00Z").getEpochSecond();

    @ParameterizedTest
    @CsvSource({
        "30m, 1, 2026-01-31T12:30:00Z",
        "4h, 1, 2026-01-31T16:00:00Z",
        "2d, -1, 2026-01-29T12:00:00Z",
        "90s, -1, 2026-01-31T11:58:30Z",
        "18:00, 1, 2026-01-31T16:00:00Z",
        "13:00, 1, 2026-02-01T11:00:00Z",
        "13:00, -1, 2026-01-31T11:00:00Z",
        "18:00, -1, 2026-01-30T16:00:00Z",
        "2026-02-01, 1, 2026-01-31T22:00:00Z",
        "2026-02-01T08:30, 1, 2026-02-01T06:30:00Z",
        "2026-02-01 08:30, 1, 2026-02-01T06:30:00Z",
        "2026-02-01T08:30:00Z, 1, 2026-02-01T08:30:00Z",
        "2026-02-01T08:30:00-05:00, 1, 2026-02-01T13:30:00Z",
        "@1770000000, 1, 2026-02-02T02:40:00Z"
    })
    void timesAreReadAsPeopleGiveThem(String text, int direction, Instant then) {
        assertThat(When.parse(text, NOW, direction, ZONE)).isEqualTo((double) then.getEpochSecond());
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "0", "1.5", ".5"})
    void aNumberWithoutAUnitIsRefusedWithTheUnits(String text) {
        assertThatThrownBy(() -> When.parse(text, NOW, 1, ZONE))
                .hasMessage("\"" + text + "\" has no unit")
                .isInstanceOfSatisfying(Failure.class, f -> {
                    assertThat(f.exit()).isEqualTo(Exit.USAGE);
                    assertThat(f.advice())
                            .isEqualTo(text + "s is seconds, " + text + "m minutes, " + text + "h hours and " + text
                                    + "d days");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "4x", "inf", "25:00", "2026-02-30", "2026-02-01T08", "@x", "-5m"})
    void whatIsNoTimeSaysWhatIs(String text) {
        assertThatThrownBy(() -> When.parse(text, NOW, 1, ZONE))
                .hasMessage("\"" + text + "\" is no time")
                .isInstanceOfSatisfying(Failure.class, f -> {
                    assertThat(f.exit()).isEqualTo(Exit.USAGE);
                    assertThat(f.advice()).contains("30m, 4h and 2d count from now");
                });
    }
}
