package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JournalStreamsTest {
    private static final String SENTINEL = "[]";

    private Rig rig = Rig.ofFour();
    private final FakeSink sink = new FakeSink();

    @AfterEach
    void close() {
        rig.close();
    }

    /** Returns each response as the names of its events, with {@code R} if the response includes R. */
    private List<String> read(FakeSink from) {
        List<String> responses = new ArrayList<>();
        for (String text : from.received()) {
            responses.add(summary(text));
        }
        return responses;
    }

    private static String summary(String text) {
        if (!text.startsWith("{")) {
            return text;
        }
        List<String> names = new ArrayList<>();
        try {
            JsonNode response = Json.parse(Bytes.text(text));
            response.path("events")
                    .forEach(event -> names.add(event.path("name").asText()));
            return names + (response.has("R") ? "+R" : "");
        } catch (ProtocolException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void historyIsFollowedByTheSentinelAndThenNewEvents() {
        rig.drain("1");
        rig.journals.follow(sink);
        assertThat(read(sink)).containsExactly("[resource-define, drain]+R", SENTINEL);

        rig.undrain("1");
        rig.drain("2");
        assertThat(read(sink)).containsExactly("[undrain]", "[drain]");
    }

    @Test
    void eventsEqualThoseOfTheJournalExceptThatRIsSeparate() {
        rig.journals.follow(sink);
        String first = sink.received().get(0);
        assertThat(first)
                .startsWith(
                        "{\"events\":[{\"timestamp\":1700000000,\"name\":\"resource-define\",\"context\":{\"method\":"
                                + "\"configuration\",\"initial\":\"online\",")
                .contains("],\"R\":{\"version\":1,");
    }

    @Test
    void eachDefinitionBeginsAResponse() {
        rig.drain("1");
        rig.define(Rig.nodes("node[0-7]"));
        rig.drain("2");
        rig.journals.follow(sink);
        assertThat(read(sink)).containsExactly("[resource-define, drain]+R", "[resource-define, drain]+R", SENTINEL);

        rig.define(Rig.nodes("node[0-5]"));
        assertThat(read(sink)).containsExactly("[resource-define]+R");
    }

    @Test
    void withoutHistoryTheSentinelIsTheFirstResponse() {
        rig.close();
        rig = Rig.empty();
        rig.journals.follow(sink);
        assertThat(read(sink)).containsExactly(SENTINEL);
    }

    @Test
    void discardedEventsAreReportedWithATruncateEvent() {
        rig.close();
        rig = Rig.with(100, 2);
        rig.drain("1");
        rig.drain("2");
        rig.drain("3");
        rig.journals.follow(sink);
        assertThat(read(sink)).containsExactly("[truncate, drain, drain]", SENTINEL);
    }

    @Test
    void aSlowFollowerIsSentMissedEventsInOneResponse() {
        JournalStream stream = rig.journals.follow(sink);
        sink.received();
        sink.writable = false;
        rig.drain("1");
        rig.drain("2");
        assertThat(read(sink)).isEmpty();
        sink.writable = true;
        rig.journals.resume(stream);
        assertThat(read(sink)).containsExactly("[drain, drain]");
    }

    @Test
    void aFollowerThatFellTooFarBehindIsSentATruncateEvent() {
        rig.close();
        rig = Rig.with(100, 2);
        JournalStream stream = rig.journals.follow(sink);
        sink.received();
        sink.writable = false;
        rig.drain("0");
        rig.drain("1");
        rig.drain("2");
        rig.undrain("2");
        sink.writable = true;
        rig.journals.resume(stream);
        assertThat(read(sink)).containsExactly("[truncate, drain, undrain]");
    }

    @Test
    void aFollowerThatIsSlowFromTheStartIsSentOneSentinelAfterTheHistory() {
        sink.writable = false;
        JournalStream stream = rig.journals.follow(sink);
        rig.drain("1");
        assertThat(read(sink)).isEmpty();
        sink.writable = true;
        rig.journals.resume(stream);
        assertThat(read(sink)).containsExactly("[resource-define]+R", SENTINEL, "[drain]");
    }

    @Test
    void aLongHistoryIsSentInSeveralResponses() {
        for (int i = 0; i < 200; i++) {
            rig.drain("1");
            rig.undrain("1");
        }
        rig.journals.follow(sink);
        List<String> texts = sink.received();
        assertThat(texts).hasSizeGreaterThan(2);
        assertThat(texts).allSatisfy(text -> assertThat(text.length()).isLessThan(40_000));
        assertThat(texts.stream().mapToInt(t -> summary(t).split(",").length).sum())
                .isEqualTo(401 + 1);
    }

    @Test
    void keepDiscardsTheOldestEvents() {
        rig.drain("1");
        rig.drain("2");
        rig.journals.keep(1);
        rig.journals.follow(sink);
        assertThat(read(sink)).containsExactly("[truncate, drain]", SENTINEL);
    }

    @Test
    void aFollowerContinuesAfterTheGivenSequenceNumber() {
        rig.drain("1");
        rig.undrain("1");
        rig.journals.follow(sink, 2);
        List<String> texts = sink.received();
        assertThat(texts).hasSize(2);
        assertThat(texts.get(0))
                .startsWith("{\"events\":[{\"seq\":3,\"timestamp\":1700000000,\"name\":\"undrain\",\"context\":{");
        assertThat(summary(texts.get(1))).isEqualTo(SENTINEL);
        rig.drain("2");
        rig.journals.settled();
        assertThat(sink.received()).satisfiesExactly(text -> assertThat(text).startsWith("{\"events\":[{\"seq\":4,"));
    }

    @Test
    void aFollowerThatHasAllEventsIsSentOnlyTheSentinel() {
        rig.drain("1");
        rig.journals.follow(sink, 2);
        assertThat(read(sink)).containsExactly(SENTINEL);
    }

    @Test
    void aTruncateEventHasTheSequenceNumberOfTheNextEvent() {
        rig.close();
        rig = Rig.with(100, 2);
        rig.drain("1");
        rig.drain("2");
        rig.drain("3");
        rig.journals.follow(sink, 1);
        String first = sink.received().get(0);
        assertThat(first)
                .startsWith("{\"events\":[{\"timestamp\":1700000000,\"name\":\"truncate\",\"context\":{\"first\":3}},"
                        + "{\"seq\":3,\"timestamp\":");
        FakeSink other = new FakeSink();
        rig.journals.follow(other, 2);
        assertThat(read(other)).containsExactly("[drain, drain]", SENTINEL);
    }

    @Test
    void aSequenceNumberAfterTheLastEventIsRefused() {
        rig.drain("1");
        assertThatThrownBy(() -> rig.journals.follow(sink, 3))
                .hasMessageContaining(
                        "since is 3, but the last event of this journal is 2: the number belongs to another"
                                + " journal");
        assertThat(rig.journals.size()).isZero();
    }

    @Test
    void endAllEndsFollowersWithTheReason() {
        rig.journals.follow(sink);
        sink.received();
        rig.journals.endAll(new RpcException(Errno.ECANCELED, "the daemon is stopping"));
        rig.drain("1");
        assertThat(sink.received()).containsExactly("ECANCELED the daemon is stopping");
        assertThat(rig.journals.size()).isZero();
    }

    @Test
    void aReleasedFollowerIsSentNothing() {
        JournalStream stream = rig.journals.follow(sink);
        sink.received();
        rig.journals.release(stream);
        rig.drain("1");
        rig.journals.resume(stream);
        assertThat(sink.received()).isEmpty();
    }
}
