package io.muster.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.ask.ServerOptions;
import io.muster.it.harness.DaemonProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasureTest {
    private static final Floor FLOOR = new Floor(2, 1, 3);

    @TempDir
    private Path directory;

    @Test
    void aFeasibilityCheckIsMeasuredAgainstAnExchange() throws Exception {
        try (DaemonProcess daemon = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("n[0-7]"))
                .start()) {
            assertThat(new Measure(ServerOptions.address(daemon.socket().toString()), 8, 3).feasible(FLOOR))
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
