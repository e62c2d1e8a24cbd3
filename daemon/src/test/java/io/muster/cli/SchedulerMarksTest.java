package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.Shell.Result;
import io.muster.daemon.RunningDaemon;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Marks on their way to a scheduler, and what is said about them, against a daemon in this process. */
@Timeout(300)
final class SchedulerMarksTest {
    private static final String RESOURCES = """
            [[resource.config]]
            hosts = "node[0-3]"
            cores = "0-3"
            gpus = "0-3"
            """;
    private static final String LEVELS = RESOURCES + """
            [[graph]]
            type = "socket"
            in = "node"
            count = 2
            holds = ["core", "gpu"]

            [[graph]]
            type = "rack"
            count = 2
            hosts = "node[0-3]"
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

    private void mark(String... words) {
        List<String> line = new ArrayList<>(List.of("mark"));
        line.addAll(List.of(words));
        assertThat(run(line.toArray(String[]::new)).err()).isEmpty();
    }

    private ObjectNode marks() throws Exception {
        return reporter.rpc("resource.marks", null);
    }

    /** Reports as a bridge does, and again if the last report was less than 50 ms ago. */
    private void report(double time, boolean takes, String... refused) throws Exception {
        ObjectNode marks = JsonNodeFactory.instance.objectNode();
        marks.put("time", time).put("takes", takes);
        List.of(refused).forEach(marks.putArray("refused")::add);
        ObjectNode usage = JsonNodeFactory.instance.objectNode().put("allocated", "");
        usage.set("marks", marks);
        await().atMost(Duration.ofMinutes(1))
                .ignoreExceptionsMatching(e ->
                        e instanceof RpcException refusal && refusal.sentence().contains("every 50 ms"))
                .until(() -> {
                    reporter.rpc(ReportRequest.USAGE_TOPIC, usage);
                    return true;
                });
    }

    private void register() throws Exception {
        ObjectNode request = JsonNodeFactory.instance.objectNode().put("reporter", "bridge");
        assertThat(reporter.stream(
                                ReportRequest.TOPIC, request.put("ranks", "0-3").put("online", "0-3"))
                        .hasNext())
                .isTrue();
    }

    @Test
    void schedulersAreSentTheVerticesThatAreMarkedDownAndNoNodes() throws Exception {
        assertThat(marks().path("down")).isEmpty();
        mark("/cluster0/node1/gpu3", "down", "xid", "79");
        mark("/cluster0/node2/core0", "failing");
        mark("node3", "down");
        mark("/cluster0/node[0-1]/core2", "down");

        assertThat(marks().path("down").toString())
                .isEqualTo("{\"node0/core2\":\"/cluster0/node0/core2\",\"node1/core2\":\"/cluster0/node1/core2\","
                        + "\"node1/gpu3\":\"/cluster0/node1/gpu3\"}");
        assertThat(marks().path("time").asDouble()).isPositive();
    }

    /** Schedulers have the graph of R, without the levels that the configuration adds. */
    @Test
    void pathsAreThoseOfTheGraphThatSchedulersHave() throws Exception {
        daemon.reconfigure(LEVELS);
        mark("/cluster0/rack0/node1/socket1/gpu3", "down");
        mark("/cluster0/rack0/node1/socket0", "down");
        mark("/cluster0/rack1", "down");
        mark("/cluster0", "down");

        assertThat(marks().path("down").toString())
                .isEqualTo("{\"/cluster0\":\"/cluster0\",\"/cluster0/rack1\":\"\",\"node1/socket0\":\"\","
                        + "\"node1/socket1/gpu3\":\"/cluster0/node1/gpu3\"}");
    }

    /** Fluxion finds vertices by the paths that the document gives them, and not along the edges. */
    @Test
    void pathsAreThoseThatTheDocumentGives() throws Exception {
        StringBuilder vertices =
                new StringBuilder("{'id':'0','metadata':{'type':'cluster','paths':{'containment':'/graph0'}}}");
        StringBuilder edges = new StringBuilder();
        for (int node = 0; node < 4; node++) {
            String[] kinds = {"'type':'node','name':'node" + node + "'", "'type':'core','id':0"};
            String[] paths = {"/graph0/node" + node, "/graph0/node" + node + "/core0"};
            for (int i = 0; i < 2; i++) {
                int id = 1 + 2 * node + i;
                vertices.append(",{'id':'" + id + "','metadata':{" + kinds[i] + ",'rank':" + node
                        + ",'paths':{'containment':'" + paths[i] + "'}}}");
                edges.append((id == 1 ? "" : ",") + "{'source':'" + (i == 0 ? 0 : id - 1) + "','target':'" + id + "'}");
            }
        }
        Path file = directory.resolve("R.json");
        Files.writeString(
                file,
                ("{'version':1,'execution':{'R_lite':[{'rank':'0-3','children':{'core':'0'}}],'nodelist':['node[0-3]']},"
                                + "'scheduling':{'graph':{'nodes':[" + vertices + "],'edges':[" + edges + "]}}}")
                        .replace('\'', '"'));
        daemon.reconfigure("[resource]\npath = \"" + file + "\"\n");
        mark("/cluster0/node1/core0", "down");

        assertThat(marks().path("down").toString()).isEqualTo("{\"node1/core0\":\"/graph0/node1/core0\"}");
    }

    @Test
    void whySaysWhatTheSchedulerMakesOfAMark() throws Exception {
        register();
        mark("/cluster0/node1/gpu3", "down", "xid", "79");
        String[] why = {"why", "node1"};
        assertThat(run(why).out()).contains("gpu3: down: xid 79").doesNotContain("the mark");

        report(0, true);
        assertThat(run(why).out()).contains("scheduler   gpu3: has yet to be sent the mark");
        report(marks().path("time").asDouble(), true);
        assertThat(run(why).out()).contains("scheduler   gpu3: has the mark: no new job uses the vertex");
        assertThat(run("why", "/cluster0/node1/gpu3").out()).contains("scheduler   has the mark: no new");
        assertThat(run("status").err()).isEmpty();
        report(marks().path("time").asDouble(), true, "node1/gpu3");
        assertThat(run(why).out()).contains("scheduler   gpu3: refused the mark, as the log of its broker says");
        assertThat(run("status").err())
                .contains("muster status: bridge: the scheduler refused the marks on node1/gpu3: jobs may use them");
        report(0, false);
        assertThat(run(why).out()).contains("scheduler   gpu3: takes no marks: jobs may use the vertex");
        assertThat(run("status").err())
                .contains("muster status: bridge: the scheduler takes no marks: jobs may use what is marked down");

        mark("/cluster0/node1/gpu3", "degraded");
        mark("node2", "down");
        assertThat(run("why", "node[1-2]").out()).doesNotContain("the mark", "no marks");
    }

    @Test
    void aReportThatIsMalformedIsRefused() throws Exception {
        register();
        for (String marks :
                List.of("{}", "{\"time\":\"x\",\"takes\":true}", "{\"time\":0,\"takes\":true,\"refused\":[1]}")) {
            ObjectNode usage = JsonNodeFactory.instance.objectNode().put("allocated", "");
            usage.set("marks", Json.parse(Bytes.text(marks)));
            assertThatThrownBy(() -> reporter.rpc(ReportRequest.USAGE_TOPIC, usage))
                    .isInstanceOf(RpcException.class)
                    .hasMessageContaining("marks");
        }
    }
}
