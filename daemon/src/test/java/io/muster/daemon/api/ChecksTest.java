package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell;
import io.muster.daemon.RunningDaemon;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Results of checks, boot ids and work over HTTP, with tokens whose rights cover some hosts. */
@Timeout(300)
final class ChecksTest {
    private static final String HOLDS = "[holds]\nchecks = [\"nhc\"]\nactions = [\"reboot\"]\n";

    @TempDir
    private Path directory;

    private RunningDaemon daemon;
    private Http http;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, ApiTest.RESOURCES + HOLDS);
        http = new Http(directory.resolve("h"));
    }

    @AfterEach
    void stop() throws Exception {
        daemon.close();
    }

    private String bearer(String name, String... options) throws Exception {
        List<String> line = new ArrayList<>(List.of("token", "create", name, "--state-dir=" + daemon.stateDir()));
        line.addAll(List.of(options));
        String token = new Shell().run(line.toArray(new String[0])).out().strip();
        daemon.readTokens();
        return "Authorization: Bearer " + token + "\r\n";
    }

    private static String hold(String host, String more) {
        return "{\"targets\":\"" + host + "\",\"reason\":\"x\",\"check\":\"nhc\"" + more + "}";
    }

    private static String result(String host, long attempt, String result) {
        return "{\"host\":\"" + host + "\",\"check\":\"nhc\",\"attempt\":" + attempt + ",\"result\":\"" + result
                + "\"}";
    }

    @Test
    void aTokenOfANodeReportsThatNodeOnly() throws Exception {
        assertThat(http.post("/v1/holds", "", hold("node[1-2]", "")).status()).isEqualTo(200);
        String node = bearer("node1", "--rights=report-check", "--hosts=node1");
        Http.Reply other = http.post("/v1/check-results", node, result("node2", 1, "ok"));
        assertThat(other.status()).isEqualTo(403);
        assertThat(other.detail())
                .isEqualTo(
                        "user token:node1 reports checks of node1, not of node2: the right \"report-check\" of another"
                                + " certificate or token has to cover it");
        assertThat(http.post("/v1/check-results", node, result("node1", 2, "ok"))
                        .status())
                .isEqualTo(412);
        assertThat(http.post("/v1/check-results", node, "{\"host\":\"node1\",\"check\":\"nhc\",\"result\":\"ok\"}")
                        .status())
                .as("without the number of the attempt")
                .isEqualTo(400);
        assertThat(http.send("GET", "/v1/work?targets=node1", node).text())
                .contains("\"host\":\"node1\"", "\"attempt\":1", "\"state\":\"check\"");
        Http.Reply ok = http.post("/v1/check-results", node, result("node1", 1, "ok"));
        assertThat(ok.status()).as(ok.text()).isEqualTo(200);
        assertThat(http.send("GET", "/v1/holds", node).text()).contains("node2").doesNotContain("\"hosts\":\"node1\"");
        String reader = bearer("reader");
        assertThat(http.post("/v1/check-results", reader, result("node2", 1, "ok"))
                        .detail())
                .contains("requires the right \"change\" or \"report-check\"");
    }

    @Test
    void onlyTheHostItselfReportsItsBootId() throws Exception {
        String boot = "{\"host\":\"node1\",\"boot\":\"b1\"}";
        assertThat(http.post("/v1/boots", "", boot).status()).as("the owner").isEqualTo(403);
        String all = bearer("all", "--rights=report-check", "--hosts=all");
        assertThat(http.post("/v1/boots", all, boot).detail())
                .isEqualTo(
                        "user token:all reports checks of all, not of node1 alone: only a certificate or a token whose right"
                                + " \"report-check\" covers node1 and no other host reports its boot id");
        String node = bearer("node1", "--rights=report-check", "--hosts=node1");
        assertThat(http.post("/v1/boots", node, boot).status()).isEqualTo(200);
        assertThat(http.post("/v1/boots", node, boot).text()).contains("\"changed\":false");
    }

    @Test
    void askingForAnActionNeedsAGrantOfItsOwn() throws Exception {
        String drain = hold("node1", ",\"action\":\"reboot\"");
        String change = bearer("ops", "--rights=change");
        Http.Reply refused = http.post("/v1/holds", change, drain);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.detail()).contains("this request requires the right \"action\"");
        String action = bearer("lead", "--rights=change,action");
        assertThat(http.post("/v1/holds", action, drain).status()).isEqualTo(200);
        String claim = "{\"host\":\"node1\",\"attempt\":1,\"lease\":\"10m\"}";
        assertThat(http.post("/v1/work/claims", action, claim).detail())
                .as("whoever asks for the action need not be one who does it")
                .contains("requires the right \"work\"");
        String work = bearer("robot", "--rights=work");
        Http.Reply busy = http.post("/v1/work/claims", work, claim);
        assertThat(busy.status()).isEqualTo(409);
        assertThat(busy.detail()).contains("nobody reports whether jobs use it");
    }
}
