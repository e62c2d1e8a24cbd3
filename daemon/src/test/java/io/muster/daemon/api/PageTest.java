package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.Shell;
import io.muster.daemon.RunningDaemon;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of the web page as the daemon serves them, and the routes and the verb for the page. */
@Timeout(300)
final class PageTest {
    private static final int MOST_BYTES = 300 << 10;
    private static final Path SOURCES = Path.of("src/main/resources/io/muster/daemon/http/page");
    private static final String GZIP = "Accept-Encoding: gzip\r\n";

    @TempDir
    private Path directory;

    private RunningDaemon daemon;
    private Http http;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, ApiTest.RESOURCES + "[[listen]]\nhttp = \"127.0.0.1:0\"\n");
        http = new Http(directory.resolve("h"));
    }

    @AfterEach
    void stop() {
        daemon.close();
    }

    /** Returns the paths of all files of the page. */
    private static List<String> paths() throws IOException {
        List<String> paths = new ArrayList<>(List.of("/"));
        try (var files = Files.list(SOURCES)) {
            files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> !name.equals("index.html"))
                    .forEach(name -> paths.add("/page/" + name));
        }
        return paths;
    }

    @Test
    void everyFileIsServedCompressedWithAPolicyAndTheSumIsSmall() throws IOException {
        int sum = 0;
        for (String path : paths()) {
            Http.Reply packed = http.send("GET", path, GZIP);
            assertThat(packed.status()).as(path).isEqualTo(200);
            assertThat(packed.header("content-encoding")).isEqualTo("gzip");
            assertThat(packed.header("content-security-policy")).contains("default-src 'none'", "script-src 'self'");
            assertThat(packed.header("content-security-policy")).doesNotContain("unsafe", "http:", "*", "data:");
            assertThat(packed.unzipped().text()).isEqualTo(http.get(path).text());
            sum += packed.body().length;
        }
        assertThat(sum).isLessThan(MOST_BYTES);
    }

    @Test
    void aCachedFileIsAnsweredWith304() throws IOException {
        for (String encoding : List.of("", GZIP)) {
            Http.Reply first = http.send("GET", "/page/app.js", encoding);
            Http.Reply second =
                    http.send("GET", "/page/app.js", encoding + "If-None-Match: " + first.header("etag") + "\r\n");
            assertThat(second.status()).isEqualTo(304);
            assertThat(second.body()).isEmpty();
            assertThat(second.header("etag")).isEqualTo(first.header("etag"));
        }
        assertThat(http.send("GET", "/page/app.js", "If-None-Match: \"other\"\r\n")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void thePageAcceptsNeitherParametersNorOtherMethods() throws IOException {
        assertThat(http.get("/?token=muster_x").detail()).contains("revoke the token");
        assertThat(http.send("DELETE", "/", "").status()).isEqualTo(405);
        assertThat(http.send("HEAD", "/", "").body()).isEmpty();
        assertThat(http.get("/page/other.js").status()).isEqualTo(404);
        assertThat(http.get("/page/..%2fapi/openapi.json").status()).isEqualTo(400);
    }

    @Test
    void theFilesHaveNoInlineCodeNoStyleAttributesAndNoExternalAddress() throws IOException {
        Pattern bad = Pattern.compile(
                "innerHTML|outerHTML|insertAdjacent|document\\.write|\\beval\\(|new Function|localStorage|sessionStorage|cookie\\b(?! )"
                        + "|style=|https?://(?!www\\.w3\\.org/2000/svg)");
        for (String path : paths()) {
            String text = http.get(path).text().replace("not in a cookie", "");
            Matcher found = bad.matcher(text);
            assertThat(found.find() ? found.group() : "").as(path).isEmpty();
        }
        assertThat(http.get("/").text()).doesNotContain("<script>", "<style", " onclick");
    }

    @Test
    void aChangeFromAPageWithoutATokenIsRefused() throws IOException {
        String hold = "{\"targets\":\"node1\",\"reason\":\"x\"}";
        for (String header : List.of("Origin: http://muster\r\n", "Sec-Fetch-Site: same-origin\r\n")) {
            Http.Reply refused = http.post("/v1/holds", header, hold);
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.detail()).contains("a page must send a token");
            assertThat(http.send("GET", "/v1/status", header).status()).isEqualTo(200);
        }
        assertThat(http.post("/v1/holds", "Origin: http://evil.example\r\n", hold)
                        .status())
                .isEqualTo(403);
        assertThat(http.get("/v1/holds").json().path("groups")).isEmpty();
    }

    @Test
    void theLayoutHasResourcesAndPropertiesOfAllHosts() throws IOException {
        JsonNode layout = http.get("/v1/layout").json();
        assertThat(layout.path("resources")).hasSize(1);
        assertThat(layout.path("resources").get(0).toString())
                .isEqualTo("{\"ranks\":\"0-8\",\"hosts\":\"node[0-8]\",\"ncores\":4,\"ngpus\":1}");
        assertThat(layout.path("properties").toString())
                .isEqualTo("[{\"name\":\"batch\",\"nnodes\":4,\"ranks\":\"0-3\",\"hosts\":\"node[0-3]\"}]");
        String tag = http.get("/v1/layout").header("etag");
        assertThat(http.send("GET", "/v1/layout", "If-None-Match: " + tag + "\r\n")
                        .status())
                .isEqualTo(304);
    }

    @Test
    void theServiceReturnsTheNameAndRightsOfTheCaller() throws IOException {
        JsonNode service = http.get("/v1/service").json();
        assertThat(service.path("schedulers")).isEmpty();
        assertThat(service.path("host").asText()).isEqualTo(RunningDaemon.HOST);
        assertThat(service.path("caller").path("rights").toString()).contains("read", "change");
        String bearer = "Authorization: Bearer " + token(web("--rights=hold", "--holder=night")) + "\r\n";
        assertThat(service(bearer).path("rights").toString()).isEqualTo("[\"read\",\"follow\",\"hold\"]");
        assertThat(service(bearer).path("holders").toString()).isEqualTo("[\"night\"]");
        assertThat(service(bearer).path("user").asText()).startsWith("token:web-");
    }

    /** Returns the caller in the answer of {@code /v1/service}, after the daemon accepts the token. */
    private JsonNode service(String bearer) {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> http.send("GET", "/v1/status", bearer).status() == 200);
        try {
            return http.send("GET", "/v1/service", bearer).json().path("caller");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Shell.Result web(String... options) {
        return web(daemon, options);
    }

    private static Shell.Result web(RunningDaemon daemon, String... options) {
        List<String> words = new ArrayList<>(List.of("web", "--uri=" + daemon.uri()));
        words.addAll(List.of(options));
        return new Shell().run(words.toArray(String[]::new));
    }

    private static String token(Shell.Result result) {
        return result.out().strip().replaceFirst("^.*#token=", "");
    }

    @Test
    void webPrintsAnAddressWithATokenInTheFragment() throws IOException {
        Shell.Result printed = web();
        assertThat(printed.out()).matches("http://127\\.0\\.0\\.1:[1-9][0-9]*/#token=muster_\\S+\n");
        assertThat(web("--rights=acquire").err()).contains("not one of read, hold and change");
        assertThat(web("--holder=night").err()).contains("--holder: has no effect without --rights=hold");
        assertThat(web("--for=31d").err()).contains("--for: \"31d\" is not a duration from 1s to 30d");
        String file = Files.readString(daemon.stateDir().resolve("tokens"), StandardCharsets.UTF_8);
        assertThat(file).contains("\"rights\":[\"read\",\"follow\"]").doesNotContain(token(printed));
    }

    @Test
    void withoutAnHttpAddressWebExplainsHowToEnableThePage() throws Exception {
        Path other = Files.createDirectory(directory.resolve("b"));
        try (RunningDaemon without = RunningDaemon.start(other, ApiTest.RESOURCES)) {
            Shell.Result refused = web(without);
            assertThat(refused.exit()).isEqualTo(1);
            assertThat(refused.err()).contains("the daemon serves no page", "[[listen]]");
        }
    }
}
