package io.muster.inventory.state;

import static io.muster.inventory.state.States.BOB;
import static io.muster.inventory.state.States.config;
import static io.muster.inventory.state.States.define;
import static io.muster.inventory.state.States.drain;
import static io.muster.inventory.state.States.exclude;
import static io.muster.inventory.state.States.hold;
import static io.muster.inventory.state.States.include;
import static io.muster.inventory.state.States.map;
import static io.muster.inventory.state.States.report;
import static io.muster.inventory.state.States.resources;
import static io.muster.inventory.state.States.shrink;
import static io.muster.inventory.state.States.undrain;
import static io.muster.inventory.state.States.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.HoldChanges.Mode;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The outcome of each command, row by row. At the start, four hosts, host0 to host3, are online. */
class CommandTest {
    private final States four = States.four();

    private String outcome(Command command) {
        return words(four.run(command));
    }

    private String outcome(Command command, Principal by) {
        return words(four.run(command, by));
    }

    private static Command undrainOf(String targets, String holder, Mode mode) {
        return new HoldChanges.Undrain(targets, null, mode, holder);
    }

    private Hold shared(int rank) {
        HoldSet set = Objects.requireNonNull(four.state().holds().on(rank));
        return Objects.requireNonNull(set.of(Hold.SHARED));
    }

    private void assertUp(String up) {
        assertThat(four.state().view().up()).hasToString(up);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "9|INVALID idset is out of range: rank 9 is not in the resource set, which has 0-3",
                "2-5|INVALID idset is out of range: ranks 4-5 are not in the resource set, which has 0-3",
                "2147483646|INVALID idset is out of range: rank 2147483646 is not in the resource set, which has 0-3",
                "nosuch|INVALID invalid targets: invalid hosts: nosuch",
                "host[0-9]|INVALID invalid targets: invalid hosts: host[4-9]",
                "host0,a,b,a|INVALID invalid targets: invalid hosts: a,b",
                "``|INVALID idset is empty",
                "[]|INVALID idset is empty",
                "host[1-|INVALID invalid targets: Hostlist cannot be decoded: hostlist \"host[1-\": "
                        + "the range has no end at position 7",
                "2-1|INVALID invalid targets: idset \"2-1\": a range must end above its start 2 at position 2",
            })
    void unknownTargetsAreRefusedWithTheSentenceOfFluxCore(String targets, String outcome) {
        assertThat(outcome(drain(targets))).isEqualTo(outcome);
        assertThat(outcome(exclude(targets))).isEqualTo(outcome(undrain(targets)));
        assertThat(four.entries()).isEmpty();
    }

    @Test
    void drainAndUndrainTakeRanksOrHosts() {
        assertThat(outcome(drain("1", "dimm")))
                .isEqualTo("drain {'idset':'1','nodelist':'host1','reason':'dimm','overwrite':0,'holder':'admin'}");
        assertUp("0,2-3");
        assertThat(outcome(drain("host[2-3]")))
                .isEqualTo("drain {'idset':'2-3','nodelist':'host[2-3]','overwrite':0,'holder':'admin'}");
        assertUp("0");
        assertThat(outcome(new HoldChanges.Undrain("host1", "fixed", Mode.NONE, null)))
                .isEqualTo("undrain {'idset':'1','nodelist':'host1','reason':'fixed','overwrite':0,'holder':'admin'}");
        assertUp("0-1");
        assertThat(four.state().holds().held()).hasToString("2-3");
    }

    @Test
    void oneUserHasALimitedNumberOfHoldsOnAHost() {
        for (int i = 0; i < 64; i++) {
            four.after(new HoldChanges.Drain("1", "x", Mode.NONE, "job" + i, 0));
        }
        Command more = new HoldChanges.Drain("0-2", "x", Mode.NONE, "more", 0);
        assertThat(outcome(more))
                .isEqualTo(
                        "LIMIT host1 (rank 1): alice(1001) has 64 holds there already, and one user may have no more on a"
                                + " host: end some of them first");
        assertThat(outcome(new HoldChanges.Drain("0-2", "y", Mode.OVERWRITE, "job7", 0)))
                .contains("'idset':'0-2'");
        assertThat(outcome(more, BOB)).contains("'idset':'0-2'");
        Event byBob = new HoldChanges.Drained(
                Event.Targets.of(four.state(), Idset.of(1)), "z", HoldChanges.Overwrite.NOTHING, "bob", 0);
        InventoryState both = four.state().apply(byBob, 100, BOB);
        assertThat(new HoldChanges.Drain("1", "mine", Mode.OVERWRITE, "bob", 0)
                        .decide(both, 101, States.ALICE)
                        .rejection())
                .as("a hold that is taken over counts too")
                .isNotNull();
        HoldSet set = Objects.requireNonNull(four.state().holds().on(1));
        Event recorded = new HoldChanges.Drained(
                Event.Targets.of(four.state(), Idset.of(1)), "z", HoldChanges.Overwrite.NOTHING, "job64", 0);
        InventoryState replayed = four.state().apply(recorded, 101, States.ALICE);
        assertThat(Objects.requireNonNull(replayed.holds().on(1)).holds())
                .as("a journal from before the limit")
                .hasSize(set.holds().size() + 1);
    }

    @Test
    void aHoldThatIsRepeatedWithoutAChangeWritesNothing() {
        Principal otherProcess = new Principal(States.ALICE.uid(), States.ALICE.user(), 43);
        HoldChanges.Drain first = new HoldChanges.Drain("0-2", "dimm", Mode.OVERWRITE, "ops", 200);
        four.after(first, drain("3"));
        four.at(110);
        assertThat(outcome(first, otherProcess)).isEmpty();
        assertThat(outcome(new HoldChanges.Drain("0-2", "dimm", Mode.UPDATE, "ops", 300)))
                .isEmpty();
        assertThat(outcome(new HoldChanges.Drain("3", null, Mode.OVERWRITE, Hold.SHARED, 0)))
                .isEmpty();
        assertThat(outcome(new HoldChanges.Drain("0-3", "dimm", Mode.OVERWRITE, "ops", 200)))
                .contains("'idset':'3'");
        for (HoldChanges.Drain change : List.of(
                new HoldChanges.Drain("0", "fan", Mode.OVERWRITE, "ops", 200),
                new HoldChanges.Drain("0", "fan", Mode.OVERWRITE, "ops", 300),
                new HoldChanges.Drain("0", "fan", Mode.FORCE_OVERWRITE, "ops", 300))) {
            assertThat(outcome(change)).contains("'idset':'0'");
            assertThat(outcome(change)).isEmpty();
        }
        assertThat(outcome(new HoldChanges.Drain("0", "fan", Mode.OVERWRITE, "ops", 300), BOB))
                .contains("'idset':'0'");
    }

    /** Outcomes measured with flux-core; up to the colon the sentences are flux-core's own. */
    @Test
    void aDrainedRankIsNotDrainedAgainWithoutAMode() {
        four.after(drain("1", "dimm"), drain("2", ""), drain("3"));
        assertThat(outcome(drain("1"))).isEqualTo("EXISTS rank 1 already drained: host1");
        assertThat(outcome(drain("1", "other"))).isEqualTo("EXISTS rank 1 already drained: host1");
        assertThat(outcome(drain("0-2", "other"))).isEqualTo("EXISTS ranks 1-2 already drained: host[1-2]");
        assertThat(outcome(drain("2", "an empty reason is a reason")))
                .isEqualTo("EXISTS rank 2 already drained: host2");
        assertThat(four.state().view().up()).hasToString("0");
    }

    @Test
    void aDrainAddsAMissingReasonAndKeepsTheTime() {
        four.after(drain("3"));
        four.at(200);
        assertThat(outcome(drain("3"), BOB)).isEmpty();
        assertThat(outcome(drain("2-3"), BOB))
                .isEqualTo("drain {'idset':'2','nodelist':'host2','overwrite':0,'holder':'admin'}");
        assertThat(outcome(drain("2-3", null, Mode.UPDATE))).isEmpty();
        assertThat(shared(3).reason()).isNull();
        assertThat(shared(3).by()).isEqualTo(States.ALICE);
        assertThat(outcome(drain("3", "fan"))).startsWith("drain {'idset':'3'");
        assertThat(shared(3).reason()).isEqualTo("fan");
        assertThat(shared(3).since()).isEqualTo(100);
    }

    @Test
    void updateKeepsReasonsAndDrainsTheOtherRanks() {
        four.after(drain("1", "dimm"), drain("2")).at(200);
        assertThat(outcome(drain("0-2", "new", Mode.UPDATE)))
                .isEqualTo(
                        "drain {'idset':'0,2','nodelist':'host[0,2]','reason':'new','overwrite':0,'holder':'admin'}");
        assertThat(shared(0).since()).isEqualTo(200);
        assertThat(shared(1).reason()).isEqualTo("dimm");
        assertThat(shared(2).reason()).isEqualTo("new");
        assertThat(shared(2).since()).isEqualTo(100);
        assertThat(outcome(drain("0-2", "newer", Mode.UPDATE))).isEmpty();
    }

    @Test
    void overwriteReplacesTheReasonAndForceOverwriteAlsoTheTime() {
        four.after(drain("1", "dimm")).at(200);
        assertThat(outcome(drain("1", "fan", Mode.OVERWRITE)))
                .isEqualTo("drain {'idset':'1','nodelist':'host1','reason':'fan','overwrite':1,'holder':'admin'}");
        assertThat(shared(1).reason()).isEqualTo("fan");
        assertThat(shared(1).since()).isEqualTo(100);
        assertThat(outcome(drain("1", null, Mode.OVERWRITE))).contains("'overwrite':1");
        assertThat(shared(1).reason()).isNull();
        assertThat(outcome(drain("1", "psu", Mode.FORCE_OVERWRITE)))
                .isEqualTo("drain {'idset':'1','nodelist':'host1','reason':'psu','overwrite':2,'holder':'admin'}");
        assertThat(shared(1).since()).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void excludedAndLostRanksAreNotDrained(Mode mode) {
        four.after(exclude("2"), shrink("3"));
        assertThat(outcome(drain("2", "x", mode))).isEqualTo("INVALID rank 2 excluded: host2");
        assertThat(outcome(drain("1-2", "x", mode))).isEqualTo("INVALID rank 2 excluded: host2");
        assertThat(outcome(drain("3", "x", mode))).isEqualTo("INVALID rank 3 lost: host3");
        assertThat(outcome(drain("0-3", "x", mode))).isEqualTo("INVALID ranks 2-3 excluded or lost: host[2-3]");
        assertThat(four.state().holds().held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void drainingDrainedAndExcludedRanksTogetherIsRefusedWithExists() {
        four.after(drain("1", "x"), exclude("2"));
        assertThat(outcome(drain("1-2", "y"))).isEqualTo("EXISTS ranks 1-2 already drained or excluded: host[1-2]");
    }

    @Test
    void undrainingARankThatIsNotDrainedNeedsAMode() {
        four.after(drain("2"));
        assertThat(outcome(undrain("1"))).isEqualTo("EXISTS rank 1 not drained: host1");
        assertThat(outcome(undrain("0-2"))).isEqualTo("EXISTS ranks 0-1 not drained: host[0-1]");
        assertThat(outcome(undrain("0-1", Mode.UPDATE))).isEmpty();
        assertThat(outcome(undrain("0-2", Mode.OVERWRITE)))
                .isEqualTo("undrain {'idset':'2','nodelist':'host2','overwrite':1,'holder':'admin'}");
        assertThat(outcome(undrain("0-2", Mode.FORCE_OVERWRITE))).isEmpty();
    }

    @Test
    void aRankIsDrainedUntilItsLastHoldEnds() {
        four.after(drain("1", "dimm"), hold("1", "ops", 0), hold("1-2", "health", 0));
        assertThat(outcome(undrain("1"))).contains("'holder':'admin'");
        assertUp("0,3");
        assertThat(outcome(undrainOf("1", "ops", Mode.NONE)))
                .isEqualTo("undrain {'idset':'1','nodelist':'host1','overwrite':0,'holder':'ops'}");
        assertUp("0,3");
        assertThat(outcome(undrainOf("1-2", "health", Mode.NONE))).contains("'idset':'1-2'");
        assertUp("0-3");
    }

    @Test
    void endingAHoldOfAnotherUserNeedsForce() {
        four.after(hold("1-2", "ops", 0));
        assertThat(outcome(undrain("1"), BOB))
                .isEqualTo("HELD_BY_OTHER host1 (rank 1) held by ops, set by alice(1001): name the holder");
        assertThat(outcome(undrainOf("1", "ops", Mode.NONE), BOB))
                .isEqualTo("HELD_BY_OTHER host1 (rank 1) held by ops, set by alice(1001): "
                        + "only the user who set it may change it without force");
        assertThat(outcome(undrainOf("1", "ops", Mode.UPDATE), BOB)).startsWith("HELD_BY_OTHER host1");
        assertThat(outcome(undrainOf("1", "ops", Mode.OVERWRITE), BOB)).contains("'holder':'ops'");
        assertThat(outcome(undrain("1-2", Mode.UPDATE), BOB)).isEmpty();
        assertThat(outcome(undrain("1-2", Mode.FORCE_OVERWRITE), BOB))
                .isEqualTo("undrain {'idset':'2','nodelist':'host2','overwrite':2,'holder':'*'}");
        assertUp("0-3");
    }

    @Test
    void anotherUserChangesANamedHoldOnlyWithOverwrite() {
        four.after(new HoldChanges.Drain("1", null, Mode.NONE, "ops", 0));
        Command meddling = new HoldChanges.Drain("1", "mine now", Mode.NONE, "ops", 101);
        assertThat(outcome(meddling, BOB))
                .isEqualTo("HELD_BY_OTHER host1 (rank 1) held by ops, set by alice(1001): "
                        + "only the user who set it may change it without force");
        assertThat(outcome(new HoldChanges.Drain("1", "x", Mode.UPDATE, "ops", 0), BOB))
                .startsWith("HELD_BY_OTHER");
        assertThat(outcome(new HoldChanges.Drain("1", "x", Mode.OVERWRITE, "ops", 0), BOB))
                .contains("'reason':'x'");
        assertThat(outcome(undrainOf("1", "ops", Mode.NONE), BOB)).contains("'idset':'1'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|INVALID a holder's name has 1 to 64 characters, not 0",
                "a b|INVALID holder \"a b\": letters, digits and ._:@- only",
                "*|INVALID holder \"*\": letters, digits and ._:@- only",
                "ä|INVALID holder \"ä\": letters, digits and ._:@- only",
            })
    void theNameOfAHolderIsOneWord(String holder, String outcome) {
        assertThat(outcome(hold("1", holder, 0))).isEqualTo(outcome);
        assertThat(outcome(undrainOf("1", holder, Mode.NONE))).isEqualTo(outcome);
        assertThat(outcome(hold("1", "x".repeat(65), 0)))
                .isEqualTo("INVALID a holder's name has 1 to 64 characters, not 65");
        assertThat(outcome(hold("1", "x".repeat(64), 0))).startsWith("drain ");
    }

    @ParameterizedTest
    @CsvSource({
        "100, not in the future",
        "99.9, not in the future",
        "100.0000004, not in the future",
        "-1, not in the future",
        "NaN, not a date before the year 10000",
        "Infinity, not a date before the year 10000",
        "-Infinity, not in the future",
        "253402300800, not a date before the year 10000",
    })
    void theEndOfAHoldMustBeInTheFuture(double until, String fault) {
        assertThat(outcome(hold("1", "ops", until))).isEqualTo("INVALID the end of the hold is " + fault);
        assertThat(outcome(hold("1", "ops", 100.000001))).contains("'until':100.000001");
    }

    @Test
    void aHoldThatLastsMoreThanFiveYearsIsRefusedAndStaysIfItWasAcceptedOnce() {
        double years = 5 * 366 * 86_400.0;
        String fault = "INVALID the hold lasts more than 5 years: check the year, or give no end";
        assertThat(outcome(hold("2", "ops", 100 + years))).contains("'until':158112100}");
        assertThat(outcome(hold("2", "ops", 101 + years))).isEqualTo(fault);
        assertThat(outcome(new HoldChanges.Drain("2", "x", Mode.NONE, "ops", 0, 0, years + 1, Purpose.NONE)))
                .isEqualTo(fault);
        assertThat(outcome(new HoldChanges.Drain("2", "x", Mode.NONE, "ops", 200, 201 + years, 0, Purpose.NONE)))
                .isEqualTo(fault);
        Event.Targets two = new Event.Targets(Idset.of(2), "host2");
        Event accepted = new HoldChanges.Drained(two, "x", HoldChanges.Overwrite.NOTHING, "ops", Epoch.LAST);
        assertThat(States.four().state().apply(accepted, 100, BOB).holds().nextDeadline())
                .isEqualTo(Epoch.LAST);
    }

    @Test
    void anOverwriteKeepsTheEndUnlessAnEndIsGiven() {
        four.after(hold("1", Hold.SHARED, 500));
        four.after(drain("1", "other", Mode.OVERWRITE));
        assertThat(shared(1).until()).isEqualTo(500);
        four.after(new HoldChanges.Drain("1", "other", Mode.OVERWRITE, Hold.SHARED, 600));
        assertThat(shared(1).until()).isEqualTo(600);
        four.after(drain("1", "for good", Mode.FORCE_OVERWRITE));
        assertThat(shared(1).until()).isZero();
        assertThat(four.state().holds().nextDeadline()).isZero();
    }

    @Test
    void expiredHoldsAreLifted() {
        four.after(hold("0-1", "ops", 200), hold("1-2", "health", 200), hold("3", "ops", 300), drain("2", "x"));
        assertThat(four.state().holds().nextDeadline()).isEqualTo(200);
        assertThat(outcome(new PlanChanges.MeetDeadlines())).isEmpty();
        four.at(200);
        assertThat(outcome(new PlanChanges.MeetDeadlines()))
                .isEqualTo("undrain {'idset':'0-1','nodelist':'host[0-1]','reason':'the hold ran out','overwrite':0,"
                        + "'holder':'ops'}\n"
                        + "undrain {'idset':'1-2','nodelist':'host[1-2]','reason':'the hold ran out','overwrite':0,"
                        + "'holder':'health'}");
        assertUp("0-1");
        assertThat(four.state().holds().nextDeadline()).isEqualTo(300);
        assertThat(outcome(new PlanChanges.MeetDeadlines())).isEmpty();
    }

    @Test
    void excludeEndsTheSharedHoldAndIncludeOffersAgain() {
        four.after(drain("1", "x"));
        assertThat(outcome(new MembershipChanges.Exclude("1-2", "burn-in")))
                .isEqualTo(
                        "undrain {'idset':'1','nodelist':'host1','reason':'excluded','overwrite':0,'holder':'admin'}\n"
                                + "exclude {'idset':'1-2','nodelist':'host[1-2]','kind':'admin','reason':'burn-in'}");
        assertThat(four.state().members()).hasToString("0,3");
        assertThat(four.state().holds().held()).isEqualTo(Idset.EMPTY);
        assertThat(outcome(exclude("2"))).isEmpty();
        assertThat(outcome(exclude("2-3"))).isEqualTo("exclude {'idset':'3','nodelist':'host3','kind':'admin'}");
        assertThat(outcome(new MembershipChanges.Include("0-2", "done")))
                .isEqualTo("include {'idset':'1-2','nodelist':'host[1-2]','kind':'admin','reason':'done'}");
        assertThat(outcome(include("0-2"))).isEmpty();
        assertUp("0-2");
    }

    @Test
    void anAdminCannotIncludeRanksThatTheConfigurationExcludes() {
        assertThat(outcome(config("2-3")))
                .isEqualTo(
                        "exclude {'idset':'2-3','nodelist':'host[2-3]','kind':'config','reason':'resource.exclude'}");
        assertThat(outcome(include("1-3")))
                .isEqualTo("INVALID host[2-3] (ranks 2-3) excluded by the configuration: "
                        + "change resource.exclude there and reload it");
        assertThat(outcome(config("2-3"))).isEmpty();
        assertThat(outcome(config("0,3")))
                .isEqualTo("include {'idset':'2','nodelist':'host2','kind':'config',"
                        + "'reason':'no longer in resource.exclude'}\n"
                        + "exclude {'idset':'0','nodelist':'host0','kind':'config','reason':'resource.exclude'}");
        assertUp("1-2");
    }

    @Test
    void anExclusionByAnAdminSurvivesChangesOfTheConfiguration() {
        four.after(exclude("1"), config("1-2"), config(""));
        assertThat(four.state().members()).hasToString("0,2-3");
        four.after(config("2"), exclude("2"), config(""));
        assertThat(four.state().members()).hasToString("0,3");
        four.after(include("1-2"));
        assertThat(four.state().members()).hasToString("0-3");
    }

    @Test
    void excludingALostRankDoesNotChangeThatItIsLost() {
        four.after(shrink("1"), exclude("1"), config("1"), config(""));
        assertThat(four.state().view().lost()).hasToString("1");
        assertThat(four.state().membership().excluded()).hasToString("1");
        four.after(include("1"));
        assertThat(four.state().view().lost()).isEqualTo(Idset.EMPTY);
        assertUp("0-3");
    }

    @Test
    void shrinkRemovesExcludedRanksAndKeepsOneMember() {
        four.after(exclude("3"), drain("0", "x"));
        assertThat(outcome(new MembershipChanges.Shrink("3", "scrapped")))
                .isEqualTo("shrink {'idset':'3','nodelist':'host3','kind':'lost','reason':'scrapped'}");
        assertThat(outcome(shrink("3"))).isEmpty();
        assertThat(outcome(shrink("0-2")))
                .isEqualTo("INVALID host[0-2] (ranks 0-2) would leave no rank on offer: "
                        + "drain instead, or stop the daemon");
        assertThat(outcome(shrink("0-1"))).contains("'idset':'0-1'");
        assertThat(four.state().holds().held()).hasToString("0");
        assertThat(outcome(shrink("2-3"))).startsWith("INVALID host2 (rank 2)");
        four.after(exclude("2"));
        assertThat(outcome(shrink("2"))).contains("'idset':'2'");
    }

    @Test
    void aReportChangesOnlyRanksThatHaveAnotherStatus() {
        assertThat(outcome(report("online", "0-3"))).isEmpty();
        assertThat(outcome(new LivenessChanges.SetLiveness(LivenessChange.TORPID, "0-1", "no heartbeat")))
                .isEqualTo("torpid {'idset':'0-1','nodelist':'host[0-1]','cause':'no heartbeat'}");
        assertUp("2-3");
        assertThat(outcome(report("torpid", "0-1"))).isEmpty();
        assertThat(outcome(report("offline", "1-2"))).isEqualTo("offline {'idset':'1-2','nodelist':'host[1-2]'}");
        assertThat(outcome(report("torpid", "2"))).isEmpty();
        assertThat(outcome(report("lively", "0-3"))).isEqualTo("lively {'idset':'0','nodelist':'host0'}");
        assertUp("0,3");
        assertThat(outcome(report("online", "0-3"))).isEqualTo("online {'idset':'1-2','nodelist':'host[1-2]'}");
        assertThatThrownBy(() -> report("up", "0").decide(four.state(), 0, BOB))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void forceDownIgnoresUnknownAndOfflineRanks() {
        four.after(report("offline", "0"), report("torpid", "1"));
        assertThat(outcome(new LivenessChanges.ForceDown(Idset.parse("0-1,9"))))
                .isEqualTo("offline {'idset':'1','nodelist':'host1','cause':'forced down'}");
        assertThat(outcome(new LivenessChanges.ForceDown(Idset.parse("0-1,9")))).isEmpty();
        assertThat(outcome(new LivenessChanges.ForceDown(Idset.EMPTY))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-1|INVALID expiration must be 0 (never) or seconds since the epoch, before the year 10000",
                "NaN|INVALID expiration must be 0 (never) or seconds since the epoch, before the year 10000",
                "Infinity|INVALID expiration must be 0 (never) or seconds since the epoch, before the year 10000",
                "1795226327000|INVALID expiration must be 0 (never) or seconds since the epoch, before the year 10000",
                "50|INVALID expiration 50 is not after R's start time 50.5",
                "50.5000001|INVALID expiration 50.5 is not after R's start time 50.5",
                "50.500001|resource-update {'expiration':50.500001}",
                "2000000000|resource-update {'expiration':2000000000}",
                "2000000001.5|resource-update {'expiration':2000000001.5}",
                "100|",
                "0|resource-update {'expiration':0}",
                "-0.0|resource-update {'expiration':0}",
            })
    void theExpirationMustBeAfterTheStartTime(double expiration, String outcome) {
        String r = resources("0-3", "host[0-3]")
                .toString()
                .replace("\"starttime\":0.0", "\"starttime\":50.5")
                .replace("\"expiration\":0.0", "\"expiration\":100.0");
        four.after(define(ResourceSet.parse(r)));
        assertThat(outcome(new DefinitionChanges.SetExpiration(expiration))).isEqualTo(outcome == null ? "" : outcome);
        if (outcome != null && outcome.startsWith("resource")) {
            assertThat(four.state().view().expiration()).isEqualTo(Epoch.rounded(expiration));
            assertThat(outcome(new DefinitionChanges.SetExpiration(expiration))).isEmpty();
        }
    }

    @Test
    void aPropertyIsAddedOnlyToRanksWithoutItAndRemovedOnlyFromRanksWithIt() {
        assertThat(outcome(new DefinitionChanges.ChangeProperties(
                        true, map("batch", "2-3", "+inst", "host0", "gpu@v100", "1"))))
                .isEqualTo("property-add {'properties':{'+inst':'0','batch':'2','gpu@v100':'1'}}");
        assertThat(outcome(new DefinitionChanges.ChangeProperties(true, map("batch", "2-3"))))
                .isEmpty();
        assertThat(outcome(new DefinitionChanges.ChangeProperties(false, map("batch", "0-2", "nosuch", "1"))))
                .isEqualTo("property-remove {'properties':{'batch':'2'}}");
        assertThat(four.state().resources().properties()).hasToString("{+inst=0, batch=3, gpu@v100=1}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|1|INVALID a property name is empty",
                "a b!|1|INVALID property name \"a b!\" has the illegal character !",
                "a^b|1|INVALID property name \"a^b\" has the illegal character ^",
                "debug|9|INVALID idset is out of range: rank 9 is not in the resource set, which has 0-3",
                "debug|``|INVALID idset is empty",
            })
    void oneInvalidPropertyRefusesTheWholeRequest(String name, String targets, String outcome) {
        assertThat(outcome(new DefinitionChanges.ChangeProperties(true, map("aaa", "0", name, targets))))
                .isEqualTo(outcome);
        assertThat(four.state().resources().properties()).hasToString("{batch=3}");
    }

    static Stream<Arguments> wordings() {
        return Stream.of(
                Arguments.of("x".repeat(4096), ""),
                Arguments.of("\uD83D\uDE00".repeat(4096), ""),
                Arguments.of("", ""),
                Arguments.of(" Lüfter \"3\" \uD83D\uDE00 ", ""),
                Arguments.of("x".repeat(4097), "the %s has 4097 characters, and may have 4096"),
                Arguments.of("\uD83D\uDE00".repeat(4097), "the %s has 4097 characters, and may have 4096"),
                Arguments.of("a\nb", "the %s must be one line of text, but character 2 is U+000A"),
                Arguments.of("fan\r\n", "the %s must be one line of text, but character 4 is U+000D"),
                Arguments.of("\t", "the %s must be one line of text, but character 1 is U+0009"),
                Arguments.of("\0", "the %s must be one line of text, but character 1 is U+0000"),
                Arguments.of("\uD83D\uDE00\033[2J", "the %s must be one line of text, but character 2 is U+001B"),
                Arguments.of("\u007F", "the %s must be one line of text, but character 1 is U+007F"),
                Arguments.of("\u0085", "the %s must be one line of text, but character 1 is U+0085"),
                Arguments.of("a\u2028", "the %s must be one line of text, but character 2 is U+2028"),
                Arguments.of("a\u2029", "the %s must be one line of text, but character 2 is U+2029"),
                Arguments.of("a\uD83D", "the %s must be one line of text, but character 2 is U+D83D"));
    }

    @ParameterizedTest
    @MethodSource("wordings")
    void reasonsAndCausesAreOneLineOfLimitedLength(String text, String fault) {
        for (Command command : List.of(
                drain("1", text),
                new HoldChanges.Undrain("1", text, Mode.UPDATE, null),
                new MembershipChanges.Exclude("2", text),
                new MembershipChanges.Include("2", text),
                new MembershipChanges.Shrink("3", text),
                new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "1", text))) {
            String noun = command instanceof LivenessChanges.SetLiveness ? "cause" : "reason";
            Decision.Rejection rejection = four.run(command).rejection();
            assertThat(rejection == null ? "" : rejection.kind() + " " + rejection.text())
                    .isEqualTo(fault.isEmpty() ? "" : "INVALID " + fault.replace("%s", noun));
        }
    }

    @Test
    void definingTheCurrentRAgainChangesNothing() {
        four.after(
                new DefinitionChanges.SetExpiration(5000),
                new DefinitionChanges.ChangeProperties(true, map("debug", "0")));
        assertThat(outcome(define(resources("0-3", "host[0-3]")))).isEmpty();
        assertThat(outcome(define(resources("0-1", "host[0-1]")))).startsWith("resource-define {'method':'reload'");
        assertThat(four.state().resources().properties()).hasToString("{debug=0}");
        assertThat(four.state().resources().expiration()).isEqualTo(5000);
    }

    @Test
    void aRestartRecordsTheRanksAndChangesNothing() {
        four.after(report("offline", "1"));
        String before = States.snapshot(four.state());
        assertThat(outcome(new DefinitionChanges.Restart()))
                .isEqualTo("restart {'ranks':'0-3','online':'0,2-3','nodelist':'host[0-3]'}");
        assertThat(States.snapshot(four.state())).isEqualTo(before);
    }
}
