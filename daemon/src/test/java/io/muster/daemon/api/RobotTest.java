package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.JsonSchema;
import io.muster.cli.Shell;
import io.muster.cli.Shell.Result;
import io.muster.daemon.RunningDaemon;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A robot that goes mad, with a token and over HTTP. */
@Timeout(300)
final class RobotTest {
    private static final String BRAKE = "[[brake]]\nholder = \"nhc*\"\nhosts = \"45%\"\nwindow = \"10m\"\n";

    @TempDir
    private Path directory;

    private RunningDaemon daemon;
    private Http http;
    private String token;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, ApiTest.RESOURCES);
        http = new Http(directory.resolve("h"));
        token = "Authorization: Bearer "
                + new Shell()
                        .run(
                                "token",
                                "create",
                                "nhc",
                                "--rights=hold,change",
                                "--holder=nhc",
                                "--state-dir=" + daemon.stateDir())
                        .out()
                        .strip()
                + "\r\n";
        daemon.readTokens();
    }

    @AfterEach
    void stop() {
        daemon.close();
    }

    private Result run(String... words) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(words);
    }

    private Http.Reply drain(String targets, String holder) throws Exception {
        String body = "{\"targets\":\"" + targets + "\",\"reason\":\"memory\",\"holder\":\"" + holder + "\"}";
        return http.post("/v1/holds", token, body);
    }

    @Test
    void aRobotGoneMadDrainsNoMoreThanItsBrakePermitsAndPeopleAreNotHindered() throws Exception {
        assertThat(run("brake").out())
                .isEqualTo("no [[brake]] is configured: programs may drain any number of hosts\n");
        daemon.reconfigure(ApiTest.RESOURCES + BRAKE);
        assertThat(run("brake").out()).isEqualTo("""
                HOLDER LIMIT IN  MOST DRAINED ROOM REFUSED
                nhc*   45%   10m    4       0    4       0
                """);
        assertThat(drain("node1", "nhc").status()).isEqualTo(200);
        Http.Reply refused = drain("node[2-5]", "nhc");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.text()).contains("EDQUOT");
        assertThat(refused.detail()).contains("and this is 4 more, of which 3 would fit");
        assertThat(drain("node2", "other").detail())
                .as("a token that has a holder is bound to it, also with the right change")
                .contains("holder \"nhc\"");
        assertThat(run("drain", "--holder=nhc", "node2,node3", "they are bad").exit())
                .isZero();
        assertThat(run("brake").out())
                .contains("\nnhc*   45%   10m    4       3    1       1\n")
                .contains("\nnhc*, last refused at ")
                .contains(
                        ", token:nhc: nothing was drained: the brake on nhc* permits 45% of the hosts (4) in 10m, 1 are used");
        assertThat(run("brake", "--json").out()).contains("\"refused\":1").contains("\"user\":\"token:nhc\"");
        JsonNode schema =
                new JsonMapper().readTree(Path.of("../docs/json-schema.json").toFile());
        JsonNode document = new JsonMapper().readTree(run("brake", "--json").out());
        assertThat(new JsonSchema(schema).faults("brake", document)).isEmpty();
        assertThat(http.send("GET", "/v1/brakes", token).text()).contains("\"hosts\":\"node[1-3]\"");
        assertThat(daemon.metrics()).contains("muster_brake_refusals_total 1.0");
    }
}
