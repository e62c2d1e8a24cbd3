package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import io.muster.daemon.core.WallClock;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A machine whose battery is empty shows a time long ago, which may be before 1970. */
@Timeout(300)
final class EarlyClockTest {
    private static final List<String> READS =
            List.of("status", "hosts", "hosts/node1", "holds", "history", "report", "R", "layout", "service");

    @Test
    void everyReadAnswersAndTimesAreKnown(@TempDir Path directory) throws Exception {
        double any = Double.POSITIVE_INFINITY;
        InstantSource battery = InstantSource.fixed(Instant.parse("1969-11-12T18:16:31Z"));
        WallClock clock = new WallClock(battery, System::nanoTime, new WallClock.Limits(any, any, any));
        RunningDaemon daemon = RunningDaemon.start(directory, ApiTest.RESOURCES, clock);
        try (daemon) {
            Http http = new Http(directory.resolve("h"));
            assertThat(http.post("/v1/holds", "{\"targets\":\"node[1-2]\"}").status())
                    .isEqualTo(200);
            assertThat(http.send("DELETE", "/v1/holds?targets=node2", "").status())
                    .isEqualTo(200);
            for (String path : READS) {
                assertThat(http.get("/v1/" + path).status()).as(path).isEqualTo(200);
            }
            assertThat(http.get("/v1/holds").text()).contains("\"since\":\"1970-01-01T00:00:01Z\"");
            assertThat(http.get("/v1/history").text()).contains("\"to\":\"1970-01-01T00:00:01Z\"");
        }
    }
}
