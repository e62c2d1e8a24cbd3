package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.axis.Standing;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Checks that end holds, and work that holds ask for. */
class WorkChangesTest {
    private static final Principal ROBOT = new Principal(1003, "robot", 1);
    private static final Principal OTHER = new Principal(1004, "other", 1);
    private static final WorkChanges.Facts IDLE = facts("", true);

    private final States four = States.four();

    private static WorkChanges.Facts facts(String busy, boolean needsBoot) {
        return new WorkChanges.Facts() {
            @Override
            public String busy(int rank, double since) {
                return busy;
            }

            @Override
            public boolean needsBoot(String action) {
                return needsBoot;
            }
        };
    }

    private static HoldChanges.Drain drain(String targets, String holder, String check, String action) {
        return new HoldChanges.Drain(
                targets, "new dimm", HoldChanges.Mode.NONE, holder, 0, 0, 0, new Purpose("", "", check, action));
    }

    private static Command result(int host, String check, long attempt, boolean ok) {
        return new CheckChanges.ReportCheck("host" + host, check, attempt, ok, ok ? "" : "60 GB");
    }

    private static Command claim(int host, long attempt) {
        return new WorkChanges.ClaimWork("host" + host, attempt, 600).with(IDLE);
    }

    private static Command done(int host, long attempt) {
        return new WorkChanges.ReportWork("host" + host, attempt, true, "");
    }

    private static Command boot(int host, String id) {
        return new CheckChanges.ReportBoot("host" + host, id);
    }

    private String words(Command command) {
        return words(command, States.ALICE);
    }

    private String words(Command command, Principal by) {
        return States.words(four.run(command, by));
    }

    private Hold hold(int rank, String holder) {
        return Objects.requireNonNull(
                Objects.requireNonNull(four.state().holds().on(rank)).of(holder));
    }

    @Test
    void theResultOkEndsTheHoldOfItsAttemptAndNoOther() {
        four.after(drain("1-2", "ops", "burn-in", ""), drain("1", "admin", "", ""), drain("1", "nhc", "nhc", ""));
        assertThat(hold(1, "ops").attempt()).isEqualTo(1);
        assertThat(hold(1, "nhc").attempt()).isEqualTo(2);
        assertThat(words(result(1, "burn-in", 1, true)))
                .isEqualTo(
                        "attempt {'idset':'1','nodelist':'host1','holder':'ops','attempt':1,'step':'passed'}\n"
                                + "undrain {'idset':'1','nodelist':'host1','reason':'burn-in passed','overwrite':0,'holder':'ops'}");
        assertThat(Objects.requireNonNull(four.state().holds().on(1)).holds()).hasSize(2);
        assertThat(hold(2, "ops").attempt())
                .as("the hold of another host stays")
                .isEqualTo(1);
    }

    @Test
    void aFailureKeepsTheHoldWithItsDetail() {
        four.after(drain("1", "ops", "burn-in", ""));
        assertThat(words(result(1, "burn-in", 1, false)))
                .isEqualTo("attempt {'idset':'1','nodelist':'host1','holder':'ops','attempt':1,'step':'check-failed',"
                        + "'detail':'60 GB'}");
        assertThat(Objects.requireNonNull(hold(1, "ops").standing()).detail()).isEqualTo("60 GB");
        assertThat(words(result(1, "burn-in", 1, true))).contains("undrain");
        assertThat(four.state().holds().held().isEmpty()).isTrue();
    }

    @Test
    void resultsOfOlderAttemptsAndUnknownChecksAndHostsAreRefused() {
        four.after(drain("1", "ops", "burn-in", ""));
        assertThat(words(result(1, "burnin", 1, true)))
                .isEqualTo(
                        "EXISTS the result of burnin is about no hold: no hold on host1 waits for the check burnin; it was"
                                + " lifted or never placed");
        assertThat(words(claim(1, 1)))
                .isEqualTo(
                        "EXISTS the claim is about no hold: no hold on host1 waits for an action; it was lifted or never"
                                + " placed");
        assertThat(words(result(9, "burn-in", 1, true))).isEqualTo("INVALID there is no host host9");
        four.after(new HoldChanges.Undrain("1", null, HoldChanges.Mode.NONE, "ops"));
        assertThat(words(result(1, "burn-in", 1, true))).startsWith("EXISTS the result of burn-in is about no hold");
        four.after(drain("1", "ops", "burn-in", ""));
        assertThat(words(result(1, "burn-in", 1, true)))
                .isEqualTo(
                        "STALE the result of burn-in is of attempt 1 on host1, and the attempt is 2 (hold ops) now: ask for"
                                + " it with `muster work list host1`");
        four.after(new HoldChanges.Drain(
                "1", "again", HoldChanges.Mode.OVERWRITE, "ops", 0, 0, 0, new Purpose("", "", "burn-in", "")));
        assertThat(words(result(1, "burn-in", 2, true)))
                .as("a hold that is placed again is another attempt")
                .startsWith("STALE");
        assertThat(words(new CheckChanges.ReportCheck("host1", "burn-in", 3, false, "two\nlines")))
                .startsWith("INVALID the detail must be one line of text");
    }

    @Test
    void workIsClaimedOnceAndOnlyTheClaimantReports() {
        four.after(drain("1", "ops", "nhc", "reseat"), boot(1, "b1"));
        assertThat(words(result(1, "nhc", 1, true)))
                .isEqualTo(
                        "EXISTS the result of nhc on host1 counts after the action reseat of attempt 1 is done: nobody"
                                + " has claimed it");
        assertThat(words(done(1, 1), ROBOT))
                .startsWith("EXISTS the action reseat on host1, attempt 1, is not claimed now");
        Command unproved = new WorkChanges.ClaimWork("host1", 1, 600).with(facts("", false));
        assertThat(words(unproved, ROBOT))
                .isEqualTo(
                        "attempt {'idset':'1','nodelist':'host1','holder':'ops','attempt':1,'step':'claimed','until':700}");
        assertThat(words(claim(1, 1), OTHER))
                .isEqualTo(
                        "HELD_BY_OTHER the action reseat on host1, attempt 1, cannot be claimed: robot(1003) has claimed it"
                                + " until 1970-01-01T00:11:40Z");
        assertThat(words(claim(1, 1), ROBOT)).startsWith("HELD_BY_OTHER");
        assertThat(words(done(1, 1), OTHER))
                .isEqualTo(
                        "HELD_BY_OTHER the action reseat on host1, attempt 1: robot(1003) has claimed it, and nobody else"
                                + " reports about it");
        assertThat(words(result(1, "nhc", 1, true))).startsWith("EXISTS");
        assertThat(words(done(1, 1), ROBOT)).contains("'step':'done'");
        assertThat(words(claim(1, 1), ROBOT)).startsWith("EXISTS");
        assertThat(words(result(1, "nhc", 1, false))).contains("'step':'check-failed'");
        assertThat(words(result(1, "nhc", 1, true))).contains("undrain");
        assertThat(words(done(1, 1), ROBOT)).as("the hold is lifted").startsWith("EXISTS the report is about no hold");
    }

    @Test
    void aBusyHostIsNotOffered() {
        four.after(drain("1", "ops", "nhc", "reseat"));
        Command busy = new WorkChanges.ClaimWork("host1", 1, 600).with(facts("jobs use it", false));
        assertThat(words(busy, ROBOT))
                .isEqualTo("EXISTS the action reseat on host1, attempt 1, cannot be claimed: jobs use it");
        assertThat(words(new WorkChanges.ClaimWork("host1", 1, 600), ROBOT)).contains("nobody reports");
        assertThat(words(new WorkChanges.ClaimWork("host1", 1, 5).with(IDLE), ROBOT))
                .isEqualTo("INVALID the lease of a claim is 10 s to 7 days");
    }

    @Test
    void aRebootCountsOnlyIfTheHostReportedAnotherBootIdSinceTheClaim() {
        four.after(drain("1", "ops", "nhc", "reboot"));
        assertThat(words(claim(1, 1), ROBOT)).contains("a boot id proves it, and host1 has reported none");
        assertThat(words(boot(1, "b1"))).isEqualTo("boot {'idset':'1','nodelist':'host1','boot':'b1'}");
        assertThat(words(boot(1, "b1"))).isEmpty();
        four.at(200);
        assertThat(words(claim(1, 1), ROBOT)).contains("'boot':'b1'");
        assertThat(words(done(1, 1), ROBOT))
                .startsWith(
                        "EXISTS the action reboot on host1, attempt 1, is not proved: host1 has reported no other boot id"
                                + " since the claim than b1");
        four.at(300).after(boot(1, "b2"));
        assertThat(words(done(1, 1), ROBOT)).contains("'step':'done'");
    }

    @Test
    void aClaimThatRanOutIsAnotherAttempt() {
        four.after(drain("1", "ops", "nhc", "reboot"), boot(1, "b1"));
        four.afterBy(ROBOT, claim(1, 1));
        assertThat(four.state().holds().nextDeadline()).isEqualTo(700);
        four.at(650).after(boot(1, "b2"));
        four.at(700);
        assertThat(words(done(1, 1), ROBOT))
                .as("late, although the timer has not come yet")
                .isEqualTo(
                        "STALE the action reboot on host1, attempt 1: the claim ended at 1970-01-01T00:11:40Z, so the report"
                                + " is late");
        assertThat(words(new PlanChanges.MeetDeadlines(), Principal.DAEMON))
                .isEqualTo(
                        "attempt {'idset':'1','nodelist':'host1','holder':'ops','attempt':1,'step':'lapsed','next':2}");
        assertThat(words(new PlanChanges.MeetDeadlines(), Principal.DAEMON)).isEmpty();
        assertThat(four.state().holds().nextDeadline()).isZero();
        assertThat(words(done(1, 1), ROBOT))
                .startsWith("STALE the report is of attempt 1 on host1, and the attempt is 2");
        assertThat(words(claim(1, 1), ROBOT)).startsWith("STALE");
        assertThat(words(claim(1, 2), OTHER)).contains("'boot':'b2'");
    }

    @Test
    void aFailedActionWaitsForAPerson() {
        four.after(drain("1", "ops", "nhc", "reboot"), boot(1, "b1"));
        four.afterBy(ROBOT, claim(1, 1)).afterBy(ROBOT, new WorkChanges.ReportWork("host1", 1, false, "no BMC"));
        assertThat(Objects.requireNonNull(hold(1, "ops").standing()).step()).isEqualTo(Standing.Step.FAILED);
        assertThat(words(claim(1, 1), OTHER)).contains("failed to do it: no BMC; drain the host again");
        assertThat(four.state().holds().nextDeadline()).isZero();
        four.after(new HoldChanges.Drain(
                "1", "again", HoldChanges.Mode.OVERWRITE, "ops", 0, 0, 0, new Purpose("", "", "nhc", "reboot")));
        assertThat(words(claim(1, 2), OTHER)).contains("'step':'claimed'");
    }

    @Test
    void everythingIsReadAsItWasWritten() {
        four.after(drain("1-2", "ops", "nhc", "reboot"), boot(1, "b1"), boot(2, "c1"));
        four.afterBy(ROBOT, claim(1, 1)).afterBy(ROBOT, claim(2, 1)).at(900);
        four.run(new PlanChanges.MeetDeadlines(), Principal.DAEMON);
        four.after(boot(1, "b2"));
        four.afterBy(ROBOT, claim(1, 2));
        InventoryState replayed = States.four().state();
        for (Entry entry : four.entries()) {
            replayed = Entry.parse(States.tree(entry)).applyTo(replayed);
        }
        String snapshot = States.snapshot(four.state());
        assertThat(States.snapshot(replayed)).isEqualTo(snapshot);
        InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(four.state())));
        assertThat(States.snapshot(read)).isEqualTo(snapshot).contains("\"boots\"", "\"standing\"");
        assertThat(read.holds().nextDeadline()).isEqualTo(four.state().holds().nextDeadline());
    }

    @Test
    void aHostThatLeavesKeepsItsAttemptAndNoBootId() {
        four.after(drain("3", "ops", "nhc", "reboot"), boot(3, "d1"));
        four.afterBy(ROBOT, claim(3, 1));
        four.after(States.define(States.resources("0-2", "host[0-2]")));
        assertThat(words(done(3, 1), ROBOT)).isEqualTo("INVALID there is no host host3");
        assertThat(four.state().bootOf("host3")).isNull();
        four.at(800).after(States.define(States.resources("0-3", "host[0-3]")));
        assertThat(words(new PlanChanges.MeetDeadlines(), Principal.DAEMON)).contains("'step':'lapsed','next':2");
    }
}
