package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.Shell.Result;
import io.muster.daemon.RunningDaemon;
import io.muster.daemon.core.WallClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A policy is tried on the journal of a daemon that has none. */
@Timeout(300)
final class PolicyVerbTest {
    private static final String RESOURCES = """
            [[resource.config]]
            hosts = "node[0-9]"
            cores = "0-3"
            """;

    private static final String POLICY = RESOURCES + """
            [[brake]]
            holder = "auto"
            hosts = 2
            window = "1h"

            [[policy]]
            when = "offline"
            after = "10m"
            targets = "node[0-8]"
            hold = { holder = "auto", reason = "gone" }
            """;

    @TempDir
    private Path directory;

    private final AtomicLong ahead = new AtomicLong(-20 * 86_400L);

    private Result run(RunningDaemon daemon, String... words) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(words);
    }

    @Test
    void thePastShowsWhatAPolicyWouldDoAndCheckSaysSo() throws Exception {
        double any = Double.POSITIVE_INFINITY;
        WallClock clock = new WallClock(
                () -> Instant.now().plusSeconds(ahead.get()),
                () -> System.nanoTime() + TimeUnit.SECONDS.toNanos(ahead.get()),
                new WallClock.Limits(any, any, any));
        Path state;
        try (RunningDaemon daemon = RunningDaemon.start(directory, RESOURCES, clock)) {
            state = daemon.stateDir();
            assertThat(run(daemon, "offline", "node1").exit()).isZero();
            ahead.addAndGet(3600);
            assertThat(run(daemon, "online", "node1").exit()).isZero();
            assertThat(run(daemon, "offline", "node[3-5,9]").exit()).isZero();
            ahead.addAndGet(3600);
            assertThat(run(daemon, "online", "node[3-5,9]").exit()).isZero();
        }
        String config = Files.writeString(
                        directory.resolve("new.toml"), POLICY + "[muster]\nstate-dir = \"" + state + "\"\n")
                .toString();
        Result tried = new Shell().run("policy", config);
        assertThat(tried.err()).isEmpty();
        assertThat(tried.out())
                .startsWith("auto, offline 10m, node[0-8]: since ")
                .contains(" it would have drained 1 host, in 1 change; a brake would have stopped it 1 time\n")
                .contains(" node1\n")
                .contains(" node[3-5] not: nothing was drained: the brake on auto permits 2 hosts in 60m, ");
        assertThat(new Shell().run("policy", "--replay=1d", config).out()).contains("it would have drained nothing\n");
        assertThat(new Shell().run("policy", "--replay=soon", config).exit()).isEqualTo(2);
        assertThat(new Shell().run("check", config).err())
                .contains(
                        "policy auto, offline 10m, node[0-8]: in the last 30 days it would have drained 1 host, in 1 change");
        JsonNode schema =
                new JsonMapper().readTree(Path.of("../docs/json-schema.json").toFile());
        JsonNode document = new JsonMapper()
                .readTree(new Shell().run("policy", "--json", config).out());
        assertThat(new JsonSchema(schema).faults("policy", document)).isEmpty();
        assertThat(document.path("policies").path(0).path("acts")).hasSize(2);
    }
}
