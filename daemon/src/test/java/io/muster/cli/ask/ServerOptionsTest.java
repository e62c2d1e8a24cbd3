package io.muster.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ServerOptionsTest {
    @Test
    void anAddressMayBeAPathOrAUri() {
        assertThat(ServerOptions.address("/run/s")).isEqualTo("local:///run/s");
        assertThat(ServerOptions.address("s"))
                .isEqualTo("local://" + Path.of("s").toAbsolutePath());
        assertThat(ServerOptions.address("local:///run/s")).isEqualTo("local:///run/s");
    }
}
