package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AcquireStreamsTest {
    private static final String ALL_FOUR = "{\"resources\":{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-3\","
            + "\"children\":{\"core\":\"0-3\"}}],\"starttime\":0.0,\"expiration\":0.0,\"nodelist\":[\"node[0-3]\"]}},"
            + "\"up\":\"0-3\"}";

    private final Rig rig = Rig.ofFour();
    private final FakeSink sink = new FakeSink();

    @AfterEach
    void close() {
        rig.close();
    }

    private AcquireStream acquire(FakeSink to) {
        AcquireStream stream = rig.acquires.acquire(to, Rig.ALICE, null);
        to.received();
        return stream;
    }

    private void share() {
        rig.acquires.configure(true, Duration.ZERO);
    }

    @Test
    void theFirstResponseHasTheResourcesAndTheRanksThatAreUp() {
        rig.acquires.acquire(sink, Rig.ALICE, null);
        assertThat(sink.received()).containsExactly(ALL_FOUR);
        assertThat(rig.meters.first).isEqualTo(1);
    }

    @Test
    void anAcquireDuringTheWriteOfANewRIsAnsweredWithTheNewR() {
        share();
        rig.holdDisk();
        rig.send("define", new DefinitionChanges.Define(Rig.nodes("other[0-1]"), "reload", Liveness.Status.ONLINE));
        rig.acquires.acquire(sink, Rig.ALICE, null);
        FakeSink gone = new FakeSink();
        rig.acquires.release(rig.acquires.acquire(gone, Rig.BOB, null));
        assertThat(sink.received())
                .as("its ranks would be others' a moment later")
                .isEmpty();

        rig.release();
        rig.settle();
        assertThat(sink.received())
                .containsExactly(ALL_FOUR.replace("node[0-3]", "other[0-1]")
                        .replace("\"0-3\",\"ch", "\"0-1\",\"ch")
                        .replace("up\":\"0-3", "up\":\"0-1"));
        assertThat(gone.received()).isEmpty();
        rig.drain("1");
        assertThat(sink.received()).containsExactly("{\"down\":\"1\"}");
    }

    @Test
    void theFirstResponseHasAnEmptyUpIfNoRankIsUp() {
        rig.drain("0-3");
        rig.acquires.acquire(sink, Rig.ALICE, null);
        assertThat(sink.received().get(0)).endsWith("\"up\":\"\"}");
    }

    @Test
    void excludedRanksAreNotOffered() {
        rig.submit(new MembershipChanges.Exclude("node3", null));
        rig.acquires.acquire(sink, Rig.ALICE, null);
        assertThat(sink.received().get(0))
                .contains("\"rank\":\"0-2\"")
                .contains("\"up\":\"0-2\"")
                .doesNotContain("node3");
    }

    /** sched-simple refuses a topology that has other ranks than R (RFC 49). */
    @Test
    void aTopologyIsOfferedWithoutExcludedRanks() {
        rig.define(ResourceSet.parse("""
                {"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-3"}}],"nodelist":["node[0-3]"]},
                 "scheduling":{"writer":"TreePool","children":[{"ranks":"0-2","topo":{"socket":[{"cores":"0-3"}]}},
                  {"ranks":"3","topo":{}}]}}"""));
        rig.submit(new MembershipChanges.Exclude("node[1,3]", null));
        rig.acquires.acquire(sink, Rig.ALICE, null);
        assertThat(sink.received().get(0))
                .contains("\"children\":[{\"ranks\":\"0,2\",\"topo\":{\"socket\":[{\"cores\":\"0-3\"}]}}]");
    }

    @Test
    void anAcquireWithoutOfferedRanksFailsAndALaterOneMaySucceed() {
        rig.submit(new MembershipChanges.Exclude("0-3", null));
        rig.acquires.acquire(sink, Rig.ALICE, null);
        assertThat(sink.received())
                .containsExactly(
                        "ENOENT no resources are on offer: every rank is excluded or lost; include one and acquire"
                                + " again");
        assertThat(rig.acquires.isAcquired()).isFalse();
        rig.submit(new MembershipChanges.Include("3", null));
        rig.acquires.acquire(sink, Rig.ALICE, null);
        assertThat(sink.received().get(0)).contains("\"rank\":\"3\"");
    }

    @Test
    void schedulersAreSentOnlyChangesBetweenUpAndDown() {
        acquire(sink);
        rig.drain("1");
        assertThat(sink.received()).containsExactly("{\"down\":\"1\"}");

        rig.report("offline", "1-2");
        assertThat(sink.received()).containsExactly("{\"down\":\"2\"}");

        rig.undrain("1");
        assertThat(sink.received()).as("still offline").isEmpty();

        rig.report("online", "1-2");
        assertThat(sink.received()).containsExactly("{\"up\":\"1-2\"}");
    }

    @Test
    void anIncludedRankIsOfferedOnlyFromTheNextAcquire() {
        rig.submit(new MembershipChanges.Exclude("3", null));
        AcquireStream stream = acquire(sink);
        rig.submit(new MembershipChanges.Include("3", null));
        assertThat(sink.received()).isEmpty();

        rig.acquires.release(stream);
        rig.acquires.acquire(sink, Rig.ALICE, null);
        assertThat(sink.received()).containsExactly(ALL_FOUR);
    }

    @Test
    void excludeSendsDownAndShrinkSendsDownAndShrink() {
        acquire(sink);
        rig.submit(new MembershipChanges.Exclude("3", null));
        rig.submit(new MembershipChanges.Shrink("2", null));
        assertThat(sink.received()).containsExactly("{\"down\":\"3\"}", "{\"down\":\"2\",\"shrink\":\"2\"}");
    }

    @Test
    void schedulersAreListedInTheOrderOfTheirAcquires() {
        share();
        List<AcquireStream> came = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            came.add(acquire(new FakeSink()));
        }
        assertThat(rig.acquires.streams()).containsExactlyElementsOf(came);
    }

    @Test
    void theRefusalOfASecondSchedulerNamesTheFirst() {
        rig.acquires.acquire(sink, Rig.ALICE, null);
        assertThatThrownBy(() -> rig.acquires.acquire(new FakeSink(), Rig.BOB, null))
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessage("resources are acquired by alice(1001), pid 4711 since 2023-11-14T22:13:20Z");
        assertThat(rig.meters.errors).isEqualTo(1);
        assertThat(rig.acquires.size()).isEqualTo(1);
    }

    @Test
    void aRefusalOmitsThePidIfItIsUnknown() {
        rig.acquires.acquire(sink, new Principal(7, "carol", 0), null);
        assertThatThrownBy(() -> rig.acquires.acquire(new FakeSink(), Rig.BOB, null))
                .hasMessage("resources are acquired by carol(7) since 2023-11-14T22:13:20Z");
    }

    @Test
    void releaseFreesTheResourcesImmediately() {
        AcquireStream stream = acquire(sink);
        rig.acquires.release(stream);
        assertThat(rig.acquires.isAcquired()).isFalse();
        acquire(new FakeSink());
        rig.drain("1");
        assertThat(sink.received()).isEmpty();
    }

    @Test
    void missedUpdatesAreMergedIntoOneWhenTheSchedulerReads() {
        AcquireStream stream = acquire(sink);
        sink.writable = false;
        rig.drain("1");
        rig.drain("2");
        rig.undrain("1");
        assertThat(sink.received()).isEmpty();
        assertThat(stream.isBehind()).isTrue();
        assertThat(rig.meters.conflated).isEqualTo(2);

        sink.writable = true;
        rig.acquires.resume(stream);
        assertThat(sink.received()).containsExactly("{\"down\":\"2\"}");
        assertThat(stream.isBehind()).isFalse();
    }

    @Test
    void missedChangesThatCancelOutSendNoUpdate() {
        AcquireStream stream = acquire(sink);
        sink.writable = false;
        rig.drain("1");
        rig.undrain("1");
        sink.writable = true;
        rig.acquires.resume(stream);
        assertThat(sink.received()).isEmpty();

        rig.drain("3");
        assertThat(sink.received()).containsExactly("{\"down\":\"3\"}");
    }

    @Test
    void resumingAStreamThatIsNotBehindSendsNoUpdate() {
        AcquireStream stream = acquire(sink);
        rig.acquires.resume(stream);
        assertThat(sink.received()).isEmpty();
    }

    @Test
    void aReleasedStreamIsNotResumed() {
        AcquireStream stream = acquire(sink);
        sink.writable = false;
        rig.drain("1");
        rig.acquires.release(stream);
        sink.writable = true;
        rig.acquires.resume(stream);
        assertThat(sink.received()).isEmpty();
    }

    @Test
    void aSlowSchedulerDoesNotDelayTheOthers() {
        share();
        FakeSink slow = new FakeSink();
        acquire(slow);
        acquire(sink);
        slow.writable = false;
        rig.drain("1");
        assertThat(sink.received()).containsExactly("{\"down\":\"1\"}");
        assertThat(slow.received()).isEmpty();
    }

    @Test
    void schedulersAtTheSameViewShareOneEncodedUpdate() {
        share();
        FakeSink other = new FakeSink();
        acquire(sink);
        acquire(other);
        rig.drain("1");
        assertThat(sink.payloads.get(1)).isSameAs(other.payloads.get(1));
    }

    @Test
    void aSchedulerIsNotSentUpdatesForRanksItWasNotOffered() {
        share();
        acquire(sink);
        rig.submit(new MembershipChanges.Exclude("3", null));
        FakeSink later = new FakeSink();
        acquire(later);
        sink.received();
        rig.submit(new MembershipChanges.Include("3", null));
        assertThat(sink.received()).containsExactly("{\"up\":\"3\"}");
        assertThat(later.received()).as("never named to it").isEmpty();
    }

    @Test
    void mutingStopsUpdatesToPresentStreamsOnly() {
        share();
        acquire(sink);
        rig.acquires.mute();
        FakeSink later = new FakeSink();
        acquire(later);
        rig.drain("1");
        assertThat(sink.received()).isEmpty();
        assertThat(later.received()).containsExactly("{\"down\":\"1\"}");
    }

    @Test
    void endAllEndsEveryStreamWithTheReason() {
        share();
        FakeSink other = new FakeSink();
        acquire(sink);
        acquire(other);
        rig.acquires.endAll(new RpcException(Errno.ECANCELED, "the daemon is stopping"));
        assertThat(sink.received()).containsExactly("ECANCELED the daemon is stopping");
        assertThat(other.received()).containsExactly("ECANCELED the daemon is stopping");
        assertThat(rig.acquires.isAcquired()).isFalse();
        assertThat(rig.meters.errors).isEqualTo(2);
    }

    @Test
    void changesOfPropertiesAndExpirationAreSent() {
        acquire(sink);
        rig.submit(new DefinitionChanges.ChangeProperties(true, new TreeMap<>(Map.of("gpu", "0-1"))));
        rig.submit(new DefinitionChanges.ChangeProperties(false, new TreeMap<>(Map.of("gpu", "1"))));
        rig.submit(new DefinitionChanges.SetExpiration(2e9));
        assertThat(sink.received())
                .containsExactly(
                        "{\"property-add\":{\"gpu\":\"0-1\"}}",
                        "{\"property-remove\":{\"gpu\":\"1\"}}",
                        "{\"expiration\":2000000000.0}");
    }

    @Test
    void aPreviewReturnsTheUpdateForEachStream() {
        AcquireStream stream = acquire(sink);
        var updates = rig.acquires.preview(
                rig.inventory.preview(Rig.drainCommand("1", null), Rig.ALICE).after());
        assertThat(String.valueOf(updates.get(stream))).contains("down=1");
        assertThat(sink.received()).isEmpty();
    }

    @Test
    void aPreviewReturnsNoUpdateForMutedStreams() {
        AcquireStream stream = acquire(sink);
        rig.acquires.mute();
        var updates = rig.acquires.preview(
                rig.inventory.preview(Rig.drainCommand("1", null), Rig.ALICE).after());
        assertThat(updates).containsEntry(stream, null);
    }

    @Test
    void theFirstChangeAfterAnIdleTimeIsSentImmediatelyAndLaterOnesInABatch() {
        rig.acquires.configure(false, Duration.ofMillis(50));
        acquire(sink);
        rig.drain("0");
        assertThat(sink.received()).containsExactly("{\"down\":\"0\"}");

        rig.drain("1");
        rig.drain("2");
        assertThat(sink.received()).isEmpty();
        rig.advance(Duration.ofMillis(49));
        assertThat(sink.received()).isEmpty();
        rig.advance(Duration.ofMillis(1));
        assertThat(sink.received()).containsExactly("{\"down\":\"1-2\"}");

        rig.advance(Duration.ofMillis(50));
        rig.drain("3");
        assertThat(sink.received()).as("quiet again").containsExactly("{\"down\":\"3\"}");
    }

    @Test
    void responsesDoNotWaitForTheBatch() {
        rig.acquires.configure(false, Duration.ofMillis(50));
        acquire(sink);
        rig.drain("0");
        rig.send("drain", Rig.drainCommand("1", "x"));
        rig.settle();
        assertThat(rig.told).containsExactly("drain: done 1");
    }

    @Test
    void aChangeWithoutAnUpdateDoesNotStartABatch() {
        rig.acquires.configure(false, Duration.ofMillis(50));
        acquire(sink);
        rig.report("offline", "0");
        rig.advance(Duration.ofMillis(60));
        sink.received();
        rig.drain("0");
        rig.drain("1");
        assertThat(sink.received()).containsExactly("{\"down\":\"1\"}");
    }

    @Test
    void anAcquireDuringABatchIsNotSentChangesOfItsFirstResponse() {
        rig.acquires.configure(true, Duration.ofMillis(50));
        acquire(sink);
        rig.drain("0");
        rig.drain("1");
        FakeSink later = new FakeSink();
        rig.acquires.acquire(later, Rig.BOB, null);
        assertThat(later.received().get(0)).endsWith("\"up\":\"2-3\"}");
        rig.advance(Duration.ofMillis(50));
        assertThat(later.received()).isEmpty();
        assertThat(sink.received()).containsExactly("{\"down\":\"0\"}", "{\"down\":\"1\"}");
    }

    @Test
    void noUpdateIsSentBeforeTheChangeIsDurable() {
        acquire(sink);
        rig.holdDisk();
        rig.send("drain", Rig.drainCommand("1", "x"));
        rig.core.runReady();
        assertThat(sink.received()).isEmpty();
        rig.release();
        rig.settle();
        assertThat(sink.received()).containsExactly("{\"down\":\"1\"}");
    }

    @Test
    void changesThatTheDiskRefusesAreNotSentAndStreamsContinue() {
        acquire(sink);
        rig.fillDisk();
        rig.drain("1");
        assertThat(sink.received()).isEmpty();
        rig.healDisk();
        rig.drain("2");
        assertThat(sink.received()).containsExactly("{\"down\":\"2\"}");
    }

    @Test
    void theSentViewHasTheOfferedRanks() {
        rig.submit(new MembershipChanges.Exclude("0", null));
        assertThat(acquire(sink).sentView().offered()).isEqualTo(Idset.range(1, 3));
    }

    @Test
    void schedulersThatAcquireWithTheSameViewShareOneFirstResponse() {
        share();
        FakeSink other = new FakeSink();
        FakeSink later = new FakeSink();
        acquire(sink);
        acquire(other);
        assertThat(other.payloads.get(0)).isSameAs(sink.payloads.get(0));
        rig.drain("1");
        acquire(later);
        assertThat(later.payloads.get(0).text()).contains("\"up\":\"0,2-3\"");
        assertThat(sink.payloads.get(0).text()).contains("\"up\":\"0-3\"");
    }

    @Test
    void anAcquireWithoutRoomForItsFirstResponseEndsWithTheReason() {
        sink.refusal = new RpcException(Errno.EAGAIN, "no room");
        rig.acquires.acquire(sink, Rig.ALICE, null);
        assertThat(sink.received()).containsExactly("EAGAIN no room");
        assertThat(rig.acquires.isAcquired()).isFalse();
        sink.refusal = null;
        acquire(sink);
        sink.refusal = new RpcException(Errno.EAGAIN, "no room");
        rig.drain("1");
        assertThat(sink.received())
                .as("an update goes out whatever room there is")
                .containsExactly("{\"down\":\"1\"}");
    }
}
