package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.daemon.RunningDaemon;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Malformed and malicious requests: each is refused with a response, and the next request is served. */
@Timeout(300)
final class HostileHttpTest {
    private static final String JSON = "Host: muster\r\nContent-Type: application/json\r\n";
    private static final String HOLD = "{\"targets\":\"0\"}";

    @TempDir
    private static Path directory;

    private static RunningDaemon daemon;
    private static Http http;

    @BeforeAll
    static void start() throws Exception {
        daemon = RunningDaemon.start(directory, ApiTest.RESOURCES);
        http = new Http(directory.resolve("h"));
    }

    @AfterAll
    static void stop() {
        daemon.close();
    }

    /** The tests share the daemon, and expect that no host is held. */
    @AfterEach
    void liftAllHolds() throws IOException {
        for (JsonNode group : http.get("/v1/holds").json().path("groups")) {
            String lift =
                    "/v1/holds?targets=" + Http.escaped(group.path("hosts").asText());
            assertThat(http.send("DELETE", lift, "").status()).isEqualTo(200);
        }
    }

    static Stream<Arguments> requests() {
        return Stream.of(
                // lengths that two programs could interpret differently
                row(
                        400,
                        "Content-Length and Transfer-Encoding",
                        post("Content-Length: 15\r\nTransfer-Encoding: chunked\r\n", HOLD)),
                row(
                        400,
                        "Content-Length and Transfer-Encoding",
                        post("Transfer-Encoding: chunked\r\nContent-Length: 15\r\n", "0\r\n\r\n")),
                row(400, "not HTTP", post("Content-Length: 15\r\nContent-Length: 16\r\n", HOLD)),
                row(400, "", post("Content-Length: 15, 15\r\n", HOLD)),
                row(400, "", post("Content-Length: +15\r\n", HOLD)),
                row(400, "", post("Content-Length: -1\r\n", HOLD)),
                row(400, "", post("Content-Length: 0x0f\r\n", HOLD)),
                row(400, "", post("Content-Length : 15\r\n", HOLD)),
                row(400, "must be chunked", post("Transfer-Encoding: gzip, chunked\r\n", HOLD)),
                row(400, "must be chunked", post("Transfer-Encoding: identity\r\n", HOLD)),
                row(400, "more than once", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", HOLD)),
                row(400, "", post("Transfer-Encoding: chunked\r\n", "zz\r\n" + HOLD)),
                row(400, "", post("Transfer-Encoding: chunked\r\n", "ffffffffffffffff\r\n" + HOLD)),
                row(400, "", post("Transfer-Encoding: chunked\r\n", "-5\r\n" + HOLD)),
                row(400, "", post("Content-Length:\r\n", HOLD)),
                row(400, "", post("Content-Length: 15\r\nTransfer-Encoding:\r\n", HOLD)),
                row(400, "more than once", post("Transfer-Encoding: chunked, chunked\r\n", HOLD)),
                row(400, "", post("Transfer-Encoding: \u000bchunked\r\n", HOLD)),
                row(400, "", post("Transfer-Encoding : chunked\r\n", HOLD)),
                row(
                        400,
                        "only allowed in HTTP/1.1",
                        post("Transfer-Encoding: chunked\r\n", "f\r\n" + HOLD + "\r\n0\r\n\r\n")
                                .replace("HTTP/1.1", "HTTP/1.0")),
                row(415, "Content-Encoding", post("Content-Length: 15\r\nContent-Encoding: gzip\r\n", HOLD)),
                row(415, "Content-Encoding", post("Content-Length: 15\r\ncontent-encoding: GZIP, br\r\n", HOLD)),
                row(411, "no Content-Length", post("", "")),
                row(413, "longer than 1048576", post("Content-Length: 1048577\r\n", "x")),
                row(413, "longer than 1048576", post("Content-Length: 99999999999999999\r\n", "x")),
                row(
                        413,
                        "longer than 1048576",
                        post("Transfer-Encoding: chunked\r\n", "200000\r\n" + "x".repeat(0x200000))),
                row(
                        400,
                        "only POST requests have a body",
                        "GET /v1/status HTTP/1.1\r\nHost: m\r\nContent-Length: 3\r\n\r\nabc"),
                row(
                        400,
                        "only POST requests have a body",
                        "DELETE /v1/holds HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                // request lines and headers
                row(414, "the first line is longer", "GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: m\r\n\r\n"),
                row(
                        431,
                        "the headers are longer",
                        "GET /v1/status HTTP/1.1\r\nHost: m\r\n" + "X: y\r\n".repeat(5000) + "\r\n"),
                row(
                        431,
                        "the headers are longer",
                        "GET /v1/status HTTP/1.1\r\nHost: m\r\nX: " + "y".repeat(20_000) + "\r\n\r\n"),
                row(400, "no Host header", "GET /v1/status HTTP/1.1\r\n\r\n"),
                row(400, "twice", "GET /v1/status HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
                row(400, "twice", get("/v1/status", "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n")),
                row(400, "twice", "GET /v1/status HTTP/1.1\r\nHost: m\r\nhost: m\r\n\r\n"),
                row(400, "Host header must be", "GET /v1/status HTTP/1.1\r\nHost: m/v1\r\n\r\n"),
                row(400, "Host header must be", "GET /v1/status HTTP/1.1\r\nHost: user@m\r\n\r\n"),
                row(400, "Host header must be", "GET /v1/status HTTP/1.1\r\nHost: m, n\r\n\r\n"),
                row(400, "begins with a space", get("/v1/status", "X-A: 1\r\n 2\r\n")),
                row(400, "begins with a space", get("/v1/status", "X-A: 1\r\n\tX-B: 2\r\n")),
                row(400, "", post("Content-Length: 15\r\nTransfer-Encoding:\r\n chunked\r\n", HOLD)),
                row(400, "", "GET /v1/status HTTP/1.1\r\n Host: m\r\n\r\n"),
                row(400, "begins with a space", " GET /v1/status HTTP/1.1\r\nHost: m\r\n\r\n"),
                row(400, "", get("/v1/status", "X-A : 1\r\n")),
                row(400, "", get("/v1/status", "X-A\t: 1\r\n")),
                row(400, "", get("/v1/status", "X A: 1\r\n")),
                row(400, "", get("/v1/status", ": 1\r\n")),
                row(400, "", get("/v1/status", "X-A\r\n")),
                row(400, "", get("/v1/status", "X-A: 1\u00002\r\n")),
                row(400, "", get("/v1/status", "X-A: 1\r2\r\n")),
                row(400, "", get("/v1/status", "X-A: 1\rX-B: 2\r\n")),
                row(400, "", get("/v1/status", "X-A: 1\u000b2\r\n")),
                row(400, "", get("/v1/status", "X-A\u0000: 1\r\n")),
                row(400, "", get("/v1/status", "X-A: 1\nX-B: 2\r\n")),
                row(400, "control character", "GET\t/v1/status\tHTTP/1.1\r\nHost: m\r\n\r\n"),
                row(400, "control character", "GET\u000b/v1/status HTTP/1.1\r\nHost: m\r\n\r\n"),
                row(417, "100-continue", get("/v1/status", "Expect: 100-continue, other\r\n")),
                row(417, "100-continue", get("/v1/status", "Expect:\r\n")),
                row(505, "HTTP/1.1", "GET /v1/status HTTP/2.0\r\nHost: m\r\n\r\n"),
                row(400, "", "GET /v1/status HTTP/1.1 HTTP/1.1\r\nHost: m\r\n\r\n"),
                row(400, "", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n"),
                row(400, "", "GET /v1/status HTTP/1.1\nHost: m\n\n"),
                row(417, "100-continue", get("/v1/status", "Expect: 200-ok\r\n")),
                row(405, "takes", "CONNECT /v1/status HTTP/1.1\r\nHost: m\r\n\r\n"),
                row(405, "takes", "TRACE /v1/status HTTP/1.1\r\nHost: m\r\n\r\n"),
                row(
                        405,
                        "takes GET, POST, DELETE",
                        "OPTIONS /v1/holds HTTP/1.1\r\nHost: m\r\nOrigin: http://m\r\n\r\n"),
                // pages of other sites
                row(403, "pages of other sites", get("/v1/status", "Origin: https://evil.example\r\n")),
                row(403, "pages of other sites", get("/v1/status", "Origin: null\r\n")),
                row(
                        415,
                        "the body must be JSON",
                        "POST /v1/holds HTTP/1.1\r\nHost: m\r\nContent-Type: text/plain\r\nContent-Length: 15\r\n\r\n"
                                + HOLD),
                // paths
                row(400, "plain", get("//v1/status", "")),
                row(400, "plain", get("/v1/./status", "")),
                row(400, "plain", get("/v1/../v1/status", "")),
                row(400, "plain", get("/v1/%2e%2e/status", "")),
                row(400, "plain", get("/v1/hosts/..%2f..%2fetc", "")),
                row(400, "plain", get("/v1/status/", "")),
                row(400, "plain", get("/v1/status;x=1", "")),
                row(400, "plain", get("/v1/status\\", "")),
                row(400, "plain", get("/v1/status%00", "")),
                row(400, "plain", get("http://m/v1/status", "")),
                row(400, "plain", get("*", "")),
                row(404, "there is no", get("/V1/status", "")),
                row(404, "there is no", get("/v1/hosts", "").replace("/v1/hosts", "/v1/hosts/node1/extra")),
                // queries
                row(400, "escape", get("/v1/status?targets=%zz", "")),
                row(400, "more than 64 parameters", get("/v1/status?" + "a=b&".repeat(500), "")),
                row(400, "secret", get("/v1/status?access_token=abc", "")),
                row(422, "nested deeper", get("/v1/find?expr=" + "(".repeat(5000), "")),
                row(400, "Last-Event-ID", get("/v1/events", "Last-Event-ID: 1x\r\n")),
                row(400, "Last-Event-ID", get("/v1/events?since=0", "Last-Event-ID:\r\n")),
                row(404, "there is no", get("/v1" + "/a".repeat(7900), "")),
                row(400, "at most 32 names", get("/v1/events?filter=A" + ",b".repeat(7900), "")),
                row(400, "at most 32 names", get("/v1/events?filter=" + manyNames(), "")),
                row(400, "at most 32 names", get("/v1/events?filter=drain,,undrain", "")),
                // bodies
                row(400, "", json("{\"targets\":" + "[".repeat(100_000))),
                row(400, "", json("{\"targets\":" + "{\"a\":".repeat(1000) + "1" + "}".repeat(1001))),
                row(400, "", json("{\"targets\":\"\u00ff\u00fe\"}")),
                row(400, "", json("{\"targets\":\"\\u0000\"}")),
                row(400, "", json("{\"targets\":\"\\ud800\"}")),
                row(400, "", json("{\"targets\":1e999999999}")),
                row(400, "", json("")),
                row(422, "", json("{\"targets\":\"0-4294967295\"}")),
                row(422, "", json("{\"targets\":\"node[0-99999999999]\"}")),
                row(422, "", json("{\"targets\":\"@{" + "not ".repeat(50_000) + "node}\"}")),
                row(422, "may have at most", json("{\"targets\":\"" + "0,".repeat(140_000) + "0\"}")),
                row(
                        422,
                        "may have at most",
                        json("{\"targets\":\"node0\",\"reason\":\"" + "x".repeat(300_000) + "\"}")),
                // tokens
                row(401, "unknown, revoked or expired", get("/v1/status", "Authorization: Bearer guess\r\n")),
                row(401, "unknown, revoked or expired", get("/v1/status", "Authorization: Basic cm9vdDpyb290\r\n")),
                row(401, "unknown, revoked or expired", get("/v1/status", "Authorization:\r\n")));
    }

    private static Arguments row(int status, String sentence, String request) {
        return Arguments.of(status, sentence, request);
    }

    private static String get(String target, String headers) {
        return "GET " + target + " HTTP/1.1\r\nHost: m\r\n" + headers + "\r\n";
    }

    private static String post(String headers, String body) {
        return "POST /v1/holds HTTP/1.1\r\n" + JSON + headers + "\r\n" + body;
    }

    private static String json(String body) {
        return post("Content-Length: " + body.length() + "\r\n", body);
    }

    private static String manyNames() {
        StringBuilder names = new StringBuilder("a");
        for (int i = 2; i <= 33; i++) {
            names.append(',').append("a".repeat(i));
        }
        return names.toString();
    }

    @ParameterizedTest
    @MethodSource("requests")
    void aHostileRequestIsRefused(int status, String sentence, String request) throws IOException {
        Http.Reply reply = http.raw(request);
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.detail()).contains(sentence);
        assertThat(reply.header("connection")).isEqualTo("close");
        assertThat(http.get("/v1/holds").json().path("groups"))
                .as("nothing was changed, and the next request is served")
                .isEmpty();
    }

    @Test
    void bytesAfterARequestAreNotInterpretedAsARequest() throws IOException {
        String smuggled = "POST /v1/holds HTTP/1.1\r\n" + JSON + "Content-Length: 15\r\n\r\n" + HOLD;
        Http.Reply reply = http.raw(get("/v1/leader".replace("/v1", ""), "") + smuggled.repeat(50));
        assertThat(reply.text()).isEqualTo("{\"schema_version\":1,\"leader\":true}\n");
        assertThat(http.get("/v1/holds").json().path("groups")).isEmpty();
    }

    @Test
    void linesOfTheBodyMayBeginWithASpace() throws IOException {
        String body = "{\n  \"targets\":\n\t\"0\"\n}";
        assertThat(http.raw("\r\n" + json(body)).status()).isEqualTo(200);
    }

    @Test
    void aBodyMayBeChunkedOrFollow100Continue() throws IOException {
        Http.Reply chunked =
                http.raw(post("Transfer-Encoding: chunked\r\n", "5\r\n{\"tar\r\na\r\ngets\":\"0\"}\r\n0\r\n\r\n"));
        assertThat(chunked.status()).as(chunked.text()).isEqualTo(200);
        try (SocketChannel channel = http.connect()) {
            String body = "{\"targets\":\"1\"}";
            Http.write(channel, post("Content-Length: " + body.length() + "\r\nExpect: 100-continue\r\n", ""));
            byte[] permission = Channels.newInputStream(channel).readNBytes("HTTP/1.1 100 Continue\r\n\r\n".length());
            assertThat(new String(permission, StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 100");
            Http.write(channel, body);
            assertThat(Http.parse(Channels.newInputStream(channel).readAllBytes())
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void incompleteRequestsDoNotDelayOthers() throws IOException {
        List<SocketChannel> halves = new ArrayList<>();
        try {
            for (int i = 0; i < 500; i++) {
                SocketChannel channel = http.connect();
                halves.add(channel);
                // A user may have 96 requests whose head is complete.
                String begun = i % 10 == 0 ? post("Content-Length: 1000000\r\n", "{\"targets\":\"") : "GET /v1/sta";
                Http.write(channel, begun);
            }
            assertThat(http.get("/v1/status").status()).isEqualTo(200);
            assertThat(http.post("/v1/holds", HOLD).status()).isEqualTo(200);
        } finally {
            for (SocketChannel channel : halves) {
                channel.close();
            }
        }
    }
}
