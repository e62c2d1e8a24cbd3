package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.daemon.RunningDaemon;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Server-sent events of the journal. */
@Timeout(300)
final class EventsTest {
    @TempDir
    private Path directory;

    private RunningDaemon daemon;
    private Http http;
    private final List<SocketChannel> open = new ArrayList<>();

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

    private long drain(String targets) throws IOException {
        Http.Reply reply = http.post("/v1/holds", "{\"targets\":\"" + targets + "\",\"reason\":\"bad fan\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json().path("seq").asLong();
    }

    private BufferedReader follow(String query, String headers) throws IOException {
        SocketChannel channel = http.connect();
        open.add(channel);
        Http.write(channel, "GET /v1/events" + query + " HTTP/1.1\r\nHost: muster\r\n" + headers + "\r\n");
        BufferedReader in =
                new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
        assertThat(in.readLine()).isEqualTo("HTTP/1.1 200 OK");
        for (String line = in.readLine(); !Objects.requireNonNull(line).isEmpty(); line = in.readLine()) {
            assertThat(line).doesNotStartWith("content-length");
        }
        return in;
    }

    @Test
    void aUserHasALimitedNumberOfReadersAndNobodyElseNotices() throws Exception {
        for (int i = 0; i < 32; i++) {
            follow("", "");
        }
        for (int i = 0; i < 100; i++) {
            Http.Reply refused = http.get("/v1/events");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("retry-after")).isEqualTo("1");
            assertThat(refused.detail())
                    .endsWith(" has 32 readers of events (muster.max-readers) already, which is the limit");
        }
        assertThat(daemon.metrics()).contains("muster_limited_total{limit=\"readers\"} 100.0");
        assertThat(http.get("/v1/status").status()).isEqualTo(200);
        open.remove(0).close();
        await().atMost(Duration.ofMinutes(2)).until(() -> readers() < 32);
        follow("", "");
    }

    private int readers() throws IOException {
        return http.get("/v1/daemon").json().path("event_readers").asInt();
    }

    /** An event as the EventSource of a browser receives it. */
    private record Event(long id, String name, JsonNode data) {
        static Event next(BufferedReader in) throws IOException {
            long id = -1;
            String name = "";
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("id: ")) {
                    id = Long.parseLong(line.substring(4));
                } else if (line.startsWith("event: ")) {
                    name = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    return new Event(id, name, JsonMapper.builder().build().readTree(line.substring(6)));
                }
            }
            throw new AssertionError("the stream has ended");
        }
    }

    @Test
    void theStreamHasTheEventsOfTheJournal() throws IOException {
        BufferedReader all = follow("?since=0", "");
        Event define = Event.next(all);
        assertThat(define.id()).isEqualTo(1);
        assertThat(define.name()).isEqualTo("resource-define");
        assertThat(define.data().path("context").has("R")).as("/v1/R has it").isFalse();
        assertThat(Event.next(all).name()).isEqualTo("restart");
        long seq = drain("node1");
        Event drain = Event.next(all);
        assertThat(drain.id()).isEqualTo(seq);
        assertThat(drain.name()).isEqualTo(drain.data().path("name").asText()).isEqualTo("drain");
        assertThat(drain.data().path("context").path("nodelist").asText()).isEqualTo("node1");
        assertThat(drain.data().path("context").path("reason").asText()).isEqualTo("bad fan");
    }

    @Test
    void aReaderResumesWithoutAGapEvenAfterARestart() throws Exception {
        long first = drain("node1");
        assertThat(Event.next(follow("", "Last-Event-ID: " + (first - 1) + "\r\n"))
                        .id())
                .isEqualTo(first);
        long second = drain("node2");
        daemon.close();
        daemon = RunningDaemon.start(directory, ApiTest.RESOURCES);
        BufferedReader resumed = follow("?since=0", "Last-Event-ID: " + first + "\r\n");
        assertThat(Event.next(resumed).id()).isEqualTo(second);
        assertThat(Event.next(resumed).name()).isEqualTo("restart");
    }

    @Test
    void aReaderResumesWithoutAGapIfASnapshotHasTheEvents() throws Exception {
        String often = "snapshot-every = 1\n" + ApiTest.RESOURCES;
        daemon.close();
        daemon = RunningDaemon.start(directory, often);
        long first = drain("node1");
        long second = drain("node2");
        daemon.close();
        daemon = RunningDaemon.start(directory, often);
        assertThat(Event.next(follow("?since=0", "")).name()).isEqualTo("resource-define");
        BufferedReader resumed = follow("?since=" + first, "");
        assertThat(Event.next(resumed).id()).isEqualTo(second);
        assertThat(Event.next(resumed).name()).isEqualTo("restart");
    }

    @Test
    void discardedEventsAreReportedAsAGap() throws Exception {
        daemon.close();
        String few = "[resource]\njournal-max = 3\n" + ApiTest.RESOURCES;
        daemon = RunningDaemon.start(directory, few);
        long last = 0;
        for (int i = 0; i < 9; i++) {
            last = drain("node" + i);
        }
        BufferedReader late = follow("?since=1", "");
        Event gap = Event.next(late);
        assertThat(gap.name()).isEqualTo("gap");
        assertThat(gap.data().path("first").asLong()).isEqualTo(last - 2);
        assertThat(gap.id())
                .as("resuming from the gap leads to the event after it")
                .isEqualTo(last - 3);
        assertThat(Event.next(late).id()).isEqualTo(last - 2);
        daemon.close();
        daemon = RunningDaemon.start(directory, few);
        assertThat(Event.next(follow("?since=1", "")).name())
                .as("after a restart")
                .isEqualTo("gap");
    }

    @Test
    void theFilterSelectsEventsByName() throws IOException {
        drain("node1");
        http.send("DELETE", "/v1/holds?targets=node1", "");
        assertThat(Event.next(follow("?since=0&filter=undrain,exclude", "")).name())
                .isEqualTo("undrain");
    }

    @Test
    void aReaderWithoutAPositionIsSentOnlyNewEvents() throws IOException {
        drain("node1");
        BufferedReader in = follow("", "");
        assertThat(in.readLine()).isEqualTo("retry: 2000");
        long next = drain("node2");
        assertThat(Event.next(in).id()).isEqualTo(next);
    }

    @Test
    void theDaemonEndsStreamsWhenItStops() throws IOException {
        BufferedReader in = follow("", "");
        daemon.close();
        String line = in.readLine();
        while (line != null) {
            line = in.readLine();
        }
        assertThat(line).isNull();
    }
}
