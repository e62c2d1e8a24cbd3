package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell;
import io.muster.cli.Shell.Result;
import io.muster.daemon.RunningDaemon;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests with tokens, and alerts that are sent with a token. */
@Timeout(300)
final class TokenAccessTest {
    private static final String ALERTS =
            "[alerts]\nholder = \"alerts\"\nlabel = \"node\"\n[[brake]]\nholder = \"alerts:*\"\nhosts = 1\nwindow = \"1h\"\n";

    @TempDir
    private Path directory;

    private final List<SocketChannel> open = new ArrayList<>();
    private RunningDaemon daemon;
    private Http http;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, ApiTest.RESOURCES);
        http = new Http(directory.resolve("h"));
    }

    @AfterEach
    void stop() throws IOException {
        for (SocketChannel channel : open) {
            channel.close();
        }
        daemon.close();
    }

    private Result token(String... words) {
        List<String> line = new ArrayList<>(List.of("token"));
        line.addAll(List.of(words));
        line.add("--state-dir=" + daemon.stateDir());
        return new Shell().run(line.toArray(new String[0]));
    }

    /** Creates a token and returns its header after the daemon has read the token. */
    private String bearer(String... words) throws Exception {
        Result created = token(words);
        assertThat(created.err())
                .isEqualTo("muster: tokens of the daemon with the state directory " + daemon.stateDir() + "\n");
        String header = header(created.out().strip());
        daemon.readTokens();
        assertThat(http.send("GET", "/v1/R", header).status()).isNotEqualTo(401);
        return header;
    }

    private static String header(String token) {
        return "Authorization: Bearer " + token + "\r\n";
    }

    private static String hold(String holder, String host) {
        return "{\"targets\":\"" + host + "\",\"reason\":\"x\",\"holder\":\"" + holder + "\"}";
    }

    @Test
    void aTokenHasOnlyItsOwnRightsEvenOnAConnectionOfTheOwner() throws Exception {
        String reader = bearer("create", "reader");
        assertThat(http.send("GET", "/v1/status", reader).status()).isEqualTo(200);
        Http.Reply refused = http.post("/v1/holds", reader, hold("h", "node1"));
        assertThat(refused.status())
                .as("although the connection is the owner's")
                .isEqualTo(403);
        assertThat(refused.detail())
                .isEqualTo("user token:reader has the right read, but this request requires the right \"change\" or"
                        + " \"hold\": make a token that has it with `muster token create NAME --rights=read,hold"
                        + " --holder=HOLDER`");
        Http.Reply wrong = http.post("/v1/holds", reader, "{\"targets\":5}");
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.detail())
                .startsWith("resource.drain: /targets must be a string: name ranks")
                .contains("; besides, user token:reader has the right read, but");
        Http.Reply hard = http.post("/v1/holds", reader, "{\"targets\":\"0\",\"mode\":\"hard\"}");
        assertThat(hard.status()).isEqualTo(422);
        assertThat(hard.detail()).startsWith("Invalid mode specified; besides, user token:reader");
        assertThat(http.send("GET", "/v1/history", reader).status()).isEqualTo(403);

        String holder = bearer("create", "cron", "--rights=hold", "--holder=maintenance");
        Http.Reply other = http.post("/v1/holds", holder, hold("other", "node1"));
        assertThat(other.status()).isEqualTo(403);
        assertThat(other.detail())
                .isEqualTo("user token:cron has the rights read and hold, which covers the holder \"maintenance\", but"
                        + " this request requires the right \"change\" or \"hold\" for the holder \"other\": make a token"
                        + " that has it with `muster token create NAME --rights=read,hold --holder=other`");
        assertThat(http.post("/v1/holds", holder, hold("maintenance", "node1")).status())
                .isEqualTo(200);
        assertThat(http.send("GET", "/v1/holds", reader).text()).contains("token:cron");
        String keyed = holder + "Idempotency-Key: 6f2b1c3a-8b57-4a0e-9d2f-0a6f3f6f0b12\r\n";
        Http.Reply first = http.post("/v1/holds", keyed, hold("maintenance", "node2"));
        assertThat(first.status()).isEqualTo(200);
        assertThat(http.post("/v1/holds", keyed, hold("maintenance", "node2")))
                .as("a repetition has the first answer")
                .extracting(Http.Reply::status)
                .isEqualTo(200);
        assertThat(new Shell()
                        .with("MUSTER_URI", daemon.uri())
                        .run("why", "node1")
                        .out())
                .contains("token:cron");
    }

    /** Returns the stream of events of a reader that has been sent the first event. */
    private InputStream follow(String header) throws IOException {
        SocketChannel channel = http.connect();
        open.add(channel);
        Http.write(channel, "GET /v1/events?since=0 HTTP/1.1\r\nHost: muster\r\n" + header + "\r\n");
        InputStream events = Channels.newInputStream(channel);
        StringBuilder read = new StringBuilder();
        while (read.indexOf("resource-define") < 0) {
            int next = events.read();
            assertThat(next).as("after %s", read).isNotNegative();
            read.append((char) next);
        }
        return events;
    }

    /** Readers of events are checked again every ten seconds, so one test has both. */
    @Test
    void theEventStreamsOfARevokedTokenAndOfAUserWithoutTheRightEnd() throws Exception {
        daemon.close();
        String guests = ApiTest.RESOURCES + "[access]\nallow-guest-user = true\n";
        String grant = "[[grant]]\nwho = [\"" + RunningDaemon.uid() + "\"]\nrights = [\"follow\"]\n";
        daemon = RunningDaemon.start(directory, guests + grant, RunningDaemon.uid() + 1);
        String follower = bearer("create", "follower", "--rights=follow");
        InputStream ofToken = follow(follower);
        InputStream ofUser = follow("");
        assertThat(token("revoke", "follower").exit()).isZero();
        daemon.reconfigure(guests);
        for (InputStream events : List.of(ofToken, ofUser)) {
            assertThat(events.readAllBytes()).as("what comes until the end").hasSizeLessThan(10_000);
        }
        assertThat(http.send("GET", "/v1/events", "").status()).isEqualTo(403);
        Http.Reply refused = http.send("GET", "/v1/status", follower);
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.header("www-authenticate")).isEqualTo("Bearer");
        assertThat(refused.detail()).contains("the token is unknown, revoked or expired");
    }

    @Test
    void wrongTokensAreLimitedAndCountedAndDoNotBlockValidTokens() throws Exception {
        String right = bearer("create", "reader");
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            statuses.add(http.send("GET", "/v1/status", header("muster_" + i)).status());
        }
        assertThat(statuses).startsWith(401).containsOnly(401, 429);
        Http.Reply refused = http.send("GET", "/v1/status", header("muster_x"));
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("retry-after")).isEqualTo("60");
        assertThat(http.send("GET", "/v1/status", right).status()).isEqualTo(200);
        assertThat(daemon.metrics()).contains("muster_tokens_refused_total{reason=\"unknown\"} ");
        assertThat(daemon.metrics()).doesNotContain("muster_tokens_refused_total{reason=\"unknown\"} 0.0");
    }

    @Test
    void theLastUseIsStoredWhenTheDaemonStops() throws Exception {
        bearer("create", "reader");
        assertThat(token("list", "--json").out()).contains("\"last_use\":null");
        daemon.close();
        assertThat(token("list", "--json").out()).contains("\"last_use\":\"20").contains("\"name\":\"reader\"");
    }

    private static String alert(String fingerprint, String status, String host) {
        return "{\"fingerprint\":\"" + fingerprint + "\",\"status\":\"" + status
                + "\",\"labels\":{\"alertname\":\"Fan\",\"node\":\"" + host + "\"}}";
    }

    private static String message(String... alerts) {
        return "{\"version\":\"4\",\"alerts\":[" + String.join(",", alerts) + "]}";
    }

    @Test
    void alertsWithATokenForAlertsDrainHosts() throws Exception {
        String token = bearer("create", "am", "--rights=alerts");
        Http.Reply off = http.post("/v1/alerts", token, message(alert("a1", "firing", "node1")));
        assertThat(off.status()).isEqualTo(404);
        assertThat(off.detail()).isEqualTo("alerts are off: the configuration has no [alerts] with a holder");

        daemon.reconfigure(ApiTest.RESOURCES + ALERTS);
        Http.Reply done = http.post("/v1/alerts", token, message(alert("a1", "firing", "node1")));
        assertThat(done.status()).isEqualTo(200);
        assertThat(done.text()).contains("{\"fingerprint\":\"a1\",\"result\":\"held\"}");
        assertThat(http.get("/v1/holds").text()).contains("alerts:a1", "token:am");

        Http.Reply full = http.post(
                "/v1/alerts",
                token,
                message(
                        alert("a1", "resolved", "node1"),
                        alert("b9", "firing", "login1"),
                        alert("b2", "firing", "node2")));
        assertThat(full.status()).isEqualTo(422);
        assertThat(full.detail()).isEqualTo("there is no host login1");
        assertThat(http.get("/v1/holds").text()).contains("alerts:b2").doesNotContain("alerts:a1");

        String other = bearer("create", "other", "--rights=hold", "--holder=maintenance");
        Http.Reply refused = http.post("/v1/alerts", other, message(alert("b2", "resolved", "node2")));
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.detail()).contains("the right \"change\" or \"alerts\"");
        assertThat(http.get("/v1/holds").text()).contains("alerts:b2");

        Http.Reply bad = http.post("/v1/alerts", token, "{\"version\":\"3\"}");
        assertThat(bad.status()).isEqualTo(400);
        assertThat(bad.detail()).startsWith("resource.alerts: /version must be \"4\"");
        assertThat(daemon.metrics()).contains("muster_alerts_total{result=\"unknown\"} 1.0");
    }

    @Test
    void theRightAlertsAloneIsGoodForNoOtherPath() throws Exception {
        String token = bearer("create", "am", "--rights=alerts");
        List<String> paths = List.of(
                "/v1/status",
                "/v1/R",
                "/v1/holds",
                "/v1/find?expr=node",
                "/v1/layout",
                "/v1/service",
                "/v1/events",
                "/v1/history",
                "/metrics");
        for (String path : paths) {
            assertThat(http.send("GET", path, token).status()).as(path).isEqualTo(403);
        }
        assertThat(http.send("GET", "/v1/status", token).detail())
                .isEqualTo(
                        "user token:am has the right alerts, but this request requires the right \"read\": make a token that"
                                + " has it with `muster token create NAME --rights=read,alerts`");
        assertThat(http.post("/v1/feasibility", token, "{}").status()).isEqualTo(403);
        String both = bearer("create", "both", "--rights=read,alerts");
        assertThat(http.send("GET", "/v1/status", both).status()).isEqualTo(200);
    }

    @Test
    void onlyAlertsPlaceTheHoldsOfAlerts() throws Exception {
        String alerts = bearer("create", "am", "--rights=alerts");
        String former = bearer("create", "former", "--rights=hold", "--holder=alerts");
        String change = bearer("create", "ops", "--rights=change");
        daemon.reconfigure(ApiTest.RESOURCES + ALERTS);
        String all = "{\"targets\":\"all\",\"holder\":\"alerts:a1\"}";
        assertThat(http.post("/v1/holds", alerts, all).status()).isEqualTo(403);
        for (String token : List.of(former, change, "")) {
            for (String holder : List.of("alerts", "alerts:a1")) {
                Http.Reply refused = http.post("/v1/holds", token, hold(holder, "all"));
                assertThat(refused.status()).isEqualTo(403);
            }
        }
        assertThat(http.post("/v1/holds", change, all).detail())
                .startsWith(
                        "\"alerts:a1\" is the holder of an alert: only POST /v1/alerts places such a hold, and users"
                                + " with the right \"change\" may end it");
        Shell wire = new Shell().with("MUSTER_URI", daemon.uri());
        assertThat(wire.run("drain", "--holder=alerts:a1", "node1", "x").err())
                .contains("\"alerts:a1\" is the holder of an alert");
        assertThat(http.get("/v1/holds").text()).doesNotContain("alerts");

        http.post("/v1/alerts", alerts, message(alert("a1", "firing", "node1")));
        String lift = "/v1/holds?targets=node1&mode=overwrite&holder=alerts:a1";
        assertThat(http.send("DELETE", lift, former).status()).isEqualTo(403);
        assertThat(http.send("DELETE", lift, alerts).status()).isEqualTo(403);
        assertThat(http.send("DELETE", lift, change).status()).isEqualTo(200);
        http.post("/v1/alerts", alerts, message(alert("a1", "firing", "node1")));
        assertThat(wire.run("undrain", "--holder=alerts:a1", "--force", "node1").exit())
                .isZero();
    }
}
