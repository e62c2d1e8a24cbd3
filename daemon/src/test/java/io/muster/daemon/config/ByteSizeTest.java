package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "0,0,0",
        "1,1,1",
        "1023B,1023,1023",
        "1024,1024,1KiB",
        "64KiB,65536,64KiB",
        "1M,1048576,1MiB",
        "1536KiB,1572864,1536KiB",
        "3GiB,3221225472,3GiB",
        "2T,2199023255552,2TiB",
        "4096TiB,4503599627370496,4096TiB"
    })
    void readsAndWritesPowersOf1024(String text, long bytes, String canonical) {
        assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
        assertThat(ByteSize.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5G", "1 GiB", "1kb", "1KB", "KiB", "1P", "9999999999999999"})
    void refusesInvalidSizes(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text)).hasMessageContaining("expected a whole number");
    }

    @ParameterizedTest
    @ValueSource(strings = {"8388608TiB", "999999999999999T"})
    void refusesSizesThatExceedALong(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text)).hasMessageContaining("too large");
    }
}
