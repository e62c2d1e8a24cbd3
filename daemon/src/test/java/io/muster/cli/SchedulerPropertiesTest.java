package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.Shell.Result;
import io.muster.daemon.RunningDaemon;
import io.muster.protocol.admin.AuditAnswer;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Properties on their way to a scheduler that runs, against a daemon in this process. This class answers as a bridge does. */
@Timeout(300)
final class SchedulerPropertiesTest {
    private static final String RESOURCES = """
            [[resource.config]]
            hosts = "node[0-3]"
            cores = "0-3"

            [[resource.config]]
            hosts = "node[0-1]"
            properties = ["fast"]

            [queues.batch]
            hosts = "BATCH"

            [flux]
            audit = 0
            properties = "PROPERTIES"
            """;

    @TempDir
    private Path directory;

    private RunningDaemon daemon;
    private FluxClient bridge;
    private @Nullable ResponseStream messages;

    private static String resources(String batch, String properties) {
        return RESOURCES.replace("BATCH", batch).replace("PROPERTIES", properties);
    }

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, resources("node[0-3]", "live"));
        bridge = FluxClient.connect(daemon.uri());
    }

    @AfterEach
    void stop() throws Exception {
        bridge.close();
        daemon.close();
    }

    /** Begins the stream of reports, and the acquisition. */
    private JsonNode begin() throws Exception {
        ObjectNode report = JsonNodeFactory.instance.objectNode().put("reporter", "flux:0");
        messages = bridge.stream(ReportRequest.TOPIC, report.put("ranks", "0-3").put("online", "0-3"));
        JsonNode first = next();
        ObjectNode owner =
                JsonNodeFactory.instance.objectNode().put("owner", "flux:0").put("grace", 1.0);
        assertThat(bridge.stream("resource.acquire", owner).hasNext()).isTrue();
        return first;
    }

    private JsonNode next() throws Exception {
        ResponseStream stream = Objects.requireNonNull(messages);
        assertThat(stream.hasNext()).isTrue();
        return stream.next();
    }

    private static ObjectNode json(String text) throws Exception {
        return Json.parse(Bytes.text(text.replace('\'', '"')));
    }

    private Result run(String... arguments) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(arguments);
    }

    /** Runs a command while this object answers {@code count} questions about jobs. */
    private Result asked(Shell shell, int count, int jobs, String removed, String... arguments) throws Exception {
        Result[] result = new Result[1];
        Thread command = new Thread(
                () -> result[0] = shell.with("MUSTER_URI", daemon.uri()).run(arguments));
        command.start();
        for (int i = 0; i < count; i++) {
            JsonNode question = next();
            assertThat(question.path("property-remove")).isEqualTo(json(removed));
            bridge.rpc(
                    AuditAnswer.TOPIC,
                    json("{'question':" + question.path("jobs").asLong() + ",'jobs':" + jobs + "}"));
        }
        command.join(Duration.ofMinutes(2).toMillis());
        return result[0];
    }

    @Test
    void reportersHearWhetherSchedulersGetPropertiesWhileTheyRun() throws Exception {
        assertThat(begin()).isEqualTo(json("{'ranks':'0-3','properties':'live'}"));
        daemon.reconfigure(resources("node[0-3]", "load"));
        assertThat(next()).isEqualTo(json("{'properties':'load'}"));
        daemon.reconfigure(resources("node[0-3]", "live"));
        assertThat(next()).isEqualTo(json("{'properties':'live'}"));
    }

    @Test
    void aRemovalSaysHowManyWaitingJobsEnd() throws Exception {
        begin();
        String[] remove = {"property", "remove", "fast", "node1"};
        Result dry = asked(new Shell(), 1, 3, "{'fast':'1'}", "property", "remove", "--dry-run", "fast", "node[1-2]");
        assertThat(dry.out()).contains("Flux ends at least 3 waiting jobs, because too few hosts have the properties.");
        Result made = asked(new Shell(), 1, 1, "{'fast':'1'}", remove);
        assertThat(made.exit()).isZero();
        assertThat(made.err()).contains("Flux ends at least 1 waiting job, because");
        assertThat(run(remove).err()).isEqualTo("nothing was changed: no target has fast\n");
        Result json = asked(new Shell(), 1, 2, "{'fast':'0'}", "property", "remove", "--json", "fast", "node0");
        JsonNode document = JsonMapper.builder().build().readTree(json.out());
        assertThat(document.path("ends-jobs").asInt()).isEqualTo(2);
        JsonNode schema = JsonMapper.builder()
                .build()
                .readTree(Path.of("../docs/json-schema.json").toFile());
        assertThat(new JsonSchema(schema).faults("property-remove", document)).isEmpty();
    }

    @Test
    void onATerminalTheCommandAsks() throws Exception {
        begin();
        Result no = asked(
                new Shell().onTerminal(80).typing("n\n"), 1, 3, "{'fast':'1'}", "property", "remove", "fast", "node1");
        assertThat(no.err()).contains("Flux ends at least 3 waiting jobs").contains("Continue? [y/N]");
        assertThat(no.exit()).isEqualTo(1);
        assertThat(run("list", "-no", "{nodelist}", "@fast").out()).contains("node[0-1]");
        Result yes = asked(
                new Shell().onTerminal(80).typing("y\n"), 1, 3, "{'fast':'1'}", "property", "remove", "fast", "node1");
        assertThat(yes.exit()).isZero();
        assertThat(run("list", "-no", "{nodelist}", "@fast").out()).doesNotContain("node[0-1]");
    }

    @Test
    void aNumberThatIsNotKnownIsNotSaidAndDelaysNoChange() throws Exception {
        assertThat(run("property", "remove", "fast", "node0").err()).isEmpty(); // no scheduler
        begin();
        Result unknown = asked(new Shell(), 1, -1, "{'fast':'1'}", "property", "remove", "fast", "node1");
        assertThat(unknown.exit()).isZero();
        assertThat(unknown.err()).isEmpty();
        assertThat(run("property", "add", "fast", "node1").err()).isEmpty();
        Result silent = run("property", "remove", "fast", "node1"); // nobody answers this question
        assertThat(silent.exit()).isZero();
        assertThat(silent.err()).isEmpty();
        bridge.rpc(AuditAnswer.TOPIC, json("{'question':2,'jobs':7}")); // too late
    }

    @Test
    void aQueueThatLosesHostsAsksBeforeTheReload() throws Exception {
        begin();
        Thread reload = new Thread(() -> {
            try {
                daemon.reconfigure(resources("node[2-3]", "live"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        reload.start();
        JsonNode question = next();
        assertThat(question.path("property-remove")).isEqualTo(json("{'+batch':'0-1'}"));
        assertThat(run("list", "-no", "{nodelist}", "@+batch").out()).contains("node[0-3]");
        bridge.rpc(
                AuditAnswer.TOPIC, json("{'question':" + question.path("jobs").asLong() + ",'jobs':4}"));
        reload.join(Duration.ofMinutes(2).toMillis());
        assertThat(run("list", "-no", "{nodelist}", "@+batch").out()).contains("node[2-3]");
    }

    @Test
    void anRThatLacksAPropertyIsReloadedAfterTheQuestion() throws Exception {
        begin();
        String r =
                new Shell().run("R", "encode", "-H", "node[0-3]", "-c", "0-3").out();
        String[] reload = {
            "reload", Files.writeString(directory.resolve("R.json"), r).toString()
        };
        String lost = "{'fast':'0-1'}";
        Result dry = asked(new Shell(), 1, 3, lost, "reload", "--dry-run", reload[1]);
        assertThat(dry.out()).startsWith("would define 4 ranks\nFlux ends at least 3 waiting jobs, because ");
        Result no = asked(new Shell().onTerminal(80).typing("n\n"), 1, 3, lost, reload);
        assertThat(no.err()).contains("Flux ends at least 3 waiting jobs").contains("nothing was changed");
        assertThat(no.exit()).isEqualTo(1);
        assertThat(run("list", "-no", "{nodelist}", "@fast").out()).contains("node[0-1]");
        Result yes = asked(new Shell().onTerminal(80).typing("y\n"), 2, 3, lost, reload);
        assertThat(yes.exit()).isZero();
        assertThat(run("list", "-no", "{nodelist}", "@fast").out()).doesNotContain("node[0-1]");
    }

    @Test
    void aNameWithAnEqualsSignIsRefused() throws Exception {
        Result refused = run("property", "add", "a=b", "node1");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err())
                .contains("the property a=b has a =, with which no scheduler that runs can be sent it");
        assertThatThrownBy(
                        () -> daemon.reconfigure(resources("node[0-3]", "live").replace("fast", "a=b")))
                .isInstanceOf(IllegalStateException.class);
        daemon.reconfigure(resources("node[0-3]", "load"));
        assertThat(run("property", "add", "a=b", "node1").err()).isEmpty();
    }

    @Test
    void statusSaysWhichPropertiesWaitAndForWhat() throws Exception {
        begin();
        usage("{'allocated':'','properties':{'why':'R has a graph','waiting':{'+batch':'0-1','fast':'3'}}}");
        assertThat(run("status").err())
                .isEqualTo(
                        "muster status: flux:0: until the scheduler is loaded again, these changes of properties wait:"
                                + " +batch on 2 hosts, fast on 1 host: R has a graph\n");
        usage("{'allocated':''}");
        assertThat(run("status").err()).isEmpty();
        for (String wrong : new String[] {"{}", "{'why':1,'waiting':{}}", "{'why':'','waiting':{'a':'x'}}"}) {
            assertThatThrownBy(() ->
                            bridge.rpc(ReportRequest.USAGE_TOPIC, json("{'allocated':'','properties':" + wrong + "}")))
                    .isInstanceOf(RpcException.class);
        }
    }

    private void usage(String payload) {
        await().atMost(Duration.ofMinutes(1))
                .ignoreExceptionsMatching(e ->
                        e instanceof RpcException refusal && refusal.sentence().contains("every 50 ms"))
                .until(() -> {
                    bridge.rpc(ReportRequest.USAGE_TOPIC, json(payload));
                    return true;
                });
    }
}
