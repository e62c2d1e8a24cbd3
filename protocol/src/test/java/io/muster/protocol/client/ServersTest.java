package io.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServersTest {
    private static final String THREE = "tls://m1:8650,tls://m2,local:///a,b";
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path runtime;

    @Test
    void aSilentServerIsTriedLastForAMinuteAlsoByOtherProcesses() throws IOException {
        Servers first = Servers.parse(THREE, runtime);
        assertThat(first.inOrder()).containsExactly("tls://m1:8650", "tls://m2", "local:///a,b");
        assertThat(first.patience("tls://m1:8650", LONG)).isEqualTo(Servers.PATIENCE);
        assertThat(first.patience("tls://m1:8650", Duration.ofSeconds(1))).hasSeconds(1);
        assertThat(first.patience("tls://m1:8650", Duration.ZERO)).isEqualTo(Servers.PATIENCE);
        assertThat(first.patience("local:///a,b", LONG)).isEqualTo(LONG);

        first.isSilent("tls://m1:8650");
        assertThat(first.inOrder()).as("not again by this process").containsExactly("tls://m2", "local:///a,b");
        Servers second = Servers.parse(THREE, runtime);
        assertThat(second.inOrder()).containsExactly("tls://m2", "local:///a,b", "tls://m1:8650");
        assertThat(second.patience("tls://m1:8650", LONG)).isEqualTo(LONG);
        assertThat(Servers.parse(THREE, null).inOrder()).startsWith("tls://m1:8650");

        try (Stream<Path> marks = Files.list(runtime.resolve("muster-silent"))) {
            Path mark = marks.findFirst().orElseThrow();
            Files.setLastModifiedTime(mark, FileTime.from(Instant.now().minusSeconds(61)));
        }
        assertThat(Servers.parse(THREE, runtime).inOrder()).startsWith("tls://m1:8650");
    }

    @Test
    void theOnlyServerIsTriedEvenIfItIsSilent() {
        Servers alone = Servers.parse("tls://m1", runtime);
        alone.isSilent("tls://m1");
        assertThat(alone.inOrder()).containsExactly("tls://m1");
        assertThat(alone.areAllSilent()).isTrue();
        assertThat(runtime).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({"tls://m1,m1,8650", "tls://m1:1/,m1,1", "tls://10.0.0.1:65535,10.0.0.1,65535", "tls://[::1]:9,::1,9"})
    void anAddressHasAHostAndAnOptionalPort(String uri, String host, int port) {
        assertThat(TlsServer.parse(uri)).isEqualTo(new TlsServer(host, port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"tls://", "tls://m1:0", "tls://m1:65536", "tls://m1:x", "tls://a b", "tls://u@m1", "tls://m1/p"})
    void malformedAddressesAreRefused(String uri) {
        assertThatThrownBy(() -> TlsServer.parse(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("address \"" + uri + "\": expected tls://HOST[:PORT]");
    }
}
