package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.daemon.RunningDaemon;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.Expected;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The requests that place and end holds. */
@Timeout(300)
final class HoldsTest {
    private static final String KEY = "Idempotency-Key: 6f2b1c3a-8b57-4a0e-9d2f-0a6f3f6f0b11\r\n";

    @TempDir
    private Path directory;

    private RunningDaemon daemon;
    private Http http;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, ApiTest.RESOURCES);
        http = new Http(directory.resolve("h"));
    }

    @AfterEach
    void stop() {
        daemon.close();
    }

    private long seq() throws IOException {
        return http.get("/v1/holds").json().path("seq").asLong();
    }

    /** Returns the hosts of all groups with holds, in order, separated by spaces. */
    private String held() throws IOException {
        StringBuilder all = new StringBuilder();
        http.get("/v1/holds")
                .json()
                .path("groups")
                .forEach(group -> all.append(group.path("hosts").asText()).append(' '));
        return all.toString().strip();
    }

    @Test
    void aHoldIsPlacedAndEnded() throws IOException {
        String until =
                Instant.ofEpochSecond(Instant.now().getEpochSecond() + 86_400).toString();
        JsonNode placed = http.post(
                        "/v1/holds",
                        "{\"targets\":\"node[1-2]\",\"reason\":\"fan\",\"holder\":\"health\",\"until\":\"" + until
                                + "\"}")
                .json();
        assertThat(placed.path("hosts").asText()).isEqualTo("node[1-2]");
        assertThat(placed.path("seq").asLong()).isEqualTo(seq());
        JsonNode hold = http.get("/v1/hosts/node1").json().path("holds").get(0);
        assertThat(hold.path("holder").asText()).isEqualTo("health");
        assertThat(hold.path("until").asText()).isEqualTo(until);
        assertThat(hold.path("by").path("userid").asInt()).isEqualTo(RunningDaemon.uid());
        Http.Reply lifted = http.send("DELETE", "/v1/holds?targets=node1&holder=health&reason=fixed", "");
        assertThat(lifted.json().path("hosts").asText()).isEqualTo("node1");
        assertThat(held()).isEqualTo("node2");
        Http.Reply again = http.send("DELETE", "/v1/holds?targets=node1&holder=health", "");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.detail()).isEqualTo("node1 (rank 1) not drained");
        assertThat(again.json().path("errno").asText()).isEqualTo("EEXIST");
    }

    @Test
    void aPlannedHoldIsListedAndCancelled() throws IOException {
        String from = Instant.now()
                .plus(Duration.ofDays(10))
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
        JsonNode planned = http.post(
                        "/v1/holds",
                        "{\"targets\":\"node[1-2]\",\"reason\":\"cooling\",\"from\":\"" + from
                                + "\",\"for\":\"12h\",\"class\":\"facility\",\"ticket\":\"OPS-881\"}")
                .json();
        assertThat(planned.path("hosts").asText()).isEqualTo("node[1-2]");
        assertThat(held()).isEmpty();
        JsonNode plan = http.get("/v1/holds").json().path("planned").get(0);
        assertThat(plan.path("hosts").asText()).isEqualTo("node[1-2]");
        assertThat(plan.path("from").asText()).isEqualTo(from);
        assertThat(plan.path("until").asText())
                .isEqualTo(Instant.parse(from).plus(Duration.ofHours(12)).toString());
        assertThat(plan.path("class").asText()).isEqualTo("facility");
        assertThat(http.get("/v1/hosts/node1")
                        .json()
                        .path("planned")
                        .get(0)
                        .path("ticket")
                        .asText())
                .isEqualTo("OPS-881");
        assertThat(http.get("/v1/holds?ticket=OPS-882").json().path("planned")).isEmpty();
        assertThat(http.send("DELETE", "/v1/holds?targets=node1", "").status()).isEqualTo(409);
        assertThat(http.send("DELETE", "/v1/holds?planned=true&targets=" + Http.escaped("node[1-2]"), "")
                        .status())
                .isEqualTo(200);
        assertThat(http.get("/v1/holds").json().path("planned")).isEmpty();
    }

    @Test
    void requestsWithTheSameIdempotencyKeyAreOneChange() throws IOException {
        String hold = "{\"targets\":\"node1\",\"reason\":\"fan\"}";
        long seq = http.post("/v1/holds", KEY, hold).json().path("seq").asLong();
        Http.Reply again = http.post("/v1/holds", KEY, hold);
        assertThat(again.json().path("seq").asLong()).isEqualTo(seq).isEqualTo(seq());
        Http.Reply other = http.post("/v1/holds", KEY, "{\"targets\":\"node2\"}");
        assertThat(other.status()).isEqualTo(422);
        assertThat(other.detail()).contains("belongs to another change already, seq " + seq);
        Http.Reply unkeyed = http.post("/v1/holds", hold);
        assertThat(unkeyed.status()).isEqualTo(409);
        assertThat(unkeyed.detail()).startsWith("node1 (rank 1) already drained - admin: fan (root, ");
    }

    @Test
    void aRepetitionIsAnsweredEvenIfItsExpressionMatchesOtherHostsNow() throws IOException {
        String hold = "{\"targets\":\"@{node and not state=down}\",\"reason\":\"power\"}";
        long seq = http.post("/v1/holds", KEY, hold).json().path("seq").asLong();
        assertThat(held()).isEqualTo("node[0-8]");
        Http.Reply again = http.post("/v1/holds", KEY, hold);
        assertThat(again.status()).as(again.text()).isEqualTo(200);
        assertThat(again.json().path("seq").asLong()).isEqualTo(seq).isEqualTo(seq());
    }

    @Test
    void aRepetitionIsAnsweredAfterARestart() throws Exception {
        String hold = "{\"targets\":\"node1\",\"reason\":\"fan\"}";
        long seq = http.post("/v1/holds", KEY, hold).json().path("seq").asLong();
        daemon.close();
        daemon = RunningDaemon.start(directory, ApiTest.RESOURCES);
        assertThat(http.post("/v1/holds", KEY, hold).json().path("seq").asLong())
                .isEqualTo(seq);
    }

    @ParameterizedTest
    @CsvSource({
        "'node[1,3]', 'node[1,3]'",
        "'2-3', 'node[2-3]'",
        "'@batch', 'node[0-3]'",
        "'all', 'node[0-6]'",
        "'@{node and rank>=5}', 'node[5-6]'",
        "'@{gpu in node4},node1', 'node[1,4]'",
        "'/cluster0/node6/gpu0', 'node6'",
    })
    void targetsHaveTheFormsOfTheCommand(String targets, String held) throws Exception {
        daemon.reconfigure("[resource]\nexclude = \"node[7-8]\"\n" + ApiTest.RESOURCES);
        Http.Reply reply = http.post("/v1/holds", "{\"targets\":\"" + targets + "\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(held()).isEqualTo(held);
        assertThat(http.send("DELETE", "/v1/holds?mode=update&targets=" + Http.escaped(targets), "")
                        .status())
                .isEqualTo(200);
        assertThat(held()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "@{node and rank>=50}, 404, finds no host",
        "@gold, 404, gold",
        "@{node and (}, 422, expression",
        "@{node, 422, the brace is not closed",
        "node99, 404, node99",
        "'node[1-', 422, node",
        "/cluster0/nowhere, 422, there is no path /cluster0/nowhere",
    })
    void targetsThatFindNothingAreRefused(String targets, int status, String sentence) throws IOException {
        Http.Reply reply = http.post("/v1/holds", "{\"targets\":\"" + targets + "\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.detail()).contains(sentence);
        assertThat(held()).isEmpty();
    }

    @Test
    void aDryRunChangesNothing() throws IOException {
        long seq = seq();
        JsonNode dry = http.post("/v1/holds?dry-run", "{\"targets\":\"@{node and rank<2}\",\"reason\":\"x\"}")
                .json();
        assertThat(dry.path("dry_run").asBoolean()).isTrue();
        assertThat(dry.path("events").get(0).path("context").path("nodelist").asText())
                .isEqualTo("node[0-1]");
        assertThat(seq()).isEqualTo(seq);
        assertThat(http.send("DELETE", "/v1/holds?targets=1&dry-run=true", "").status())
                .isEqualTo(409);
    }

    @Test
    void ifMatchRefusesAChangeIfTheInventoryHasChanged() throws IOException {
        String tag = http.get("/v1/hosts/node1").header("etag");
        String condition = "If-Match: " + tag + "\r\n";
        String hold = "{\"targets\":\"node1\",\"reason\":\"x\"}";
        assertThat(http.post("/v1/holds", condition + KEY, hold).status()).isEqualTo(200);
        assertThat(http.post("/v1/holds", condition + KEY, hold).status())
                .as("the same change again")
                .isEqualTo(200);
        Http.Reply stale = http.post("/v1/holds", condition, "{\"targets\":\"node2\"}");
        assertThat(stale.status()).isEqualTo(412);
        assertThat(stale.detail()).startsWith("the inventory has changed since sequence number");
        assertThat(http.send("DELETE", "/v1/holds?targets=node1", condition).status())
                .isEqualTo(412);
        assertThat(http.post("/v1/holds", "If-Match: \"nonsense\"\r\n", hold).text())
                .contains("\"status\":400", "\"errno\":\"EPROTO\"");
        assertThat(held()).isEqualTo("node1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | 400 | targets is missing",
                "{\"targets\":1} | 400 | /targets must be a string: name ranks",
                "{\"targets\":\"0\",\"id\":\"x\"} | 400 | /id is not a key of this request",
                "{\"targets\":\"0\",\"reason\":7} | 400 | /reason",
                "{\"targets\":\"0\",\"until\":\"soon\"} | 400 | /until must be a time by RFC 3339",
                "{\"targets\":\"0\",\"until\":5} | 422 | is not in the future",
                "{\"targets\":\"0\",\"until\":\"2999-01-01T00:00:00Z\"} | 422 | the hold lasts more than 5 years: check the year, or give no end",
                "{\"targets\":\"0\",\"from\":\"tomorrow\"} | 400 | /from must be a time by RFC 3339",
                "{\"targets\":\"0\",\"for\":\"soon\"} | 400 | /for must be a duration, such as 90m, 12h or 7d, or a number of seconds",
                "{\"targets\":\"0\",\"for\":-5} | 422 | is not in the future",
                "{\"targets\":\"0\",\"for\":60,\"until\":\"2999-01-01T00:00:00Z\"} | 400 | /for and /until must not both be given",
                "{\"targets\":\"0\",\"mode\":\"hard\"} | 422 | Invalid mode specified",
                "{\"targets\":\"0\",\"targets\":\"1\"} | 400 | twice in one object",
                "{\"targets\":\"0\"} x | 400 | payload is not JSON",
                "[] | 400 | not an object",
            })
    void anInvalidBodyIsRefusedEntirely(String body, int status, String sentence) throws IOException {
        Http.Reply reply = http.post("/v1/holds", body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.detail()).contains(sentence);
        assertThat(reply.json().path("errno").asText()).isEqualTo(status == 400 ? "EPROTO" : "EINVAL");
        assertThat(held()).isEmpty();
    }

    @Test
    void aHoldOnHostsThatAreOthersThanThoseOfTheDryRunIsRefused() throws Exception {
        Http.Reply dry = http.post("/v1/holds?dry-run", "{\"targets\":\"0-1\"}");
        String hosts = dry.json().path("hosts").asText();
        assertThat(hosts).isEqualTo("node[0-1]");
        String hold = "{\"targets\":\"0-1\",\"expect\":\"" + hosts + "\"}";
        daemon.reconfigure(ApiTest.RESOURCES.replace("node[0-8]", "node[8,0-7]"));
        Http.Reply refused = http.post("/v1/holds", hold);
        assertThat(refused.status()).isEqualTo(412);
        assertThat(refused.detail()).contains("now node8, no longer node1");
        assertThat(held()).isEmpty();
        Http.Reply digest = http.post(
                "/v1/holds",
                "{\"targets\":\"0-1\",\"expect\":\"" + Expected.digest(Hostlist.parse("node[0,8]")) + "\"}");
        assertThat(digest.status()).isEqualTo(200);
        assertThat(http.post("/v1/holds", hold.replace("expect", "expects")).status())
                .isEqualTo(400);
        for (String wrong : new String[] {"", "node["}) {
            Http.Reply malformed = http.post("/v1/holds", "{\"targets\":\"0-1\",\"expect\":\"" + wrong + "\"}");
            assertThat(malformed.status()).isEqualTo(400);
            assertThat(malformed.detail()).startsWith("resource.drain: /expect ");
        }
    }

    @Test
    void anIdempotencyKeyIsPrintableAsciiOfAtMost64CharactersAndARepetitionHasTheSameAnswer() throws Exception {
        String hold = "{\"targets\":\"0\",\"reason\":\"fan\",\"for\":\"2h\"}";
        String key = "Idempotency-Key: ticket #17 ~" + "x".repeat(52) + "\r\n";
        Http.Reply first = http.post("/v1/holds", key, hold);
        assertThat(first.json().path("hosts").asText()).as(first.text()).isEqualTo("node0");
        assertThat(http.post("/v1/holds", key, hold).text()).isEqualTo(first.text());
        daemon.close();
        daemon = RunningDaemon.start(directory, ApiTest.RESOURCES);
        long seq = first.json().path("seq").asLong();
        assertThat(http.post("/v1/holds", key, hold).text())
                .isEqualTo("{\"schema_version\":1,\"done\":true,\"changed\":true,\"seq\":" + seq
                        + ",\"repeated\":true}\n");
        for (String wrong : new String[] {"x".repeat(65), "", "\"\"", "caf\u00e9", "a\tb"}) {
            Http.Reply refused = http.post("/v1/holds", "Idempotency-Key: " + wrong + "\r\n", hold);
            assertThat(refused.text()).as(wrong).contains("\"status\":400", "\"errno\":\"EPROTO\"");
            assertThat(refused.detail())
                    .isEqualTo("Idempotency-Key must have 1 to 64 characters of printable ASCII, such as a UUID");
        }
    }

    @Test
    void aHoldForATimeEndsByItself() throws IOException {
        Instant now = Instant.parse(http.get("/v1/service").json().path("time").asText());
        for (String lasts : new String[] {"\"90m\"", "5400", "\"5400\""}) {
            http.post("/v1/holds", "{\"targets\":\"node1\",\"mode\":\"overwrite\",\"for\":" + lasts + "}");
            JsonNode hold = http.get("/v1/hosts/node1").json().path("holds").path(0);
            Instant end = Instant.parse(hold.path("until").asText());
            assertThat(end).as(lasts).isBetween(now.plusSeconds(5399), now.plusSeconds(9000));
        }
    }

    @Test
    void aForcedDeleteWithoutAHolderEndsOnlyTheHoldsOfAdmin() throws IOException {
        assertThat(http.post("/v1/holds", "{\"targets\":\"node1\",\"reason\":\"x\"}")
                        .status())
                .isEqualTo(200);
        assertThat(http.post("/v1/holds", "{\"targets\":\"node1\",\"reason\":\"y\",\"holder\":\"ops\"}")
                        .status())
                .isEqualTo(200);
        assertThat(http.send("DELETE", "/v1/holds?targets=node1&mode=force-overwrite", "")
                        .status())
                .isEqualTo(200);
        assertThat(http.get("/v1/holds").text()).contains("ops").doesNotContain("\"x\"");
    }
}
