package io.muster.inventory.axis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.muster.testing.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EpochTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0, 0.0",
        "-0.0, 0, 0.0",
        "1, 1, 1.0",
        "2000000000, 2000000000, 2000000000.0",
        "1795226327.122392, 1795226327.122392, 1795226327.122392",
        "1795226327.5, 1795226327.5, 1795226327.5",
        "0.0000004, 0, 0.0",
        "0.0000006, 0.000001, 0.000001",
        "-1.5, -1.5, -1.5",
        "1e12, 1000000000000, 1000000000000.0",
        "9.3e15, 9300000000000000, 9300000000000000.0",
        "1e22, 10000000000000000000000, 10000000000000000000000.0",
        "253402300799, 253402300799, 253402300799.0",
    })
    void timesAreWrittenInPlainDigits(double seconds, String plain, String asFloat) {
        assertThat(Epoch.decimal(seconds).toPlainString()).isEqualTo(plain);
        assertThat(Epoch.decimal(seconds)).hasToString(plain);
        assertThat(Epoch.number(seconds).decimalValue().toPlainString()).isEqualTo(asFloat);
    }

    @Test
    void invalidTimesAreNotWritten() {
        assertThatThrownBy(() -> Epoch.decimal(Double.NaN)).isInstanceOf(NumberFormatException.class);
        assertThatThrownBy(() -> Epoch.decimal(Double.POSITIVE_INFINITY)).isInstanceOf(NumberFormatException.class);
    }

    @Seeds
    void microsecondsSurviveBeingWritten(Random random) {
        long micros = random.nextLong(8_000_000_000_000_000L);
        assertThat(Epoch.decimal(Epoch.ofMicros(micros)).movePointRight(6).longValueExact())
                .isEqualTo(micros);
    }

    @Seeds
    void roundingARoundedTimeDoesNotChangeIt(Random random) {
        double any = random.nextDouble() * (random.nextBoolean() ? Epoch.LAST : 5e9);
        double once = Epoch.rounded(any);
        assertThat(Epoch.rounded(once)).isEqualTo(once);
        assertThat(Epoch.decimal(once)).isEqualTo(Epoch.decimal(any));
        assertThat(once).isCloseTo(any, offset(5e-7 + Math.ulp(any)));
    }
}
