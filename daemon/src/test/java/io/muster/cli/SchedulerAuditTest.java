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
import io.muster.daemon.core.WallClock;
import io.muster.protocol.admin.AuditAnswer;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Audits of a scheduler, against a daemon in this process. This class answers as a bridge does. */
@Timeout(300)
final class SchedulerAuditTest {
    private static final String RESOURCES = """
            [[resource.config]]
            hosts = "node[0-3]"
            cores = "0-3"
            gpus = "0-3"

            [[resource.config]]
            hosts = "node[0-1]"
            properties = ["fast"]

            [flux]
            audit = 0
            """;

    @TempDir
    private Path directory;

    private final AtomicLong later = new AtomicLong();
    private RunningDaemon daemon;
    private FluxClient bridge;
    private ResponseStream questions;
    private String belief = belief("0-3", "", "{}", "{'fast':'0-1'}");

    @BeforeEach
    void start() throws Exception {
        double any = Double.POSITIVE_INFINITY;
        WallClock clock = new WallClock(
                () -> Instant.now().plusSeconds(later.get()),
                () -> System.nanoTime() + TimeUnit.SECONDS.toNanos(later.get()),
                new WallClock.Limits(any, any, any));
        daemon = RunningDaemon.start(directory, RESOURCES, clock);
        bridge = FluxClient.connect(daemon.uri());
        ObjectNode report = JsonNodeFactory.instance.objectNode().put("reporter", "flux:0");
        questions =
                bridge.stream(ReportRequest.TOPIC, report.put("ranks", "0-3").put("online", "0-3"));
        assertThat(questions.hasNext()).isTrue();
        questions.next();
    }

    @AfterEach
    void stop() throws Exception {
        bridge.close();
        daemon.close();
    }

    private void acquire() throws Exception {
        ObjectNode owner =
                JsonNodeFactory.instance.objectNode().put("owner", "flux:0").put("grace", 1.0);
        ResponseStream stream = bridge.stream("resource.acquire", owner);
        assertThat(stream.hasNext()).isTrue();
    }

    private static String belief(String known, String down, String parts, String properties) {
        return "{'known':'" + known + "','down':'" + down + "','parts':" + parts + ",'properties':" + properties + "}";
    }

    private void answer(long question, String rest) throws Exception {
        bridge.rpc(
                AuditAnswer.TOPIC, Json.parse(Bytes.text(("{'question':" + question + rest + "}").replace('\'', '"'))));
    }

    private Result run(String... arguments) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(arguments);
    }

    /** Audits while this object answers {@code count} questions with the present belief. */
    private Result audit(int count) throws Exception {
        return audit(count, told());
    }

    private String told() {
        return ",'seconds':0.02,'cost':0.01,'belief':" + belief;
    }

    private Result audit(int count, String answer, String... options) throws Exception {
        Result[] result = new Result[1];
        List<String> line = new ArrayList<>(List.of("audit"));
        line.addAll(List.of(options));
        Thread command = new Thread(() -> result[0] = run(line.toArray(String[]::new)));
        command.start();
        for (int i = 0; i < count; i++) {
            assertThat(questions.hasNext()).isTrue();
            answer(questions.next().path(AuditAnswer.QUESTION).asLong(), answer);
        }
        command.join(Duration.ofMinutes(2).toMillis());
        return result[0];
    }

    @Test
    void aSchedulerThatCannotBeAskedIsShown() throws Exception {
        assertThat(run("audit").out()).isEqualTo("no scheduler has acquired the resources\n");
        acquire();
        Result result = run("audit");
        assertThat(result.out())
                .contains("was sent 4 hosts, 4 of them up")
                .contains("it cannot be asked what it believes: no bridge reports under its name");
        assertThat(result.exit()).isZero();
    }

    @Test
    void aSchedulerThatBelievesWhatItWasSentIsAskedOnce() throws Exception {
        acquire();
        answer(0, "");
        Result result = audit(1);
        assertThat(result.out()).contains("after 0.020 s, and the answer took 0.010 s of its time: no difference");
        assertThat(result.exit()).isZero();
    }

    @Test
    void eachKindOfDifferenceIsNamedWithItsHosts() throws Exception {
        acquire();
        answer(0, "");
        assertThat(run("drain", "node0", "fan").err()).isEmpty();
        assertThat(run("mark", "/cluster0/node1/gpu3", "down", "xid").err()).isEmpty();
        belief = belief("0-2", "2", "{'core1':'1'}", "{'fast':'1','slow':'0'}");
        Result result = audit(2);
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.out())
                .contains("node0: it has the host up, and was sent that it is down, since ")
                .contains("node2: it has the host down, and was sent that it is up")
                .contains("node3: it does not know the host, which it was sent")
                .contains("node1: it has gpu3 up, which is marked down")
                .contains("node1: it has core1 down, which is not marked down")
                .contains("node0: it lacks the property fast")
                .contains("node0: it has the property slow, which the host does not have");
        // The next audit has nothing new, so it needs one question.
        JsonNode again =
                JsonMapper.builder().build().readTree(audit(1, told(), "--json").out());
        assertThat(again.path("ndifferences").asInt()).isEqualTo(7);
        JsonNode schema = JsonMapper.builder()
                .build()
                .readTree(Path.of("../docs/json-schema.json").toFile());
        assertThat(new JsonSchema(schema).faults("audit", again)).isEmpty();
        belief = belief("0-3", "0", "{'gpu3':'1'}", "{'fast':'0-1'}");
        assertThat(audit(1).exit()).isZero();
    }

    /** A change may be on its way to the scheduler when it is asked. */
    @Test
    void aDifferenceThatIsGoneInTheNextAnswerIsNone() throws Exception {
        acquire();
        answer(0, "");
        Result[] result = new Result[1];
        Thread command = new Thread(() -> result[0] = run("audit"));
        command.start();
        String late = ",'seconds':0,'belief':" + belief("0-3", "1", "{}", "{'fast':'0-1'}");
        answer(questions.next().path(AuditAnswer.QUESTION).asLong(), late);
        answer(questions.next().path(AuditAnswer.QUESTION).asLong(), ",'seconds':0,'belief':" + belief);
        command.join(Duration.ofMinutes(2).toMillis());
        assertThat(result[0].exit()).isZero();
        assertThat(result[0].out()).contains("no difference");
    }

    @Test
    void aSchedulerThatAnswersNonsenseIsShownAndKeepsItsStream() throws Exception {
        acquire();
        answer(0, "");
        Result result = audit(1, ",'error':'the scheduler answers nonsense: KeyError: R'");
        assertThat(result.out()).contains("the last question failed: the scheduler answers nonsense: KeyError: R");
        assertThat(result.exit()).isZero();
        assertThat(run("status").err()).isEmpty();
        for (String wrong : new String[] {"{'known':1}", "{'known':'x','down':'','properties':{}}", "{}", "[]"}) {
            assertThatThrownBy(() -> answer(1, ",'belief':" + wrong)).isInstanceOf(RpcException.class);
        }
        answer(77, ",'belief':" + belief); // nobody has asked this
        assertThat(audit(1).out()).contains("no difference");
    }

    /** One of the two questions has no answer for ever, so the command answers after the time for one. */
    @Test
    void aSchedulerThatDoesNotAnswerIsNamedAndHoldsUpNobodyTwice() throws Exception {
        acquire();
        answer(0, "");
        Result result = run("audit");
        assertThat(result.out())
                .contains("flux:0 of ")
                .contains("and has not answered: what it believes now is not known")
                .doesNotContain("it answered at");
        assertThat(result.exit()).isZero();
        later.set(20);
        assertThat(run("audit").out()).isEqualTo(result.out()); // at once, and without another question
        answer(questions.next().path(AuditAnswer.QUESTION).asLong(), told());
        // The answer is compared later. An audit that begins before would end with it, without another question.
        await().atMost(Duration.ofMinutes(1)).until(() -> daemon.metrics().contains("muster_audit_differences 0.0"));
        assertThat(audit(1).out()).contains("no difference");
    }

    private List<String> auditEvents() {
        return run("eventlog", "-f", "json")
                .out()
                .lines()
                .filter(line -> line.contains("\"audit\""))
                .toList();
    }

    @Test
    void changesInTheResultAreEvents() throws Exception {
        acquire();
        answer(0, "");
        belief = belief("0-3", "1-2", "{}", "{'fast':'1'}");
        assertThat(audit(2).exit()).isEqualTo(1);
        assertThat(audit(1).exit()).isEqualTo(1);
        belief = belief("0-3", "", "{}", "{'fast':'0-1'}");
        assertThat(audit(1).exit()).isZero();
        // The event is written after the audit is answered.
        List<String> events =
                await().atMost(Duration.ofMinutes(1)).until(this::auditEvents, found -> found.size() >= 2);
        assertThat(events).hasSize(2);
        assertThat(events.get(0))
                .contains("\"nodelist\":\"node[0-2]\"", "\"scheduler\":\"flux:0\"")
                .contains("has the host down, and was sent that it is up; lacks the property fast");
        assertThat(events.get(1)).contains("\"nodelist\":\"\"", "\"differences\":\"\"");
        bridge.close();
        daemon.close();
        daemon = RunningDaemon.start(directory, RESOURCES); // which replays the events
        bridge = FluxClient.connect(daemon.uri());
        assertThat(run("eventlog").out()).contains("audit");
    }

    @Test
    void auditsAreMadePeriodicallyAndCounted() throws Exception {
        acquire();
        answer(0, "");
        assertThat(daemon.metrics()).contains("muster_audit_differences NaN");
        daemon.reconfigure(RESOURCES.replace("audit = 0", "audit = 10"));
        belief = belief("0-3", "1-2", "{}", "{'fast':'0-1'}");
        for (int i = 0; i < 3; i++) { // two questions of the first audit, and one of the second
            answer(questions.next().path(AuditAnswer.QUESTION).asLong(), told());
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> daemon.metrics().contains("muster_audit_differences 2.0"));
        daemon.reconfigure(RESOURCES);
    }

    @Test
    void aJobThatBeginsOnADrainedHostIsFound() throws Exception {
        acquire();
        answer(0, "");
        assertThat(run("drain", "node1", "fan").err()).isEmpty();
        belief = belief("0-3", "1", "{}", "{'fast':'0-1'}");
        later.set(10);
        use("");
        assertThat(audit(1).exit()).isZero();
        use("1");
        Result result = audit(2);
        assertThat(result.out()).contains("node1: it began a job on the host while it was drained, since ");
        use("");
        assertThat(audit(1).exit()).isZero();
    }

    private void use(String ranks) {
        ObjectNode usage = JsonNodeFactory.instance.objectNode().put("allocated", ranks);
        await().atMost(Duration.ofMinutes(1))
                .ignoreExceptionsMatching(e ->
                        e instanceof RpcException refusal && refusal.sentence().contains("every 50 ms"))
                .until(() -> {
                    bridge.rpc(ReportRequest.USAGE_TOPIC, usage);
                    return true;
                });
    }
}
