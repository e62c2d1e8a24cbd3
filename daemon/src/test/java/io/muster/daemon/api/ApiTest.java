package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.daemon.RunningDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The routes that make no changes. */
@Timeout(300)
final class ApiTest {
    static final String RESOURCES = """
            [[listen]]
            http-socket = "h"
            [[resource.config]]
            hosts = "node[0-8]"
            cores = "0-3"
            gpus = "0"
            [[resource.config]]
            hosts = "node[0-3]"
            properties = ["batch"]
            """;

    @TempDir
    private Path directory;

    private RunningDaemon daemon;
    private Http http;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, RESOURCES);
        http = new Http(directory.resolve("h"));
    }

    @AfterEach
    void stop() {
        daemon.close();
    }

    private void drain(String targets, String reason) throws IOException {
        Http.Reply reply = http.post("/v1/holds", "{\"targets\":\"" + targets + "\",\"reason\":\"" + reason + "\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    }

    @Test
    void statusGroupsHostsByStateAndReason() throws IOException {
        drain("node[1-2]", "bad dimm");
        JsonNode status = http.get("/v1/status").json();
        assertThat(status.path("seq").asLong()).isPositive();
        assertThat(status.path("groups").get(0).path("hosts").asText()).isEqualTo("node[0,3-8]");
        assertThat(status.path("groups").get(1).path("reason").asText()).isEqualTo("bad dimm");
        assertThat(status.has("time"))
                .as("nothing depends on the time of the response")
                .isFalse();
        JsonNode drained =
                http.get("/v1/status?states=drained&targets=node2&expand").json();
        assertThat(drained.path("groups")).hasSize(1);
        assertThat(drained.path("groups").get(0).path("hostnames").get(0).asText())
                .isEqualTo("node2");
    }

    @Test
    void theDaemonFindsTheHostsThatAQuestionSelects() throws Exception {
        daemon.reconfigure(RESOURCES + "[queues.night]\nrequires = [\"batch\"]\n");
        drain("node8", "fan");
        for (String selection : new String[] {
            "targets=0-3%20node8&properties=batch",
            "targets=@%7Bnode%20and%20rank%3C4%7D%20/cluster0/node8&queues=night",
            "include=node%5B0-3,77%5D",
            "queues=night&states=up"
        }) {
            JsonNode list = http.get("/v1/list?" + selection).json();
            assertThat(list.path("nnodes").asInt()).as(selection).isEqualTo(4);
            JsonNode group = list.path("groups").get(0);
            assertThat(group.path("hosts").asText()).isEqualTo("node[0-3]");
            assertThat(group.path("up").asBoolean()).isTrue();
            assertThat(group.path("properties").get(0).asText()).isEqualTo("batch");
            assertThat(group.path("queues").get(0).asText()).isEqualTo("night");
        }
        assertThat(http.get("/v1/status?queues=nihgt").detail()).isEqualTo("there is no queue nihgt; there is night");
        assertThat(http.get("/v1/status?targets=node1%20node9").detail()).contains("node9 is not in the resource set");
    }

    @Test
    void groupsAreReturnedInPagesWithTheSequenceNumberOfTheirState() throws IOException {
        drain("node1", "a");
        drain("node2", "b");
        JsonNode first = http.get("/v1/status?limit=2").json();
        assertThat(first.path("groups")).hasSize(2);
        JsonNode second = http.get(
                        "/v1/status?limit=2&after=" + first.path("next").asInt())
                .json();
        assertThat(second.path("groups").findValuesAsText("hosts")).containsExactly("node2");
        assertThat(second.path("next").isNull()).isTrue();
        assertThat(second.path("seq")).isEqualTo(first.path("seq"));
    }

    @Test
    void theTimeComesOnlyOnRequest() throws IOException {
        JsonNode timed = http.get("/v1/status?time").json();
        assertThat(timed.fieldNames()).toIterable().startsWith("schema_version", "time", "standby");
        assertThat(timed.path("standby").isNull()).isTrue();
        assertThat(timed.path("departed_drained").asText()).isEmpty();
    }

    @Test
    void theSummaryCountsStatesAndListsProblems() throws IOException {
        drain("node7", "psu");
        JsonNode summary = http.get("/v1/summary").json();
        assertThat(summary.path("all").path("nnodes_up").asInt()).isEqualTo(8);
        assertThat(summary.path("states")).hasToString("{\"available\":8,\"drained\":1}");
        assertThat(summary.path("new").get(0).path("reason").asText()).isEqualTo("psu");
        assertThat(http.get("/v1/summary?since=9999999999").json().path("new")).isEmpty();
        assertThat(http.get("/v1/summary").header("etag")).isEmpty();
    }

    @Test
    void hostsAreReturnedInPages() throws IOException {
        JsonNode first = http.get("/v1/hosts?limit=4&targets=node[0-5]").json();
        assertThat(first.path("nnodes").asInt()).isEqualTo(6);
        assertThat(first.path("hosts")).hasSize(4);
        int next = first.path("next").asInt();
        JsonNode second =
                http.get("/v1/hosts?limit=4&targets=node[0-5]&after=" + next).json();
        assertThat(second.path("hosts").get(0).path("host").asText()).isEqualTo("node4");
        assertThat(second.path("hosts")).hasSize(2);
        assertThat(second.path("next").isNull()).isTrue();
        assertThat(http.get("/v1/hosts?targets=@batch").json().path("nnodes").asInt())
                .isEqualTo(4);
    }

    @Test
    void aHostHasItsRankStateResourcesPropertiesAndHolds() throws IOException {
        drain("3", "fan");
        JsonNode host = http.get("/v1/hosts/node3").json();
        assertThat(host.path("rank").asInt()).isEqualTo(3);
        assertThat(host.path("state").asText()).isEqualTo("drained");
        assertThat(host.path("ncores").asInt()).isEqualTo(4);
        assertThat(host.path("ngpus").asInt()).isEqualTo(1);
        assertThat(host.path("properties").get(0).asText()).isEqualTo("batch");
        assertThat(host.path("holds").get(0).path("reason").asText()).isEqualTo("fan");
        assertThat(http.get("/v1/hosts/node99").detail()).startsWith("there is no host node99");
    }

    @Test
    void holdsListsOnlyHostsWithHolds() throws IOException {
        drain("node7", "psu");
        JsonNode holds = http.get("/v1/holds").json();
        assertThat(holds.path("groups")).hasSize(1);
        assertThat(holds.path("groups")
                        .get(0)
                        .path("holds")
                        .get(0)
                        .path("holder")
                        .asText())
                .isEqualTo("admin");
    }

    @Test
    void theResourceSetIsReturnedAsR() throws IOException {
        JsonNode r = http.get("/v1/R").json();
        assertThat(r.path("version").asInt()).isEqualTo(1);
        assertThat(r.path("execution").path("nodelist").get(0).asText()).isEqualTo("node[0-8]");
    }

    @Test
    void findAndFeasibilityAnswerLikeTheTopics() throws IOException {
        drain("node8", "x");
        assertThat(http.get("/v1/find?expr=node%20and%20state%3Ddown&output=paths")
                        .json()
                        .path("paths")
                        .get(0)
                        .asText())
                .isEqualTo("/cluster0/node8");
        assertThat(http.get("/v1/find?expr=node&best=2&by=rank")
                        .json()
                        .path("count")
                        .asInt())
                .isEqualTo(2);
        String job = "{\"resources\":[{\"type\":\"node\",\"count\":9}],\"now\":true}";
        assertThat(http.post("/v1/feasibility", job).json().path("verdict").asText())
                .isEqualTo("not-now");
    }

    @Test
    void historyAndReportReturnPastIntervalsAndTotals() throws IOException {
        drain("node[1-2]", "bad dimm");
        JsonNode past = http.get("/v1/history?targets=node1").json();
        assertThat(past.path("complete").asBoolean()).isTrue();
        JsonNode interval = past.path("intervals").get(0);
        assertThat(interval.path("reason").asText()).isEqualTo("bad dimm");
        assertThat(interval.has("seconds")).as("it lasts").isFalse();
        JsonNode report = http.get("/v1/report?by=host").json();
        assertThat(report.path("totals")).hasSize(2);
        JsonNode availability =
                http.get("/v1/availability?by=host&at_least=1&bars=2").json();
        assertThat(availability.path("rows")).hasSize(2);
        assertThat(availability.path("bars")).hasSize(2);
        assertThat(http.get("/v1/availability?since=2999-01-01T00:00:00Z")
                        .json()
                        .path("total")
                        .path("nnodes")
                        .asInt())
                .isZero();
        assertThat(http.get("/v1/history?targets=nobody").status()).isEqualTo(404);
        assertThat(http.get("/v1/history?since=2001-01-01T00:00:00Z&until=2002-01-01T00:00:00Z")
                        .json()
                        .path("intervals"))
                .isEmpty();
    }

    @Test
    void anUnchangedResponseIsAnsweredWith304() throws IOException {
        Http.Reply first = http.get("/v1/status");
        String tag = first.header("etag");
        assertThat(tag).matches("\"\\d+\\.[0-9a-f]+\\.[0-9a-f]+\"");
        Http.Reply second = http.send("GET", "/v1/status", "If-None-Match: " + tag + "\r\n");
        assertThat(second.status()).isEqualTo(304);
        assertThat(second.body()).isEmpty();
        drain("node1", "x");
        assertThat(http.send("GET", "/v1/status", "If-None-Match: " + tag + "\r\n")
                        .status())
                .isEqualTo(200);
        daemon.reconfigure(RESOURCES + "[queues.batch]\nrequires = [\"batch\"]\n");
        assertThat(http.get("/v1/status").header("etag"))
                .as("the configuration counts")
                .isNotEqualTo(tag);
    }

    @Test
    void longResponsesAreCompressedOnRequest() throws IOException {
        Http.Reply plain = http.get("/v1/hosts");
        Http.Reply packed = http.send("GET", "/v1/hosts", "Accept-Encoding: br, gzip\r\n");
        assertThat(packed.header("content-encoding")).isEqualTo("gzip");
        assertThat(packed.header("etag")).endsWith("-gzip\"");
        assertThat(packed.body().length).isLessThan(plain.body().length / 2);
        assertThat(packed.unzipped().text()).isEqualTo(plain.text());
        String known = "If-None-Match: " + packed.header("etag") + "\r\n";
        assertThat(http.send("GET", "/v1/hosts", known).status()).isEqualTo(304);
    }

    @Test
    void aHeadRequestHasNoBody() throws IOException {
        Http.Reply head = http.send("HEAD", "/v1/status", "");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(Integer.parseInt(head.header("content-length"))).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/nothing, 404, there is no /v1/nothing",
        "PUT, /v1/holds, 405, '/v1/holds takes GET, POST, DELETE'",
        "GET, /v1/status?colour=red, 400, resource.status-document: /colour is not a key of this request",
        "GET, /v1/status?states=dead, 400, /states there is no state dead",
        "GET, /v1/status?targets=node99, 404, node99",
        "GET, /v1/status?targets=@%7Brack%7D, 422, there is no type and no name rack",
        "GET, /v1/status?targets=a&targets=b, 400, the parameter targets is given twice",
        "GET, /v1/hosts?limit=5000, 400, /limit must be an integer from 1 to 1000",
        "GET, /v1/status?token=abc, 400, revoke the secret",
        "GET, /v1/history?since=yesterday, 400, resource.history: /since must be a time by RFC 3339",
        "GET, /v1/availability?by=colour, 400, '/by must be one of rack, class, queue, host'",
        "GET, /v1/report?by=colour, 400, '/by must be one of reason, host'",
        "GET, /v1/find, 400, /expr must be a string",
        "GET, /v1/find?expr=%28, 422, expression",
        "GET, /v1/events?since=999999, 400, but the last event is",
        "DELETE, /v1/holds, 400, 'resource.undrain: /targets is missing'",
    })
    void badRequestsAreRefusedWithASentence(String method, String target, int status, String sentence)
            throws IOException {
        Http.Reply reply = http.send(method, target, "");
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.header("content-type")).isEqualTo("application/problem+json");
        assertThat(reply.detail()).contains(sentence);
    }

    @Test
    void ifNoneMatchWithAStarMatchesEveryExistingDocument() throws IOException {
        Http.Reply known = http.send("GET", "/v1/hosts/node1", "If-None-Match: *\r\n");
        assertThat(known.status()).isEqualTo(304);
        assertThat(known.header("etag")).isEqualTo(http.get("/v1/hosts/node1").header("etag"));
        assertThat(http.send("GET", "/v1/hosts/nobody", "If-None-Match: *\r\n").status())
                .isEqualTo(404);
    }

    @Test
    void probesAndMetricsAreServed() throws IOException {
        assertThat(http.get("/metrics").text()).contains("muster_nodes{");
        assertThat(http.get("/readyz").json().path("ok").asBoolean()).isTrue();
        assertThat(http.get("/healthz").status()).isEqualTo(200);
        assertThat(http.get("/leader").json().path("leader").asBoolean()).isTrue();
    }

    @Test
    void theModeOfTheHttpSocketAdmitsOnlyTheOwnerUnlessGuestsAreAllowed() throws IOException {
        Path socket = directory.resolve("h");
        assertThat(Files.getPosixFilePermissions(socket)).hasSize(2);
        daemon.reconfigure(RESOURCES + "[access]\nallow-guest-user = true\n");
        assertThat(Files.getPosixFilePermissions(socket)).hasSize(6);
    }

    @Test
    void aGuestReadsAndChangesNothing() throws Exception {
        daemon.close();
        String guests = RESOURCES + "[access]\nallow-guest-user = true\n";
        daemon = RunningDaemon.start(directory, guests, RunningDaemon.uid() + 1);
        assertThat(http.get("/v1/status").status()).isEqualTo(200);
        assertThat(http.get("/v1/history").detail())
                .isEqualTo("Request requires owner credentials or the right \"follow\", which no [[grant]] gives");
        Http.Reply change = http.post("/v1/holds", "{\"targets\":\"0\"}");
        assertThat(change.status()).isEqualTo(403);
        assertThat(change.json().path("errno").asText()).isEqualTo("EPERM");
        daemon.reconfigure(RESOURCES);
        assertThat(http.get("/v1/status").detail()).startsWith("guests are not allowed");
        assertThat(http.get("/metrics").detail()).startsWith("guests are not allowed");
        assertThat(http.get("/readyz").status()).as("needs no right").isEqualTo(200);
    }

    @Test
    void aReloadThatRemovesAGrantRevokesItsRights() throws Exception {
        daemon.close();
        String grant = RESOURCES + "[[grant]]\nwho = [\"" + RunningDaemon.uid()
                + "\"]\nrights = [\"hold\", \"follow\"]\n" + "holder = \"health\"\n";
        daemon = RunningDaemon.start(directory, grant, RunningDaemon.uid() + 1);
        String mine = "{\"targets\":\"0\",\"holder\":\"health\"}";
        assertThat(http.post("/v1/holds", mine).status()).isEqualTo(200);
        assertThat(http.post("/v1/holds", "{\"targets\":\"0\"}").detail())
                .contains("may drain and undrain only with --holder");
        daemon.reconfigure(RESOURCES + "[access]\nallow-guest-user = true\n");
        assertThat(http.post("/v1/holds", mine).status()).isEqualTo(403);
    }

    @Test
    void aMillionUnknownTargetHostsAreIgnoredOrRefused() throws IOException {
        String million = "node1,a%5B0-1048575%5D";
        assertThat(http.get("/v1/status?include=" + million).status()).isEqualTo(200);
        assertThat(http.get("/v1/status?targets=" + million).status()).isEqualTo(404);
        Http.Reply history = http.get("/v1/history?targets=" + million);
        assertThat(history.status()).isEqualTo(422);
        assertThat(history.detail()).contains("1048577 hosts");
    }

    @Test
    void requestsFromPagesOfOtherSitesAreRefused() throws IOException {
        for (String site : new String[] {"cross-site", "same-site"}) {
            assertThat(http.send("GET", "/v1/status", "Sec-Fetch-Site: " + site + "\r\n")
                            .status())
                    .isEqualTo(403);
        }
        assertThat(http.send("GET", "/v1/status", "Sec-Fetch-Site: none\r\n").status())
                .isEqualTo(200);
    }
}
