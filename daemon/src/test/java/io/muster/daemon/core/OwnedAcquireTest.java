package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.AcquisitionChanges;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Acquisitions with an owner, which survive the end of the connection, of the daemon and of the machine. */
class OwnedAcquireTest {
    private static final Owner FLUX = new Owner("flux", 60);
    private static final Principal ALICE_LATER = new Principal(Rig.ALICE.uid(), Rig.ALICE.user(), Rig.ALICE.pid() + 1);

    private Rig rig = Rig.ofFour();
    private final FakeSink sink = new FakeSink();

    @AfterEach
    void close() {
        rig.close();
    }

    private AcquireStream acquire(FakeSink to, Principal by, @Nullable Owner owner) {
        AcquireStream stream = rig.acquires.acquire(to, by, owner);
        rig.settle();
        return stream;
    }

    private void assertBusy(String sentence) {
        assertThatThrownBy(() -> rig.acquires.acquire(new FakeSink(), Rig.BOB, null))
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageContaining(sentence);
    }

    private void startAgain() {
        rig.close();
        rig = Rig.on(rig.disk, new HandDriven(Rig.START.plusSeconds(1000)));
        rig.acquires.start();
    }

    @Test
    void theFirstResponseIsSentWhenTheAcquisitionIsDurable() {
        rig.holdDisk();
        rig.acquires.acquire(sink, Rig.ALICE, FLUX);
        rig.core.runReady();
        assertThat(sink.received()).isEmpty();
        assertBusy("resources are acquired by flux, alice(1001), pid 4711 since");
        rig.release();
        rig.settle();
        assertThat(sink.received()).hasSize(1);
        assertThat(rig.state().acquisitions()).containsOnlyKeys("flux");
    }

    @Test
    void aDiskFailureRefusesTheAcquisitionAndFreesTheResources() {
        rig.fillDisk();
        acquire(sink, Rig.ALICE, FLUX);
        assertThat(sink.received()).hasSize(1).first().asString().startsWith("EROFS");
        rig.healDisk();
        rig.settle();
        acquire(sink, Rig.BOB, null);
        assertThat(sink.received()).hasSize(1).first().asString().startsWith("{\"resources\"");
    }

    @Test
    void duringTheGraceOthersAreRefusedAndTheOwnerMayResume() {
        rig.acquires.release(acquire(sink, Rig.ALICE, FLUX));
        sink.received();
        rig.drain("2");
        rig.advance(Duration.ofSeconds(59));
        assertBusy(
                "resources are held for flux, alice(1001) until 2023-11-14T22:14:20Z, because its connection has ended");
        acquire(sink, ALICE_LATER, FLUX);
        assertThat(sink.received())
                .as("a whole first response")
                .hasSize(1)
                .first()
                .asString()
                .endsWith("\"up\":\"0-1,3\"}");
        rig.advance(Duration.ofHours(1));
        assertBusy("resources are acquired by flux, alice(1001), pid 4712 since");
    }

    @Test
    void theAcquisitionEndsAfterTheGrace() {
        rig.acquires.release(acquire(sink, Rig.ALICE, FLUX));
        rig.advance(Duration.ofSeconds(60));
        assertThat(rig.state().acquisitions()).isEmpty();
        assertThat(rig.acquires.isAcquired()).isFalse();
        acquire(new FakeSink(), Rig.BOB, null);
    }

    @Test
    void aFullDiskAtTheEndOfTheGraceDelaysTheEndOfTheAcquisition() {
        rig.acquires.release(acquire(sink, Rig.ALICE, FLUX));
        rig.fillDisk();
        rig.advance(Duration.ofSeconds(70));
        assertThat(rig.state().acquisitions()).containsOnlyKeys("flux");
        rig.healDisk();
        rig.advance(Duration.ofSeconds(1));
        assertThat(rig.state().acquisitions()).isEmpty();
    }

    @Test
    void afterARestartTheGraceBeginsAtTheStartOfTheDaemon() {
        acquire(sink, Rig.ALICE, FLUX);
        startAgain();
        rig.advance(Duration.ofSeconds(59));
        assertBusy("held for flux");
        assertThat(rig.acquires.absences()).hasSize(1);
        acquire(sink, ALICE_LATER, FLUX);
        rig.advance(Duration.ofHours(1));
        assertThat(rig.state().acquisitions()).containsOnlyKeys("flux");
        startAgain();
        rig.advance(Duration.ofSeconds(60));
        assertThat(rig.state().acquisitions()).isEmpty();
    }

    @Test
    void anAcquireByTheOwnerOnANewConnectionEndsTheOldStream() {
        FakeSink old = new FakeSink();
        AcquireStream before = acquire(old, Rig.ALICE, FLUX);
        old.received();
        acquire(sink, ALICE_LATER, FLUX);
        assertThat(old.received()).containsExactly("ECANCELED flux has acquired again on another connection");
        rig.acquires.release(before);
        rig.advance(Duration.ofHours(1));
        sink.received();
        rig.drain("1");
        assertThat(sink.received()).containsExactly("{\"down\":\"1\"}");
    }

    @Test
    void anotherUserCannotUseTheNameOfTheOwner() {
        AcquireStream stream = acquire(sink, Rig.ALICE, FLUX);
        assertThatThrownBy(() -> rig.acquires.acquire(new FakeSink(), Rig.BOB, FLUX))
                .hasMessageContaining("acquired by flux, alice(1001)");
        rig.acquires.release(stream);
        assertThatThrownBy(() -> rig.acquires.acquire(new FakeSink(), Rig.BOB, FLUX))
                .hasMessageContaining("held for flux, alice(1001)");
        rig.acquires.configure(true, Duration.ZERO);
        assertThatThrownBy(() -> rig.acquires.acquire(new FakeSink(), Rig.BOB, FLUX))
                .as("also where several may acquire")
                .hasMessageContaining("held for flux, alice(1001)");
        acquire(new FakeSink(), Rig.BOB, new Owner("other", 60));
        assertThat(rig.state().acquisitions()).containsOnlyKeys("flux", "other");
    }

    @Test
    void aCancelledAcquisitionEndsAtOnce() {
        AcquireStream stream = acquire(sink, Rig.ALICE, FLUX);
        rig.acquires.cancelled(stream);
        rig.settle();
        assertThat(rig.state().acquisitions()).isEmpty();
        acquire(new FakeSink(), Rig.BOB, null);
    }

    @Test
    void anAcquisitionWhoseConnectionEndsBeforeItIsDurableEndsAfterTheGrace() {
        rig.holdDisk();
        rig.acquires.release(rig.acquires.acquire(sink, Rig.ALICE, FLUX));
        rig.release();
        rig.settle();
        assertThat(rig.acquires.absences()).hasSize(1);
        rig.advance(Duration.ofSeconds(60));
        assertThat(rig.state().acquisitions()).isEmpty();
        assertThat(sink.received()).isEmpty();
    }

    @Test
    void anAdminMayReleaseAConnectedOrDisconnectedAcquisition() {
        acquire(sink, Rig.ALICE, FLUX);
        sink.received();
        rig.submit(new AcquisitionChanges.Release("", null));
        assertThat(sink.received()).containsExactly("ECANCELED the acquisition of flux was released");
        assertThat(rig.acquires.isAcquired()).isFalse();

        rig.acquires.release(acquire(sink, Rig.ALICE, FLUX));
        rig.submit(new AcquisitionChanges.Release("flux", "maintenance"));
        assertThat(rig.acquires.isAcquired()).isFalse();
        assertThat(rig.core.timers()).as("no timer is left").isZero();
    }

    @Test
    void aNewGraceReplacesTheOldOne() {
        rig.acquires.release(acquire(sink, Rig.ALICE, FLUX));
        rig.acquires.release(acquire(sink, Rig.ALICE, new Owner("flux", 0)));
        rig.advance(Duration.ZERO);
        assertThat(rig.state().acquisitions()).isEmpty();
    }

    @Test
    void anAcquisitionWithoutAnOwnerWritesNoEvent() {
        long seq = rig.inventory.seq();
        rig.acquires.release(acquire(sink, Rig.ALICE, null));
        rig.settle();
        assertThat(rig.inventory.seq()).isEqualTo(seq);
        assertThat(rig.acquires.isAcquired()).isFalse();
    }

    @Test
    void aPendingAcquisitionOfAClosedConnectionBlocksOthersAndMayBeResumed() {
        rig.holdDisk();
        AcquireStream stream = rig.acquires.acquire(sink, Rig.ALICE, FLUX);
        rig.acquires.release(stream);
        assertBusy("resources are acquired by flux, alice(1001)");
        rig.release();
        rig.settle();
        assertBusy("resources are held for flux");
        acquire(sink, ALICE_LATER, FLUX);
        assertThat(sink.received()).singleElement().asString().startsWith("{\"resources\"");
    }

    @Test
    void aNewAbsenceHasTheFullGraceEvenIfTheDiskRefusedTheEndOfTheFirst() {
        rig.acquires.release(acquire(sink, Rig.ALICE, FLUX));
        rig.fillDisk();
        rig.advance(Duration.ofSeconds(60));
        rig.healDisk();
        rig.advance(Duration.ofMillis(100));
        rig.acquires.release(acquire(sink, Rig.ALICE, FLUX));
        rig.advance(Duration.ofSeconds(30));
        assertThat(rig.state().acquisitions()).containsOnlyKeys("flux");
        rig.advance(Duration.ofSeconds(31));
        assertThat(rig.state().acquisitions()).isEmpty();
    }
}
