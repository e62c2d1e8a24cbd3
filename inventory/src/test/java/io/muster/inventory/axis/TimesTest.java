package io.muster.inventory.axis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "0.4, 0s",
        "-5, 0s",
        "59, 59s",
        "119, 119s",
        "120, 2m",
        "330, 5m30s",
        "600, 10m",
        "5400, 90m",
        "10800, 3h",
        "19200, 5h20m",
        "108000, 30h",
        "172800, 2d",
        "277200, 3d5h",
        "17280000, 200d",
        "94608000, 3y"
    })
    void aSpanHasAtMostTwoUnits(double seconds, String text) {
        assertThat(Times.span(seconds)).isEqualTo(text);
    }

    @Test
    void anAgeWithoutAStartTimeIsADash() {
        assertThat(Times.age(0, 100)).isEqualTo("-");
        assertThat(Times.age(40, 100)).isEqualTo("60s");
    }

    @Test
    void timesAreFormattedAsRfc3339() {
        assertThat(Times.rfc3339(1795226327.123456)).isEqualTo("2026-11-21T01:58:47.123456Z");
        assertThat(Times.rfc3339(1795226327)).isEqualTo("2026-11-21T01:58:47Z");
        assertThat(Times.second(1795226327.9)).isEqualTo("2026-11-21T01:58:48Z");
    }
}
