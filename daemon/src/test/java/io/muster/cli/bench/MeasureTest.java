package io.muster.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.ask.ServerOptions;
import io.muster.daemon.RunningDaemon;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasureTest {
    private static final Floor FLOOR = new Floor(2, 1, 3);

    @TempDir
    private Path directory;

    @Test
    void anAddressMayBeAPathAsForEveryOtherVerb() {
        assertThat(ServerOptions.address("/run/s")).isEqualTo("local:///run/s");
        assertThat(ServerOptions.address("s"))
                .isEqualTo("local://" + Path.of("s").toAbsolutePath());
        assertThat(ServerOptions.address("local:///run/s")).isEqualTo("local:///run/s");
    }

    @Test
    void aFeasibilityCheckIsMeasuredAgainstAnExchange() throws Exception {
        try (RunningDaemon daemon =
                RunningDaemon.start(directory, "[[resource.config]]\nhosts = \"n[0-7]\"\ncores = \"0\"\n")) {
            assertThat(new Measure(daemon.uri(), 8, 3).feasible(FLOOR))
                    .isNotNull()
                    .satisfies(figure -> {
                        assertThat(figure.what()).isEqualTo("feasibility.check");
                        assertThat(figure.ranks()).isEqualTo(8);
                        assertThat(figure.floor()).isEqualTo(FLOOR.exchange());
                        assertThat(figure.value()).isPositive().isLessThanOrEqualTo(figure.high());
                    });
        }
    }
}
