package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FsdTest {
    /** The first ten rows are the test vectors of RFC 23. */
    @ParameterizedTest
    @CsvSource({
        "2ms,0.002,2ms",
        "0.1s,0.1,100ms",
        "30,30,30s",
        "1.2h,4320,1.2h",
        "5m,300,5m",
        "0s,0,0s",
        "5d,432000,5d",
        "inf,Infinity,inf",
        "INF,Infinity,inf",
        "infinity,Infinity,inf",
        "+1.5e2s,150,2.5m",
        ".5s,0.5,500ms",
        "1.,1,1s",
        "0,0,0s",
        "0.5ms,0.0005,0.5ms"
    })
    void readsDurationsOfRfc23(String text, double seconds, String canonical) {
        assertThat(Fsd.parse(text).seconds()).isEqualTo(seconds);
        assertThat(Fsd.parse(text)).hasToString(canonical);
        assertThat(Fsd.parse(canonical)).isEqualTo(Fsd.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "1 s", " 1s", "1S", "1D", "1w", "nan", "infs", "1e", "1\n", "0x10", "--1"})
    void refusesInvalidDurations(String text) {
        assertThatThrownBy(() -> Fsd.parse(text))
                .hasMessageStartingWith("duration \"" + text.replace('\n', '?') + "\": ");
    }

    @Test
    void convertsToNanosecondsWithoutOverflow() {
        assertThat(Fsd.parse("50ms").toNanos()).isEqualTo(50_000_000);
        assertThat(Fsd.FOREVER.toNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(Fsd.parse("90d").toDuration()).isEqualTo(Duration.ofDays(90));
    }

    @Test
    void refusesNegativeAndNanDurations() {
        assertThatThrownBy(() -> new Fsd(-1)).hasMessage("a duration cannot be -1.0");
        assertThatThrownBy(() -> new Fsd(Double.NaN)).hasMessage("a duration cannot be NaN");
    }
}
