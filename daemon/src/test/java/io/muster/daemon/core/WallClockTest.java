package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Epoch;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WallClockTest {
    private static final WallClock.Limits LIMITS = new WallClock.Limits(900, 7 * 86_400, 3600);
    private static final Duration YEAR = Duration.ofDays(365);
    private static final double START = Rig.START.getEpochSecond();

    private final HandDriven time = new HandDriven(Rig.START);
    private final WallClock clock = new WallClock(time, time::nanos, LIMITS);

    private void pass(Duration duration) {
        time.advance(duration, () -> {});
    }

    @Test
    void aSmallAdjustmentOfTheClockIsFollowed() {
        pass(Duration.ofSeconds(5));
        time.jump(Duration.ofMinutes(-10));
        assertThat(clock.now()).isEqualTo(START + 5 - 600);
        time.jump(Duration.ofMinutes(14));
        assertThat(clock.now()).isEqualTo(START + 5 + 240);
        assertThat(clock.isDoubted()).isFalse();
        assertThat(clock.trouble()).isEmpty();
        assertThat(clock.jump()).isZero();
    }

    @Test
    void aStandbyWithAnotherTimeThanTheLeaderContinuesTheTimeOfTheLeader() {
        time.jump(Duration.ofMinutes(11));
        assertThat(clock.agrees(START, 5)).isFalse();
        assertThat(clock.trouble())
                .startsWith("the clock is 11m ahead of the clock of the daemon that led at 2023-11-14T");
        pass(Duration.ofSeconds(30));
        assertThat(clock.now()).isEqualTo(START + 30);
        assertThat(clock.agrees(START + 20, 20)).isFalse();
        pass(Duration.ofMinutes(59));
        assertThat(clock.now()).as("the leader is gone").isEqualTo(START + 20 + 59 * 60);
        assertThat(clock.isDoubted()).isTrue();
        clock.accept(Rig.ALICE);
        assertThat(clock.now()).isEqualTo(START + 660 + 30 + 59 * 60);
    }

    @Test
    void aClockThatIsSetRightIsTrustedAgain() {
        time.jump(Duration.ofMinutes(-3));
        assertThat(clock.agrees(START, 0)).isFalse();
        assertThat(clock.trouble()).contains("3m behind the clock of the daemon that led");
        time.jump(Duration.ofMinutes(3));
        assertThat(clock.isDoubted()).isFalse();
        time.jump(Duration.ofMinutes(30));
        assertThat(clock.isDoubted()).isTrue();
        assertThat(clock.agrees(START + 1800, 0)).as("all clocks were set").isTrue();
        assertThat(clock.isDoubted()).isFalse();
    }

    @Test
    void aTimeThatIsOldProvesNoOtherTime() {
        pass(Duration.ofSeconds(130));
        assertThat(clock.agrees(START, 75)).isTrue();
        assertThat(clock.agrees(START, 60)).isFalse();
    }

    @Test
    void aClockThatDriftsIsFollowed() {
        for (int day = 0; day < 1000; day++) {
            pass(Duration.ofDays(1));
            time.jump(Duration.ofSeconds(40));
            assertThat(clock.isDoubted()).isFalse();
        }
        assertThat(clock.now()).isEqualTo(START + 1000 * 86_440.0);
    }

    @ParameterizedTest
    @ValueSource(longs = {365, -365, 400 * 365, -100 * 365})
    void aJumpIsDoubtedAndTimeContinues(long days) {
        pass(Duration.ofSeconds(5));
        time.jump(Duration.ofDays(days));
        pass(Duration.ofSeconds(59));
        assertThat(clock.now()).isEqualTo(START + 64);
        assertThat(clock.instant()).isEqualTo(Rig.START.plusSeconds(64));
        assertThat(clock.isDoubted()).isTrue();
        assertThat(Math.signum(clock.jump())).isEqualTo(Math.signum((double) days));
        time.jump(Duration.ofDays(-days));
        assertThat(clock.isDoubted()).as("it is back").isFalse();
        assertThat(clock.now()).isEqualTo(START + 64);
    }

    @Test
    void aDoubtIsDescribedWithTheJumpAndItsEnd() {
        time.jump(YEAR.plusHours(1));
        assertThat(clock.trouble())
                .isEqualTo(
                        "the clock jumped 365d1h ahead at 2023-11-14T22:13:20Z: expiry and retention are paused until"
                                + " 2023-11-14T23:13:20Z or `muster clock accept`, and the daemon goes by its own time");
        assertThat(clock.jump()).isEqualTo(365 * 86_400 + 3600);
        time.jump(YEAR.multipliedBy(-2));
        assertThat(clock.trouble()).startsWith("the clock jumped 364d23h back at 2023-11-14T22:13:20Z: ");
    }

    @Test
    void aNewTimeIsAcceptedAfterTheSettleTime() {
        time.jump(YEAR);
        assertThat(clock.isDoubted()).isTrue();
        pass(Duration.ofSeconds(3599));
        assertThat(clock.isDoubted()).isTrue();
        pass(Duration.ofSeconds(1));
        assertThat(clock.isDoubted()).isFalse();
        assertThat(clock.now()).isEqualTo(START + YEAR.toSeconds() + 3600);
    }

    @Test
    void aSecondJumpRestartsTheSettleTime() {
        time.jump(YEAR);
        assertThat(clock.isDoubted()).isTrue();
        pass(Duration.ofSeconds(3500));
        time.jump(YEAR);
        assertThat(clock.isDoubted()).isTrue();
        pass(Duration.ofSeconds(3500));
        assertThat(clock.isDoubted()).isTrue();
        assertThat(clock.now()).isEqualTo(START + 7000);
        pass(Duration.ofSeconds(100));
        assertThat(clock.isDoubted()).isFalse();
    }

    @Test
    void aUserMayAcceptTheNewTime() {
        clock.accept(Rig.ALICE);
        assertThat(clock.now()).isEqualTo(START);
        time.jump(YEAR);
        assertThat(clock.isDoubted()).isTrue();
        clock.accept(Rig.ALICE);
        assertThat(clock.isDoubted()).isFalse();
        assertThat(clock.now()).isEqualTo(START + YEAR.toSeconds());
    }

    @Test
    void limitsCanBeChanged() {
        clock.limits(new WallClock.Limits(10, 10, Double.POSITIVE_INFINITY));
        time.jump(Duration.ofSeconds(11));
        assertThat(clock.trouble()).contains("jumped 11s ahead").contains("paused until `muster clock accept`,");
        pass(Duration.ofDays(1000));
        assertThat(clock.isDoubted()).isTrue();
        clock.limits(new WallClock.Limits(Double.POSITIVE_INFINITY, 10, 10));
        assertThat(clock.isDoubted()).isFalse();
    }

    @Test
    void aStartSoonAfterTheLastKnownTimeIsNotDoubted() {
        clock.start(START - 6 * 86_400);
        assertThat(clock.isDoubted()).isFalse();
        assertThat(clock.now()).isEqualTo(START);
        time.jump(Duration.ofDays(1));
        assertThat(clock.isDoubted()).as("from here on it is a jump").isTrue();
    }

    @Test
    void aFirstStartIsNotDoubted() {
        clock.start(0);
        assertThat(clock.isDoubted()).isFalse();
    }

    @Test
    void aStartLongAfterTheLastKnownTimeIsDoubted() {
        clock.start(START - YEAR.toSeconds());
        assertThat(clock.now()).isEqualTo(START - YEAR.toSeconds());
        assertThat(clock.trouble())
                .startsWith(
                        "at the start the clock was 365d after the last known time, 2022-11-14T22:13:20Z: expiry and");
        pass(Duration.ofSeconds(59));
        time.jump(YEAR.negated());
        assertThat(clock.isDoubted()).as("it was wrong, and is right now").isFalse();
        assertThat(clock.now()).isEqualTo(START - YEAR.toSeconds() + 59);
    }

    @Test
    void aStartBeforeTheLastKnownTimeIsDoubted() {
        clock.start(START + 86_400);
        assertThat(clock.now()).isEqualTo(START + 86_400);
        assertThat(clock.trouble()).startsWith("at the start the clock was 1d before the last known time, ");
        pass(Duration.ofHours(1));
        assertThat(clock.now()).isEqualTo(START + 3600);
    }

    /** Otherwise standbys whose clocks are right would doubt these, and go by a time that is too early. */
    @Test
    void aDaemonThatDoubtsItsClockSinceItsStartTellsNoOtherDaemonTheTime() {
        time.jump(YEAR);
        assertThat(clock.own()).as("the monotonic clock goes on").hasValue(START);
        WallClock started = new WallClock(time, time::nanos, LIMITS);
        started.start(START);
        assertThat(started.own()).isEmpty();
        time.jump(YEAR);
        assertThat(started.own()).as("another jump").isEmpty();
        assertThat(started.agrees(START, 0)).isFalse();
        assertThat(started.own()).as("the leader's time").hasValue(START);
        time.jump(YEAR.multipliedBy(2).negated());
        assertThat(started.own()).hasValue(START);
        assertThat(started.isDoubted()).isFalse();
    }

    /** A long holds 292 years of nanoseconds; the last two values are the limits of the calendar of Java. */
    @ParameterizedTest
    @ValueSource(
            longs = {
                -1,
                -100 * 365 * 86_400L,
                300 * 365 * 86_400L,
                9_000 * 365 * 86_400L,
                -31557014167219200L,
                31556889864403199L
            })
    void anImplausibleClockIsNotAnError(long seconds) {
        InstantSource wrong = InstantSource.fixed(Instant.ofEpochSecond(seconds));
        WallClock odd = new WallClock(wrong, time::nanos, LIMITS);
        double now = Math.min(Math.max(Epoch.FIRST, (double) seconds), Epoch.LAST);
        assertThat(odd.now()).isEqualTo(now);
        assertThat(odd.instant()).isEqualTo(Instant.ofEpochSecond((long) now));
        odd.start(START);
        assertThat(odd.now()).isEqualTo(START);
        assertThat(odd.trouble()).contains("at the start the clock was ");
        odd.accept(Rig.ALICE);
        assertThat(odd.now()).isEqualTo(now);
    }

    @Test
    void aTimeAfterTheLastOneIsNotReached() {
        WallClock late =
                new WallClock(InstantSource.fixed(Instant.ofEpochSecond((long) Epoch.LAST)), time::nanos, LIMITS);
        pass(Duration.ofHours(1));
        assertThat(late.now()).isEqualTo(Epoch.LAST);
    }
}
