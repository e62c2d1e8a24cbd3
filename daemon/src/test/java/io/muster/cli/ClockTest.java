package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import io.muster.daemon.core.WallClock;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A clock that is wrong, as an operator sees it, and the ways to correct it. */
@Timeout(300)
class ClockTest {
    private static final String NODES = "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n";
    private static final Instant START = Instant.ofEpochSecond(1_700_000_000);

    @TempDir
    private Path directory;

    private volatile Instant wall = START;
    private final InstantSource source = () -> wall;

    private RunningDaemon start() throws Exception {
        return RunningDaemon.start(
                directory, NODES, new WallClock(source, System::nanoTime, new WallClock.Limits(900, 86_400, 3600)));
    }

    private static Shell.Result run(RunningDaemon daemon, String... arguments) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(arguments);
    }

    @Test
    void aClockJumpIsReportedByStatusUntilTheClockIsAccepted() throws Exception {
        try (RunningDaemon daemon = start()) {
            assertThat(run(daemon, "clock", "accept").out())
                    .isEqualTo("the clock was not doubted: there was nothing to accept\n");
            assertThat(run(daemon, "status").err()).isEmpty();
            assertThat(daemon.metrics()).contains("\nmuster_clock_jump_seconds 0.0\n");

            wall = START.plusSeconds(365 * 86_400);
            assertThat(run(daemon, "status").err())
                    .startsWith("muster status: the clock jumped 36")
                    .contains(" ahead at 2023-11-14T22:")
                    .contains("expiry and retention are paused until 2023-11-14T23:")
                    .contains("or `muster clock accept`");
            assertThat(run(daemon, "status", "--json").out()).contains("\"clock\":\"the clock jumped 36");
            assertThat(daemon.metrics()).containsPattern("\nmuster_clock_jump_seconds 3\\.15");

            Shell.Result accepted = run(daemon, "clock", "accept");
            assertThat(accepted).isEqualTo(new Shell.Result(0, "", ""));
            assertThat(run(daemon, "status").err()).isEmpty();
            assertThat(run(daemon, "status", "--json").out())
                    .contains("\"time\":\"2024-11-13T22:13:20")
                    .contains("\"clock\":null");
            assertThat(daemon.metrics()).contains("\nmuster_clock_jump_seconds 0.0\n");
        }
    }

    /** A clock before 1970, and clocks more than 292 years after 1970: a long holds 292 years of nanoseconds. */
    @ParameterizedTest
    @ValueSource(longs = {-86_400, 300L * 365 * 86_400, 9_000L * 365 * 86_400})
    void aDaemonWithAnImplausibleClockStillDrainsAndShowsHosts(long seconds) throws Exception {
        wall = Instant.ofEpochSecond(seconds);
        try (RunningDaemon daemon = start()) {
            assertThat(run(daemon, "drain", "1", "at an odd time")).isEqualTo(new Shell.Result(0, "", ""));
            assertThat(daemon.metrics()).contains("muster_nodes{state=\"drained\"} 1.0");
            assertThat(run(daemon, "status").out()).contains("at an odd time");
            assertThat(run(daemon, "eventlog").exit()).isZero();
        }
        wall = START;
        try (RunningDaemon daemon = start()) {
            assertThat(run(daemon, "status").out()).contains("at an odd time");
            assertThat(run(daemon, "clock", "accept").exit()).isZero();
            assertThat(run(daemon, "undrain", "1").exit()).isZero();
        }
    }
}
