package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The output of the command about the liveness and usage that a reporter sends, against a daemon in this process. */
@Timeout(300)
final class UsageTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String RESOURCES = """
            [[resource.config]]
            hosts = "node[0-3]"
            cores = "0-3"
            """;

    @TempDir
    private Path directory;

    private RunningDaemon daemon;
    private FluxClient reporter;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, RESOURCES);
        reporter = FluxClient.connect(daemon.uri());
    }

    @AfterEach
    void stop() throws Exception {
        reporter.close();
        daemon.close();
    }

    private Result run(String... arguments) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(arguments);
    }

    /** Returns whether a state in the output of {@code muster status} has this text. */
    private boolean isShown(String text, String... options) {
        List<String> words = new ArrayList<>(List.of("status", "-no", "state"));
        words.addAll(List.of(options));
        return run(words.toArray(String[]::new)).out().contains(text);
    }

    private ResponseStream report(String ranks, String online) throws Exception {
        ObjectNode request = JsonNodeFactory.instance.objectNode().put("reporter", "bridge");
        ResponseStream stream =
                reporter.stream(ReportRequest.TOPIC, request.put("ranks", ranks).put("online", online));
        assertThat(stream.next().path("ranks").asText()).isEqualTo(ranks);
        return stream;
    }

    /** Reports usage, and retries if the last report was less than 50 ms ago. */
    private void use(String allocated) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode().put("allocated", allocated);
        await().atMost(PATIENCE).ignoreException(RpcException.class).until(() -> {
            reporter.rpc(ReportRequest.USAGE_TOPIC, payload);
            return true;
        });
    }

    @Test
    void theImpactOfTakingHostsOutNamesJobsAndTheLastHostsOfAProperty() throws Exception {
        run("property", "add", "gpu", "1-2");
        report("0-2", "0-2");
        use("0-1");
        run("drain", "2", "fan");
        assertThat(run("impact", "node[1,3]", "2").out()).isEqualTo("""
                node[1-3]: 3 hosts, 12 cores, 0 GPUs; schedulers may use 2 of them
                jobs: on node1; not known for node3
                all hosts: 1 of 3 hosts is left (33 %)
                property gpu: 0 of 1 host are left (0 %): these are the last
                """);
        assertThat(run("impact", "nobody").exit()).isEqualTo(4);
        assertThat(run("impact").exit()).isEqualTo(2);
    }

    @Test
    void livenessAndUsageFromReportersAreShown() throws Exception {
        report("0-3", "0-2");
        use("0-1");
        run("drain", "1", "fan");
        assertThat(run("status", "-no", "state,nodelist").out())
                .isEqualTo("available node2\nallocated node0\n draining node1\n  offline node3\n");
        assertThat(run("status", "-no", "state,nodelist", "-s", "draining").out())
                .isEqualTo("draining node1\n");
        assertThat(run("list", "-no", "state,nodelist").out())
                .isEqualTo("     free node2\nallocated node[0-1]\n     down node3\n");
        assertThat(run("why", "node0").out()).contains("jobs        allocated, as bridge reported");

        reporter.close();
        await().atMost(PATIENCE).until(() -> isShown("unknown", "-s", "unknown"));
        assertThat(run("status", "-no", "state,nodelist").out())
                .isEqualTo("        unknown node[0,2-3]\ndrained,unknown node1\n");
        assertThat(run("why", "node3").out())
                .contains("bridge does not report")
                .contains("jobs        unknown: nobody reports them");
    }

    @Test
    void aDrainWithWaitIdleWaitsUntilNoJobUsesTheHosts() throws Exception {
        report("0-3", "0-3");
        use("1-2");
        CompletableFuture<Result> idle = CompletableFuture.supplyAsync(() -> run("drain", "--wait=idle", "0", "x"));
        await().atMost(PATIENCE).until(() -> {
            use("1-2"); // usage that is older than the drain does not count
            return idle.isDone();
        });
        assertThat(idle.get()).isEqualTo(new Result(Exit.OK, "", ""));
        Result waited = run("drain", "--wait=idle", "--timeout", "5", "1-2", "x");
        assertThat(waited.exit()).isEqualTo(Exit.TIMED_OUT);
        assertThat(waited.err()).isEqualTo("muster: the change is made, but jobs still use node[1-2]\n");
        CompletableFuture<Result> drained =
                CompletableFuture.supplyAsync(() -> run("drain", "-u", "--wait=idle", "1-3", "x"));
        await().atMost(PATIENCE).until(() -> isShown("drained", "3"));
        assertThat(drained).isNotDone();
        await().atMost(PATIENCE).until(() -> {
            use("");
            return drained.isDone();
        });
        assertThat(drained.get()).isEqualTo(new Result(Exit.OK, "", ""));
    }

    @Test
    void aWaitWithoutAReporterTimesOutWithTheReason() {
        Result waited = run("drain", "--wait=idle", "--timeout", "5", "1", "x");
        assertThat(waited.exit()).isEqualTo(Exit.TIMED_OUT);
        assertThat(waited.err()).contains("nobody reports which hosts jobs use");
        assertThat(run("expiration", "set", "--wait=idle", "4h").exit()).isEqualTo(Exit.USAGE);
    }
}
