package io.muster.daemon.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.config.HoldSettings;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.WorkChanges;
import io.muster.inventory.status.AttemptRow;
import io.muster.inventory.status.JobUsage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExpiryTest {
    private static final double START = Rig.START.getEpochSecond();

    private Rig rig = Rig.ofFour();

    @AfterEach
    void close() {
        rig.close();
    }

    private void hold(String targets, String holder, int seconds) {
        Command drain =
                new HoldChanges.Drain(targets, "maintenance", HoldChanges.Mode.NONE, holder, rig.now() + seconds);
        assertThat(Rig.outcome(rig.submit(drain))).isEqualTo("done 1");
    }

    private Idset held() {
        return rig.state().holds().held();
    }

    @Test
    void aHoldEndsAtItsTime() {
        hold("1-2", "window", 30);
        rig.advance(Duration.ofSeconds(29));
        assertThat(held()).isEqualTo(Idset.of(1, 2));
        rig.advance(Duration.ofSeconds(1));
        assertThat(held()).isEqualTo(Idset.EMPTY);
        assertThat(rig.meters.expired).isEqualTo(2);
        assertThat(rig.core.timers()).as("nothing to wait for").isZero();
    }

    @Test
    void aHoldOfADayEndsAtItsTime() {
        hold("1", "window", 86_400);
        rig.advance(Duration.ofSeconds(86_399));
        assertThat(held()).isEqualTo(Idset.of(1));
        rig.advance(Duration.ofSeconds(1));
        assertThat(held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void aClockThatIsAYearAheadForAMinuteEndsNoHold() {
        hold("1", "window", 7 * 86_400);
        hold("2", "soon", 30);
        rig.core.jump(Duration.ofDays(365));
        rig.advance(Duration.ofSeconds(59));
        assertThat(held()).as("expiry is paused").isEqualTo(Idset.of(1, 2));
        rig.drain("3");
        rig.core.jump(Duration.ofDays(-365));
        rig.advance(Duration.ofSeconds(1));
        assertThat(held()).isEqualTo(Idset.of(1, 3));
        assertThat(rig.inventory.now()).isEqualTo(START + 60);
        assertThat(rig.state().holds().groups().keySet().stream()
                        .mapToDouble(set -> set.oldest().since())
                        .max())
                .as("what happens meanwhile happens in the daemon's time")
                .hasValue(START + 59);
    }

    @Test
    void holdsEndAfterTheNewTimeIsAccepted() {
        hold("1", "window", 7 * 86_400);
        rig.core.jump(Duration.ofDays(365));
        rig.advance(Duration.ofMinutes(2));
        rig.expiry.lookAtClock();
        assertThat(held()).isEqualTo(Idset.of(1));
        rig.clock.accept(Rig.ALICE);
        rig.expiry.lookAtClock(); // the daemon calls this every second
        rig.advance(Duration.ZERO);
        assertThat(held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void aHoldThatEndsWhileTheDaemonStopsIsLeftToTheNextStart() throws IOException {
        hold("1", "window", 10);
        rig.inventory.close();
        rig.journal.close();
        rig.advance(Duration.ofSeconds(10)); // a submission to the closed ledger would fail the timer
        assertThat(held()).isEqualTo(Idset.of(1));
        assertThat(Rig.outcome(rig.submit(new HoldChanges.Drain("2", "", HoldChanges.Mode.NONE, "x", 0))))
                .contains("the daemon is stopping");
    }

    @Test
    void aStartWithAClockThatIsAYearAheadEndsNoHold() {
        hold("1", "window", 7 * 86_400);
        rig.close();
        rig = Rig.on(rig.disk, new HandDriven(Rig.START.plus(Duration.ofDays(365))));
        rig.expiry.start();
        rig.advance(Duration.ofMinutes(59));
        assertThat(held()).isEqualTo(Idset.of(1));
        rig.drain("2");
        rig.close();
        rig = Rig.on(rig.disk, new HandDriven(Rig.START.plus(Duration.ofDays(365))));
        rig.expiry.start();
        rig.advance(Duration.ofMinutes(59));
        assertThat(held()).as("the start before has left no later time behind").isEqualTo(Idset.of(1, 2));
        rig.advance(Duration.ofMinutes(2));
        assertThat(held()).as("the new time has held").isEqualTo(Idset.of(2));
    }

    private void plan(String targets, int from, int lasts) {
        Command drain = new HoldChanges.Drain(
                targets, "cooling", HoldChanges.Mode.NONE, "ops", rig.now() + from, 0, lasts, Purpose.NONE);
        assertThat(Rig.outcome(rig.submit(drain))).isEqualTo("done 1");
    }

    @Test
    void aPlannedHoldBeginsAndEndsByItself() {
        plan("1-2", 30, 40);
        rig.advance(Duration.ofSeconds(29));
        assertThat(held()).isEqualTo(Idset.EMPTY);
        rig.advance(Duration.ofSeconds(1));
        assertThat(held()).isEqualTo(Idset.of(1, 2));
        assertThat(rig.state().plans().held()).isEqualTo(Idset.EMPTY);
        rig.advance(Duration.ofSeconds(40));
        assertThat(held()).isEqualTo(Idset.EMPTY);
        assertThat(rig.core.timers()).as("nothing to wait for").isZero();
    }

    @Test
    void aClockThatIsAYearAheadForAMinuteBeginsNoHoldAndEndsNoClaim() {
        plan("1", 86_400, 40);
        Purpose reseat = new Purpose("", "", "", "reseat");
        rig.submit(new HoldChanges.Drain("2", "fan", HoldChanges.Mode.NONE, "ops", 0, 0, 0, reseat));
        WorkChanges.Facts idle = AttemptRow.facts(
                List.of(new JobUsage("bridge", Idset.of(2), Idset.EMPTY, Double.MAX_VALUE)), action -> false);
        assertThat(Rig.outcome(rig.submit(new WorkChanges.ClaimWork("node2", 1, 60).with(idle))))
                .isEqualTo("done 1");
        rig.core.jump(Duration.ofDays(365));
        rig.advance(Duration.ofSeconds(59));
        assertThat(held()).isEqualTo(Idset.of(2));
        assertThat(Rig.outcome(rig.submit(new WorkChanges.ReportWork("node2", 1, true, ""))))
                .as("the claim lasts a minute of the daemon's time")
                .isEqualTo("done 1");
        rig.core.jump(Duration.ofDays(-365));
        rig.advance(Duration.ofSeconds(1));
        assertThat(rig.state().plans().held()).isEqualTo(Idset.of(1));
    }

    @Test
    void aPlannedHoldBeginsOnceAfterARestartAndWhenTheDiskIsRepaired() {
        plan("1", 30, 0);
        rig.close();
        HandDriven later = new HandDriven(Rig.START.plusSeconds(20));
        rig = Rig.on(rig.disk, later);
        rig.expiry.start();
        rig.advance(Duration.ofSeconds(9));
        assertThat(held()).isEqualTo(Idset.EMPTY);
        rig.fillDisk();
        rig.advance(Duration.ofSeconds(5));
        assertThat(held()).isEqualTo(Idset.EMPTY);
        rig.healDisk();
        rig.advance(Duration.ofSeconds(1));
        assertThat(held()).isEqualTo(Idset.of(1));
        rig.submit(new HoldChanges.Undrain("1", null, HoldChanges.Mode.NONE, "ops"));
        rig.close();
        rig = Rig.on(rig.disk, new HandDriven(Rig.START.plusSeconds(40)));
        rig.expiry.start();
        rig.advance(Duration.ofMinutes(2));
        assertThat(held()).as("it has begun, and was ended").isEqualTo(Idset.EMPTY);
    }

    @Test
    void aPlannedHoldThatWasDueWhileNoDaemonRanBeginsLateOrNotAtAll() {
        plan("1", 30, 100);
        plan("2", 30, 20);
        rig.close();
        rig = Rig.on(rig.disk, new HandDriven(Rig.START.plusSeconds(60)));
        rig.expiry.start();
        rig.advance(Duration.ZERO);
        assertThat(held()).isEqualTo(Idset.of(1));
        assertThat(rig.state().plans().held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void aHoldWhoseAuthorMayNotPlaceItDoesNotBegin() {
        plan("1", 30, 0);
        rig.expiry.ask((plans, then) ->
                then.accept(plans.stream().collect(Collectors.toMap(plan -> plan, plan -> "alice has left"))));
        rig.advance(Duration.ofSeconds(30));
        assertThat(held()).isEqualTo(Idset.EMPTY);
        assertThat(rig.state().plans().held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void aPlannedHoldWhoseCheckOrActionIsNotConfiguredAnyMoreDoesNotBegin() {
        List<Purpose> purposes = List.of(
                new Purpose("hardware", "", "nhc", ""),
                new Purpose("", "", "", "reseat"),
                new Purpose("left", "", "", ""));
        for (int node = 1; node <= purposes.size(); node++) {
            Command drain = new HoldChanges.Drain(
                    "node" + node, "x", HoldChanges.Mode.NONE, "ops", rig.now() + 30, 0, 0, purposes.get(node - 1));
            assertThat(Rig.outcome(rig.submit(drain))).isEqualTo("done 1");
        }
        rig.expiry.configure(new HoldSettings(List.of(), List.of("memtest"), List.of(), List.of())::taskFault);
        rig.inventory.listen(new Commits() {
            @Override
            public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
                lines.forEach(line -> rig.told.add(new String(line, UTF_8)));
            }
        });
        rig.advance(Duration.ofSeconds(30));
        assertThat(held()).as("a class is only a label").isEqualTo(Idset.of(3));
        assertThat(rig.state().plans().held()).isEqualTo(Idset.EMPTY);
        assertThat(String.join("\n", rig.told).replace("\\\"", "'"))
                .containsPattern("unplan.*node1.*there is no check 'nhc': there is memtest \\(holds.checks\\)")
                .containsPattern("unplan.*node2.*there is no action 'reseat': none is configured \\(holds.actions\\)");
    }

    @Test
    void aHoldWaitsUntilTheRightsOfItsAuthorAreKnown() {
        plan("1", 30, 0);
        rig.expiry.ask((plans, then) -> then.accept(null));
        rig.advance(Duration.ofSeconds(35));
        assertThat(held()).isEqualTo(Idset.EMPTY);
        rig.expiry.ask(Expiry.Authors.ALL);
        rig.advance(Duration.ofSeconds(1));
        assertThat(held()).isEqualTo(Idset.of(1));
    }

    @Test
    void aPlanForAHostThatHasLeftEnds() {
        plan("3", 30, 0);
        rig.define(Rig.nodes("node[0-2]"));
        rig.advance(Duration.ofSeconds(30));
        assertThat(rig.state().departed()).isEmpty();
        assertThat(rig.core.timers()).isZero();
    }

    @Test
    void theHoldWithTheEarlierTimeEndsFirst() {
        hold("1", "late", 50);
        hold("2", "early", 10);
        rig.advance(Duration.ofSeconds(10));
        assertThat(held()).isEqualTo(Idset.of(1));
        rig.advance(Duration.ofSeconds(40));
        assertThat(held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void anotherHoldOnTheSameHostStays() {
        hold("1", "window", 10);
        rig.drain("1");
        rig.advance(Duration.ofSeconds(10));
        assertThat(held()).isEqualTo(Idset.of(1));
        rig.undrain("1");
        assertThat(held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void aFailedDiskDelaysTheEndOfAHoldUntilItIsRepaired() {
        hold("1", "window", 10);
        rig.fillDisk();
        rig.advance(Duration.ofSeconds(15));
        assertThat(held()).isEqualTo(Idset.of(1));
        rig.healDisk();
        rig.advance(Duration.ofSeconds(1));
        assertThat(held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void holdsThatExpiredWhileTheDaemonWasDownEndAtTheStart() {
        rig.close();
        FaultyDisk disk = new FaultyDisk(new MemoryDisk());
        HandDriven core = new HandDriven(Rig.START);
        rig = Rig.on(disk, core);
        rig.define(Rig.nodes("node[0-3]"));
        hold("1", "window", 10);
        rig.close();
        core.advance(Duration.ZERO, core::runReady);
        HandDriven later = new HandDriven(Rig.START.plusSeconds(100));
        rig = Rig.on(disk, later);
        assertThat(held()).isEqualTo(Idset.of(1));
        rig.expiry.start();
        rig.advance(Duration.ZERO);
        assertThat(held()).isEqualTo(Idset.EMPTY);
    }
}
