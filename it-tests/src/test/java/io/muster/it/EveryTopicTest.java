package io.muster.it;

import static io.muster.it.Wire.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Peer;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.client.SentRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests every method of the protocol, with requests that succeed and that are refused, on one daemon. Each test restores the inventory. */
@Timeout(600)
class EveryTopicTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration NOT_LONG = Duration.ofMillis(100);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path directory;

    private static DaemonProcess daemon;
    private FluxClient client;

    @BeforeAll
    static void start() {
        daemon = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-15]"))
                .start()
                .expect("denied topic=");
    }

    @AfterAll
    static void stop() {
        daemon.close();
    }

    @BeforeEach
    void connect() throws IOException {
        client = daemon.connect();
        awaitFree(client);
    }

    @AfterEach
    void disconnect() throws IOException {
        client.close();
    }

    private ObjectNode ask(String topic, String json) throws IOException {
        return client.rpc(topic, json(json));
    }

    private ObjectNode status() throws IOException {
        return client.rpc("resource.status", null);
    }

    private static void refused(Errno errno, String sentence, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessageContaining(sentence);
    }

    private ResponseStream acquire() throws IOException {
        ResponseStream stream = client.stream("resource.acquire", null);
        ObjectNode first = stream.next();
        assertThat(first.fieldNames()).toIterable().containsExactly("resources", "up");
        return stream;
    }

    /** Waits until the daemon has freed the acquisition, which happens soon after the connection ends, but not at once. */
    private static void awaitFree(FluxClient by) throws IOException {
        ObjectNode state = by.rpc("resource.state", null);
        while (!state.path("schedulers").isEmpty()) {
            state = by.rpc("resource.state", null);
        }
    }

    @Test
    void aSecondAcquireIsRefusedWithThePidOfTheFirst() throws IOException {
        ResponseStream stream = acquire();
        try (FluxClient other = daemon.connect()) {
            refused(
                    Errno.EBUSY,
                    "pid " + ProcessHandle.current().pid() + " since ",
                    () -> other.stream("resource.acquire", null).hasNext());
            stream.cancel();
            assertThat(stream.hasNext()).isFalse();
            try (ResponseStream free = other.stream("resource.acquire", null)) {
                assertThat(free.next().path("up").asText()).isEqualTo("0-15");
            }
        }
    }

    @Test
    void closingTheConnectionEndsTheAcquisition() throws IOException {
        try (FluxClient other = daemon.connect()) {
            assertThat(other.stream("resource.acquire", null).next().has("up")).isTrue();
        }
        awaitFree(client);
        acquire().close();
    }

    @Test
    void aDisconnectRequestEndsTheAcquisition() throws IOException {
        acquire();
        client.send("resource.disconnect", null);
        acquire().close();
    }

    @Test
    void acquireNeedsTheStreamingFlag() {
        refused(Errno.EPROTO, "streaming RPC flag", () -> client.rpc("resource.acquire", null));
    }

    @Test
    void cancellingEndsTheStreamWithECanceled() throws IOException {
        try (Peer raw = Peer.welcomed(daemon.socket())) {
            raw.send(Peer.acquire(1));
            assertThat(Objects.requireNonNull(raw.receive()).errnum()).isZero();
            raw.send(Peer.request("resource.acquire-cancel", "{\"matchtag\":1}", Header.NORESPONSE, 0));
            Response end = Objects.requireNonNull(raw.receive());
            assertThat(end.errnum()).isEqualTo(Errno.ECANCELED.value());
            assertThat(end.matchtag()).isEqualTo(1);
        }
    }

    @Test
    void aMutedSchedulerIsSentNoUpdates() throws IOException {
        try (ResponseStream stream = acquire()) {
            ask("resource.acquire-mute", "{}");
            ask("resource.drain", "{'targets':'1'}");
            assertThat(stream.await(NOT_LONG)).isFalse();
            ask("resource.undrain", "{'targets':'1'}");
        }
    }

    @Test
    void statusHasTheKeysOfFluxCore() throws IOException {
        assertThat(status().fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("R", "drain", "online", "offline", "exclude", "torpid");
        assertThat(status().path("online").asText()).isEqualTo("0-15");
    }

    @Test
    void schedStatusShowsDrainedRanksAsDown() throws IOException {
        ask("resource.drain", "{'targets':'1-2'}");
        ObjectNode answer = client.rpc("resource.sched-status", null);
        assertThat(answer.at("/down/execution/R_lite/0/rank").asText()).isEqualTo("1-2");
        assertThat(answer.at("/all/execution/R_lite/0/rank").asText()).isEqualTo("0-15");
        assertThat(answer.at("/allocated/execution/R_lite")).isEmpty();
        ask("resource.undrain", "{'targets':'1-2'}");
    }

    @Test
    void getReturnsRAndItsSource() throws IOException {
        ObjectNode answer = client.rpc("resource.get", null);
        assertThat(answer.path("method").asText()).isIn("configuration", "reload");
        assertThat(answer.at("/R/execution/nodelist/0").asText()).isEqualTo("node[0-15]");
    }

    @Test
    void drainAndUndrainChangeTheStatusAndUpdateTheScheduler() throws IOException {
        try (ResponseStream stream = acquire()) {
            ask("resource.drain", "{'targets':'node3','reason':'bad dimm'}");
            assertThat(stream.next()).isEqualTo(json("{'down':'3'}"));
            assertThat(status().at("/drain/3/reason").asText()).isEqualTo("bad dimm");
            refused(
                    Errno.EEXIST,
                    "rank 3 already drained: node3",
                    () -> ask("resource.drain", "{'targets':'2-3','reason':'x'}"));
            assertThat(status().at("/drain").size()).as("whole or not at all").isEqualTo(1);
            ask("resource.undrain", "{'targets':'3'}");
            assertThat(stream.next()).isEqualTo(json("{'up':'3'}"));
            refused(Errno.EEXIST, "rank 3 not drained: node3", () -> ask("resource.undrain", "{'targets':'3'}"));
        }
    }

    @Test
    void drainRefusesUnknownAndMissingTargets() {
        refused(Errno.EINVAL, "node99", () -> ask("resource.drain", "{'targets':'node99'}"));
        refused(Errno.EINVAL, "", () -> ask("resource.drain", "{'targets':'99'}"));
        refused(Errno.EPROTO, "/targets is missing", () -> ask("resource.drain", "{}"));
        refused(Errno.EPROTO, "without a payload", () -> client.rpc("resource.drain", null));
    }

    @Test
    void holdsOfDifferentHoldersAreIndependent() throws IOException {
        ask("resource.drain", "{'targets':'4','holder':'health','reason':'fan'}");
        ask("resource.drain", "{'targets':'4','reason':'board'}");
        ask("resource.undrain", "{'targets':'4'}");
        assertThat(status().at("/drain/4").isMissingNode()).isFalse();
        refused(Errno.EBUSY, "held by health", () -> ask("resource.undrain", "{'targets':'4'}"));
        ask("resource.undrain", "{'targets':'4','holder':'health'}");
        assertThat(status().at("/drain")).isEmpty();
    }

    @Test
    void aHoldEndsAtItsTimeLimit() throws IOException {
        try (ResponseStream stream = acquire()) {
            drainForAMoment("5");
            assertThat(stream.next()).isEqualTo(json("{'down':'5'}"));
            assertThat(stream.await(PATIENCE)).isTrue();
            assertThat(stream.next()).isEqualTo(json("{'up':'5'}"));
        }
        refused(Errno.EINVAL, "not in the future", () -> ask("resource.drain", "{'targets':'5','until':1}"));
    }

    /** Drains a rank with a time limit. The time may be over before the daemon reads the request, so longer times are tried. */
    private void drainForAMoment(String rank) throws IOException {
        for (double seconds = 0.3; seconds < 100; seconds *= 2) {
            double until = System.currentTimeMillis() / 1000.0 + seconds;
            try {
                ask("resource.drain", "{'targets':'" + rank + "','until':" + until + "}");
                return;
            } catch (RpcException late) {
                assertThat(late).hasMessageContaining("not in the future");
            }
        }
        throw new AssertionError("no moment was long enough");
    }

    @Test
    void excludeAndIncludeChangeTheStatusAndUpdateTheScheduler() throws IOException {
        try (ResponseStream stream = acquire()) {
            ask("resource.exclude", "{'targets':'6','reason':'loan'}");
            assertThat(stream.next()).isEqualTo(json("{'down':'6'}"));
            assertThat(status().path("exclude").asText()).isEqualTo("6");
            refused(Errno.EINVAL, "excluded", () -> ask("resource.drain", "{'targets':'6'}"));
            refused(Errno.EINVAL, "node99", () -> ask("resource.include", "{'targets':'node99'}"));
            ask("resource.include", "{'targets':'6'}");
            assertThat(stream.next()).isEqualTo(json("{'up':'6'}"));
        }
    }

    @Test
    void propertiesAreAddedAndRemoved() throws IOException {
        try (ResponseStream stream = acquire()) {
            ask("resource.property-add", "{'properties':{'gpu':'7-8'}}");
            assertThat(stream.next()).isEqualTo(json("{'property-add':{'gpu':'7-8'}}"));
            ask("resource.property-remove", "{'properties':{'gpu':'7-8'}}");
            assertThat(stream.next()).isEqualTo(json("{'property-remove':{'gpu':'7-8'}}"));
        }
        refused(Errno.EINVAL, "illegal character", () -> ask("resource.property-add", "{'properties':{'a^b':'7'}}"));
        refused(Errno.EPROTO, "/properties", () -> ask("resource.property-remove", "{}"));
    }

    @Test
    void notesAreSetAndRemovedWithoutUpdatesForSchedulers() throws IOException {
        try (ResponseStream stream = acquire()) {
            assertThat(ask(
                                    "resource.annotate",
                                    "{'paths':['/cluster0/node[1-2]'],'mark':{'state':'failing','reason':'x'}}")
                            .path("vertices"))
                    .isEqualTo(json("{'':'1-2'}"));
            ask("resource.annotate", "{'targets':'1','mark':{'state':null}}");
            assertThat(ask("resource.state", "{}").at("/state/notes/0/idset").asText())
                    .isEqualTo("2");
            ask("resource.drain", "{'targets':'3'}");
            assertThat(stream.next()).isEqualTo(json("{'down':'3'}"));
            ask("resource.undrain", "{'targets':'3'}");
            ask("resource.annotate", "{'targets':'2','mark':{'state':null}}");
        }
        refused(
                Errno.EINVAL,
                "no vertex has the path",
                () -> ask("resource.annotate", "{'paths':['/nowhere'],'tag':{'a':''}}"));
    }

    @Test
    void reportsOfLivenessChangeTheStatusAndUpdateTheScheduler() throws IOException {
        try (ResponseStream stream = acquire()) {
            ask("resource.torpid", "{'targets':'9'}");
            assertThat(status().path("torpid").asText()).isEqualTo("9");
            assertThat(stream.next()).isEqualTo(json("{'down':'9'}"));
            ask("resource.lively", "{'targets':'9'}");
            assertThat(stream.next()).isEqualTo(json("{'up':'9'}"));
            ask("resource.offline", "{'targets':'9','cause':'power'}");
            assertThat(stream.next()).isEqualTo(json("{'down':'9'}"));
            assertThat(status().path("offline").asText()).isEqualTo("9");
            ask("resource.online", "{'targets':'9'}");
            assertThat(stream.next()).isEqualTo(json("{'up':'9'}"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"online", "offline", "torpid", "lively", "exclude", "include", "shrink"})
    void everyVerbRefusesMissingAndUnknownTargets(String verb) {
        refused(Errno.EPROTO, "/targets is missing", () -> ask("resource." + verb, "{}"));
        refused(Errno.EINVAL, "node99", () -> ask("resource." + verb, "{'targets':'node99'}"));
    }

    @Test
    void forceDownMakesRanksOfflineAndWaitupWaitsForThem() throws IOException {
        ask("resource.monitor-force-down", "{'ranks':'10'}");
        assertThat(status().path("offline").asText()).isEqualTo("10");
        SentRequest wait = client.call("resource.monitor-waitup", json("{'up':16}"));
        try (FluxClient other = daemon.connect()) {
            other.rpc("resource.online", json("{'targets':'10'}"));
        }
        assertThat(wait.get(PATIENCE)).isEmpty();
        assertThat(ask("resource.monitor-waitup", "{'up':1}")).isEmpty();
        refused(Errno.EPROTO, "up value is out of range", () -> ask("resource.monitor-waitup", "{'up':17}"));
        refused(Errno.EPROTO, "/ranks", () -> ask("resource.monitor-force-down", "{}"));
    }

    @Test
    void expirationIsUpdated() throws IOException {
        try (ResponseStream stream = acquire()) {
            ask("resource.expiration-update", "{'expiration':2000000000.5}");
            assertThat(stream.next()).isEqualTo(json("{'expiration':2000000000.5}"));
            ask("resource.expiration-update", "{'expiration':0}");
            assertThat(stream.next().path("expiration").asDouble()).isZero();
        }
        refused(Errno.EINVAL, "expiration", () -> ask("resource.expiration-update", "{'expiration':-1}"));
        refused(Errno.EPROTO, "/expiration", () -> ask("resource.expiration-update", "{}"));
    }

    @Test
    void reloadReplacesRUnlessAnAcquisitionIsOpen() throws IOException {
        JsonNode before = client.rpc("resource.get", null).path("R");
        Path old = Files.writeString(directory.resolve("old.json"), before.toString());
        Path other = Files.writeString(
                directory.resolve("new.json"), before.toString().replace("node[0-15]", "blade[0-15]"));
        ResponseStream held = acquire();
        refused(Errno.EBUSY, "resources are busy", () -> reload(other));
        held.cancel();
        assertThat(held.hasNext()).isFalse();
        reload(other);
        assertThat(ask("attr.get", "{'name':'hostlist'}").path("value").asText())
                .isEqualTo("blade[0-15]");
        reload(old);
        refused(Errno.ENOENT, "/nonexistent", () -> reload(Path.of("/nonexistent")));
        Path bad = Files.writeString(directory.resolve("bad.json"), "{\"version\":1}");
        refused(Errno.EINVAL, bad.toString(), () -> reload(bad));
    }

    private ObjectNode reload(Path file) throws IOException {
        return ask("resource.reload", "{'path':'" + file + "','xml':false,'force':false}");
    }

    @Test
    void theJournalSendsPastAndNewEvents() throws IOException {
        try (ResponseStream stream = client.stream("resource.journal", json("{}"))) {
            JsonNode batch = stream.next();
            assertThat(batch.at("/events/0/name").asText()).isEqualTo("resource-define");
            assertThat(batch.has("R")).isTrue();
            while (!batch.path("events").isEmpty()) {
                batch = stream.next();
            }
            ask("resource.drain", "{'targets':'11','reason':'now'}");
            JsonNode live = stream.next();
            assertThat(live.at("/events/0/name").asText()).isEqualTo("drain");
            assertThat(live.at("/events/0/context/nodelist").asText()).isEqualTo("node11");
            ask("resource.undrain", "{'targets':'11'}");
        }
        try (ResponseStream stream = client.stream("resource.journal", json("{'since':0}"))) {
            assertThat(stream.next().at("/events/0/seq").asLong()).isEqualTo(1);
        }
        try (ResponseStream stream = client.stream("resource.journal", json("{'since':'1'}"))) {
            refused(Errno.EPROTO, "/since must be an integer", stream::next);
        }
        refused(Errno.EPROTO, "journal requires streaming RPC flag", () -> client.rpc("resource.journal", null));
    }

    @Test
    void historyIsOneDocument() throws IOException {
        ask("resource.drain", "{'targets':'13','reason':'past'}");
        ask("resource.undrain", "{'targets':'13'}");
        JsonNode interval =
                client.rpc("resource.history", json("{'targets':'node13'}")).at("/intervals/0");
        assertThat(interval.path("reason").asText()).isEqualTo("past");
        assertThat(interval.path("hosts").asText()).isEqualTo("node13");
        refused(Errno.EPROTO, "/targets must be a string", () -> client.rpc("resource.history", json("{'targets':1}")));
        refused(Errno.EPROTO, "", () -> client.rpc("resource.history", json("{'targets':'node['}")));
    }

    private static String jobOf(int nodes) {
        return "{'jobspec':{'version':1,'resources':[{'type':'node','count':" + nodes
                + ",'with':[{'type':'slot','count':1,'label':'s','with':[{'type':'core','count':4}]}]}],"
                + "'tasks':[{'command':['true'],'slot':'s','count':{'per_slot':1}}],"
                + "'attributes':{'system':{'duration':60}}}}";
    }

    @Test
    void findReturnsPathsAndHosts() throws IOException {
        ObjectNode found = ask("resource.find", "{'expr':'core0 in node[3-4]','output':'paths'}");
        assertThat(found.path("paths")).hasToString("[\"/cluster0/node3/core0\",\"/cluster0/node4/core0\"]");
        assertThat(found.path("hosts").asText()).isEqualTo("node[3-4]");
        refused(Errno.EINVAL, "expected a term at position 8", () -> ask("resource.find", "{'expr':'node and'}"));
    }

    @Test
    void feasibilityIsChecked() throws IOException {
        assertThat(ask("feasibility.check", jobOf(16))).isEmpty();
        assertThatThrownBy(() -> ask("feasibility.check", jobOf(17)))
                .isInstanceOf(RpcException.class)
                .hasMessageContaining("17");
        refused(Errno.EPROTO, "without a payload", () -> client.rpc("feasibility.check", null));
    }

    @Test
    void aDryRunChangesNothing() throws IOException {
        try (ResponseStream stream = acquire()) {
            ObjectNode answer = ask("resource.drain", "{'targets':'12','dry-run':true}");
            assertThat(answer.at("/updates/0/update")).isEqualTo(json("{'down':'12'}"));
            assertThat(stream.await(NOT_LONG)).isFalse();
            assertThat(status().at("/drain")).isEmpty();
        }
    }

    @Test
    void requestsToOtherServicesOfABrokerAreAnswered() throws IOException {
        assertThat(ask("attr.get", "{'name':'size'}").path("value").asText()).isEqualTo("16");
        refused(Errno.ENOENT, "nosuch", () -> ask("attr.get", "{'name':'nosuch'}"));
        assertThat(client.rpc("attr.list", null).path("names")).isNotEmpty();
        assertThat(client.rpc("config.get", null).at("/resource/config/0/hosts").asText())
                .isEqualTo("node[0-15]");
        assertThat(ask("resource.ping", "{'seq':1}").path("seq").asInt()).isEqualTo(1);
        assertThat(client.rpc("resource.stats-get", null).path("ranks").asInt()).isEqualTo(16);
        assertThat(ask("resource.clock-accept", "{}").path("trouble").asText("?"))
                .isEmpty();
        client.send("log.append", null);
        assertThat(ask("resource.introduce", "{'userid':4321,'name':'eve'}")).isEmpty();
        refused(Errno.EINVAL, "the name of a user", () -> ask("resource.introduce", "{'userid':4321,'name':'e/ve'}"));
        refused(Errno.ENOENT, "serves no page", () -> ask("resource.web", "{'right':'read','lifetime':60}"));
        refused(Errno.ENOSYS, "No service matching", () -> client.rpc("job-manager.stats-get", null));
        refused(Errno.ENOSYS, "Unknown service method 'resource.nosuch'", () -> client.rpc("resource.nosuch", null));
    }

    /** The owner may send as a guest, as in flux-core; {@link ProcessTest} uses a real guest. */
    @Test
    void aGuestMayOnlyRead() throws IOException {
        Credentials guest = new Credentials(4321, Credentials.USER);
        List<String> forbidden = List.of(
                "acquire",
                "acquire-mute",
                "introduce",
                "drain",
                "undrain",
                "exclude",
                "include",
                "shrink",
                "property-add",
                "property-remove",
                "annotate",
                "online",
                "offline",
                "torpid",
                "lively",
                "monitor-force-down",
                "expiration-update",
                "reload",
                "clock-accept",
                "upgrade-finish",
                "history",
                "journal");
        try (Peer raw = Peer.welcomed(daemon.socket())) {
            for (String method : forbidden) {
                raw.send(Peer.request("resource." + method, "{}", Header.STREAMING, 1)
                        .with(guest));
                Response response = Objects.requireNonNull(raw.receive());
                assertThat(response.errnum()).as(method).isEqualTo(Errno.EPERM.value());
            }
            for (String topic : List.of("resource.status", "resource.sched-status", "resource.get", "attr.list")) {
                raw.send(Peer.request(topic, "", 0, 2).with(guest));
                assertThat(Objects.requireNonNull(raw.receive()).errnum())
                        .as(topic)
                        .isZero();
            }
        }
    }

    @Test
    void aNewStateDirectoryHasTheNewestFormatLevelAndNeedsNoUpgrade() throws IOException {
        assertThat(ask("resource.upgrade-status", "{}"))
                .isEqualTo(json("{'written':1,'oldest':1,'newest':1,'permits':[]}"));
        ask("resource.upgrade-finish", "{}");
        assertThat(ask("resource.upgrade-status", "{}").path("written").asInt()).isEqualTo(1);
    }

    @Test
    void bytesThatAreNoMessageEndOnlyTheirConnection() throws IOException {
        daemon.expect("closed: not a Flux message");
        try (Peer raw = Peer.welcomed(daemon.socket())) {
            raw.send(ByteBuffer.wrap(new byte[] {'G', 'E', 'T'}));
            assertThat(raw.receive()).isNull();
        }
        assertThat(status().has("R")).isTrue();
    }
}
