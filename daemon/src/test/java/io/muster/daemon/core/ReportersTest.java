package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Report;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.ReportChanges;
import io.muster.inventory.status.JobUsage;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.time.Duration;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reporters of liveness and of the usage by jobs. */
class ReportersTest {
    private Rig rig = Rig.ofFour();
    private final FakeSink sink = new FakeSink();
    private final FakeSink scheduler = new FakeSink();

    @AfterEach
    void close() {
        rig.close();
    }

    private Reporter open(String name, Principal by, String ranks, String online) {
        ReportChanges.Register request =
                new ReportChanges.Register(name, Idset.parse(ranks), Idset.parse(online), Idset.EMPTY);
        Reporter reporter = rig.reporters.open(sink, by, request);
        rig.settle();
        return reporter;
    }

    private void close(Reporter reporter) {
        rig.reporters.release(reporter);
        rig.settle();
    }

    private Idset unknown() {
        return rig.state().liveness().reports().unknown();
    }

    private Report report(String name) {
        return Objects.requireNonNull(rig.state().liveness().reports().of(name));
    }

    @Test
    void theFirstResponseIsSentAfterTheReportIsDurable() {
        rig.acquires.acquire(scheduler, Rig.BOB, null);
        scheduler.received();
        rig.holdDisk();
        rig.reporters.open(
                sink,
                Rig.ALICE,
                new ReportChanges.Register("bridge", Idset.range(0, 3), Idset.range(0, 2), Idset.of(2)));
        rig.core.runReady();
        assertThat(sink.received()).isEmpty();
        rig.release();
        rig.settle();
        assertThat(sink.received()).containsExactly("{\"ranks\":\"0-3\"}");
        assertThat(scheduler.received()).containsExactly("{\"down\":\"2-3\"}");
        assertThat(rig.state().liveness().torpid()).hasToString("2");
    }

    @Test
    void aLostReporterLeavesItsRanksUnknownAndSchedulersAreSentNothing() {
        rig.acquires.acquire(scheduler, Rig.BOB, null);
        Reporter reporter = open("bridge", Rig.ALICE, "0-2", "0-1");
        scheduler.received();
        close(reporter);
        assertThat(unknown()).hasToString("0-2");
        assertThat(rig.state().liveness().offline(Idset.range(0, 3))).isEqualTo(Idset.EMPTY);
        assertThat(scheduler.received()).isEmpty();

        open("bridge", Rig.ALICE, "0-2", "0,2");
        assertThat(unknown()).isEqualTo(Idset.EMPTY);
        assertThat(scheduler.received()).containsExactly("{\"up\":\"2\",\"down\":\"1\"}");
    }

    @Test
    void anAdminMaySetTheLivenessOfAnUnknownRank() {
        close(open("bridge", Rig.ALICE, "0-2", "0-1"));
        assertThat(Rig.outcome(rig.report("online", "0"))).isEqualTo("done 1");
        assertThat(Rig.outcome(rig.report("offline", "2"))).isEqualTo("done 1");
        assertThat(unknown()).hasToString("1");
        assertThat(Rig.outcome(rig.report("online", "0"))).isEqualTo("done 0");
        rig.report("offline", "1");
        assertThat(rig.state().liveness().reports().all()).isEmpty();
    }

    @Test
    void aRestartOfTheDaemonEndsTheReports() {
        open("bridge", Rig.ALICE, "0-3", "0-3");
        rig.close();
        rig = Rig.on(rig.disk, new HandDriven(Rig.START.plusSeconds(1000)));
        assertThat(report("bridge").isLapsed()).isFalse();
        rig.submit(new DefinitionChanges.Restart());
        assertThat(report("bridge").lapsed()).isEqualTo(rig.now());
        assertThat(unknown()).hasToString("0-3");
    }

    @Test
    void aReporterThatReconnectsReplacesItsEarlierConnection() {
        Reporter first = open("bridge", Rig.ALICE, "0-3", "0-3");
        sink.received();
        open("bridge", Rig.ALICE, "0-3", "0-3");
        assertThat(sink.received())
                .containsExactly("ECANCELED bridge reports on another connection", "{\"ranks\":\"0-3\"}");
        close(first);
        assertThat(unknown()).isEqualTo(Idset.EMPTY);
        assertThatThrownBy(() -> open("bridge", Rig.BOB, "0-3", "0-3"))
                .hasMessageContaining("bridge reports already for alice(1001)");
    }

    @Test
    void aRefusedReportChangesNothing() {
        open("bridge", Rig.ALICE, "0-1", "0-1");
        sink.received();
        open("other", Rig.BOB, "1-2", "");
        assertThat(sink.received())
                .singleElement()
                .asString()
                .startsWith("EEXIST bridge, alice(1001), reports for node1 (rank 1) since ");
        open("other", Rig.BOB, "3-4", "");
        assertThat(sink.received()).containsExactly("EINVAL the report names 4, which R does not have");
        open("other", Rig.BOB, "3", "2-3");
        assertThat(sink.received())
                .containsExactly("EINVAL the report must name every online rank in ranks, and every torpid rank in"
                        + " online: 2");
        open("a b", Rig.BOB, "3", "");
        assertThat(sink.received()).containsExactly("EINVAL reporter \"a b\": letters, digits and ._:@- only");
        assertThat(rig.state().liveness().reports().all())
                .extracting(Report::reporter)
                .containsExactly("bridge");
        assertThat(rig.reporters.size()).isEqualTo(1);
    }

    @Test
    void aRefusedWriteOfTheEndOfAReportIsRetried() {
        Reporter reporter = open("bridge", Rig.ALICE, "0-3", "0-3");
        rig.fillDisk();
        close(reporter);
        assertThat(unknown()).isEqualTo(Idset.EMPTY);
        rig.healDisk();
        rig.advance(Duration.ofSeconds(30));
        assertThat(unknown()).hasToString("0-3");
    }

    @Test
    void anRWithOtherHostsForRanksEndsTheReports() {
        open("bridge", Rig.ALICE, "0-3", "0-3");
        sink.received();
        rig.define(Rig.nodes("node[0-3]").withProperty("fast", Idset.of(0)));
        rig.settle();
        assertThat(sink.received()).isEmpty();
        rig.define(Rig.nodes("node[1-3]"));
        rig.settle();
        assertThat(sink.received()).containsExactly("ESTALE R was replaced: read it again, and report again");
        assertThat(report("bridge").ranks()).hasToString("0-2");
        assertThat(unknown()).hasToString("0-2");
    }

    @Test
    void usageIsKnownWhileItsReporterIsConnected() {
        Reporter reporter = open("bridge", Rig.ALICE, "0-2", "0-2");
        rig.reporters.use(reporter, Idset.of(1), null, null);
        assertThat(rig.reporters.usage())
                .containsExactly(new JobUsage("bridge", Idset.range(0, 2), Idset.of(1), rig.now()));
        assertThat(JobUsage.areIdle(rig.reporters.usage(), Idset.range(0, 1))).isFalse();
        assertThat(JobUsage.areIdle(rig.reporters.usage(), Idset.of(2))).isTrue();
        assertThat(JobUsage.areIdle(rig.reporters.usage(), Idset.of(3))).isFalse();
        assertUse(reporter, Idset.of(3), Errno.EINVAL, "bridge does not report for rank 3");
        rig.reporters.use(reporter, Idset.EMPTY, null, null);
        assertThat(JobUsage.areIdle(rig.reporters.usage(), Idset.of(1))).isTrue();
        close(reporter);
        assertThat(rig.reporters.usage()).isEmpty();
    }

    @Test
    void usageIsAcceptedFromTheOpenStreamAndAtMostEvery50Milliseconds() {
        rig.holdDisk();
        Reporter first = rig.reporters.open(
                sink, Rig.ALICE, new ReportChanges.Register("bridge", Idset.of(0), Idset.EMPTY, Idset.EMPTY));
        assertRefused(() -> rig.reporters.pace(first), Errno.EAGAIN, "the report of bridge has not begun yet");
        rig.release();
        rig.settle();
        rig.reporters.pace(first);
        assertRefused(() -> rig.reporters.pace(first), Errno.EAGAIN, "usage may be reported every 50 ms");
        rig.advance(Duration.ofMillis(50));
        rig.reporters.pace(first);
        open("bridge", Rig.ALICE, "0-3", "0-3");
        assertRefused(
                () -> rig.reporters.pace(first), Errno.EINVAL, "bridge does not report on this connection any more");
    }

    @Test
    void anOpenReportOfThePreviousDaemonEndsAtTheStart() {
        open("bridge", Rig.ALICE, "0-3", "0-3");
        rig.close();
        rig = Rig.on(rig.disk, new HandDriven(Rig.START.plusSeconds(1000)));
        rig.reporters.start();
        rig.settle();
        assertThat(unknown()).hasToString("0-3");
    }

    private void assertUse(Reporter reporter, Idset allocated, Errno errno, String sentence) {
        assertRefused(() -> rig.reporters.use(reporter, allocated, null, null), errno, sentence);
    }

    private static void assertRefused(ThrowingCallable call, Errno errno, String sentence) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessageContaining(sentence);
    }
}
