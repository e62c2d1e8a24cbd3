package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.HoldChanges.Mode;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Planned holds, what holds are for, and the numbers of attempts. */
class PlanChangesTest {
    private static final Purpose HARDWARE = Purpose.of("hardware", "OPS-881");
    private static final Purpose BURN_IN = new Purpose("", "", "burn-in", "");

    private final States four = States.four();

    private static HoldChanges.Drain plan(String targets, double from, double until) {
        return plan(targets, "cooling", Mode.NONE, from, until);
    }

    private static HoldChanges.Drain plan(String targets, String reason, Mode mode, double from, double until) {
        return new HoldChanges.Drain(targets, reason, mode, "ops", from, until, 0, HARDWARE);
    }

    private static HoldChanges.Drain check(String targets, Mode mode, double until) {
        return new HoldChanges.Drain(targets, "dimm", mode, "ops", 0, until, 0, BURN_IN);
    }

    private String run(Command command) {
        return States.words(four.run(command));
    }

    private String due() {
        return States.words(four.run(new PlanChanges.MeetDeadlines(), Principal.DAEMON));
    }

    private static String by() {
        return "{'userid':" + States.ALICE.uid() + ",'user':'" + States.ALICE.user() + "','pid':" + States.ALICE.pid()
                + "}";
    }

    private Hold held(int rank) {
        HoldSet set = Objects.requireNonNull(four.state().holds().on(rank));
        return Objects.requireNonNull(set.of("ops"));
    }

    @Test
    void aPlannedHoldBeginsOnceAndNotEarly() {
        assertThat(run(new HoldChanges.Drain("1-2", "cooling", Mode.NONE, "ops", 200, 0, 100, HARDWARE)))
                .isEqualTo("plan {'idset':'1-2','nodelist':'host[1-2]','reason':'cooling','overwrite':0,'holder':'ops',"
                        + "'from':200,'until':300,'class':'hardware','ticket':'OPS-881'}");
        assertThat(four.state().view().up()).isEqualTo(Idset.parse("0-3"));
        assertThat(four.state().plans().nextDeadline()).isEqualTo(200);
        four.at(199.9);
        assertThat(due()).isEmpty();
        four.at(200);
        assertThat(due())
                .isEqualTo(
                        "drain {'idset':'1-2','nodelist':'host[1-2]','reason':'cooling','overwrite':0,'holder':'ops',"
                                + "'from':200,'until':300,'class':'hardware','ticket':'OPS-881',"
                                + "'planner':" + by() + "}");
        assertThat(due()).isEmpty();
        assertThat(four.state().view().up()).isEqualTo(Idset.parse("0,3"));
        assertThat(held(1).from()).isEqualTo(200);
        assertThat(held(1).by()).isEqualTo(States.ALICE);
        assertThat(four.state().plans().held()).isEqualTo(Idset.EMPTY);
        four.at(300);
        assertThat(due()).startsWith("undrain {'idset':'1-2'").contains("the hold ran out");
        assertThat(four.state().view().up()).isEqualTo(Idset.parse("0-3"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            99        | 0   | INVALID the beginning of the hold is not in the future: without it, the hold begins now
            -1        | 0   | INVALID the beginning of the hold is not in the future: without it, the hold begins now
            NaN       | 0   | INVALID the beginning of the hold is not in the future: without it, the hold begins now
            4e9       | 0   | INVALID the beginning of the hold is more than 5 years ahead: check the year
            1e300     | 0   | INVALID the beginning of the hold is more than 5 years ahead: check the year
            200       | 200 | INVALID the hold ends before it begins: check both times
            200       | 150 | INVALID the hold ends before it begins: check both times
            200       | -5  | INVALID the hold ends before it begins: check both times
            """)
    void aTimeThatMakesNoSenseIsRefused(double from, double until, String refusal) {
        assertThat(run(plan("1", from, until))).isEqualTo(refusal);
    }

    @Test
    void wordsAreChecked() {
        assertThat(run(new HoldChanges.Drain("1", "x", Mode.NONE, "ops", 0, 0, 0, Purpose.of("a b", ""))))
                .isEqualTo("INVALID class \"a b\": letters, digits and ._:@- only");
        assertThat(run(new HoldChanges.Drain("1", "x", Mode.NONE, "ops", 0, 0, 0, Purpose.of("", "OPS 1"))))
                .isEqualTo("INVALID a ticket is one word of at most 64 characters, such as OPS-881");
    }

    @Test
    void aSecondPlanOfTheHolderMergesAsADrainDoes() {
        four.after(plan("1-2", 200, 300));
        assertThat(run(plan("2-3", 220, 320))).isEqualTo("EXISTS rank 2 already planned to be drained: host2");
        assertThat(run(plan("1-3", "more", Mode.UPDATE, 220, 320))).startsWith("plan {'idset':'3'");
        assertThat(run(plan("1", "later", Mode.OVERWRITE, 250, 350))).startsWith("plan {'idset':'1'");
        Hold later = Objects.requireNonNull(four.state().plans().on(1)).of("ops");
        assertThat(later).extracting(Hold::reason, Hold::from, Hold::until).containsExactly("later", 250.0, 350.0);
        assertThat(run(plan("1", "later", Mode.OVERWRITE, 250, 350))).isEmpty();
        assertThat(four.state().plans().nextDeadline()).isEqualTo(200);
    }

    @Test
    void anUndrainCancelsPlansOnlyIfItIsAskedTo() {
        four.after(plan("1-2", 200, 300), States.hold("1", "ops", 0));
        assertThat(run(new HoldChanges.Undrain("2", null, Mode.NONE, "ops")))
                .isEqualTo("EXISTS rank 2 not drained: host2");
        assertThat(run(new HoldChanges.Undrain("3", null, Mode.NONE, "ops", true)))
                .isEqualTo("EXISTS rank 3 not planned to be drained: host3");
        assertThat(run(new HoldChanges.Undrain("1-2", "postponed", Mode.NONE, "ops", true)))
                .isEqualTo("unplan {'idset':'1-2','nodelist':'host[1-2]','reason':'postponed','holder':'ops'}");
        assertThat(held(1).reason()).isEqualTo("held");
        four.at(200);
        assertThat(due()).isEmpty();
    }

    @Test
    void aHostThatItsHolderHoldsAlreadyStaysHeldUntilTheLaterEnd() {
        four.after(plan("0-2", 200, 300), check("0", Mode.NONE, 250), States.hold("1", "ops", 0));
        four.at(200);
        due();
        assertThat(held(0)).extracting(Hold::reason, Hold::until, Hold::from).containsExactly("dimm", 300.0, 200.0);
        assertThat(held(0).purpose()).isEqualTo(new Purpose("hardware", "OPS-881", "burn-in", ""));
        assertThat(held(0).attempt()).isEqualTo(1);
        assertThat(held(1).until()).isZero();
        assertThat(held(2).until()).isEqualTo(300);
    }

    @Test
    void aHostThatHasLeftIsSkippedAndNamed() {
        four.after(plan("0-3", 200, 300), States.define(States.resources("0-1", "host[0-1]")));
        assertThat(PlanChanges.nextOfDeparted(four.state())).isEqualTo(200);
        four.at(200);
        assertThat(due())
                .contains("drain {'idset':'0-1','nodelist':'host[0-1]'")
                .contains("unplan {'idset':'','nodelist':'host[2-3]','departed':'host[2-3]',"
                        + "'reason':'R did not name the host when the hold was to begin','holder':'ops'}");
        assertThat(four.state().departed()).isEmpty();
    }

    @Test
    void aPlanWhoseAuthorMayNotHoldIsNotPlaced() {
        four.after(plan("1", 200, 300));
        four.at(200);
        assertThat(run(new PlanChanges.MeetDeadlines(200, hold -> hold.by().names() + " has no right to drain hosts")))
                .isEqualTo("unplan {'idset':'1','nodelist':'host1','reason':'alice has no right to drain hosts',"
                        + "'holder':'ops'}");
        assertThat(four.state().view().up()).isEqualTo(Idset.parse("0-3"));
    }

    @Test
    void aPlanIsNotPlacedAfterItsEnd() {
        four.after(plan("1", 200, 300));
        four.at(300);
        assertThat(due()).contains("unplan").contains("its end has passed before it could begin");
    }

    @Test
    void aHoldWithACheckOutlastsItsEnd() {
        four.after(check("1", Mode.NONE, 300));
        four.at(300);
        assertThat(due())
                .isEqualTo(
                        "overrun {'idset':'1','nodelist':'host1','reason':'waits for the check burn-in','holder':'ops'}");
        assertThat(held(1).until()).isZero();
        assertThat(due()).isEmpty();
    }

    @Test
    void aHostThatIsNotBackAtTheEndOfAPlannedHoldIsAnOverrun() {
        four.after(plan("1-2", 200, 300), States.hold("3", "night", 300), States.report("offline", "2-3"));
        four.at(200);
        due();
        four.at(300);
        assertThat(due())
                .contains("overrun {'idset':'2','nodelist':'host2','reason':'not online at the end of the hold'")
                .doesNotContain("overrun {'idset':'3'");
        assertThat(four.state().holds().held()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void noNumberOfAnAttemptIsGivenTwice() {
        four.after(check("1", Mode.NONE, 0));
        assertThat(held(1).attempt()).isEqualTo(1);
        assertThat(run(check("1", Mode.OVERWRITE, 0))).as("the same again").isEmpty();
        four.after(new HoldChanges.Undrain("1", null, Mode.NONE, "ops"), check("1-2", Mode.NONE, 0));
        assertThat(held(1).attempt()).isEqualTo(2);
        InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(four.state())));
        assertThat(read.attempts()).isEqualTo(2);
        assertThat(States.snapshot(read)).isEqualTo(States.snapshot(four.state()));
    }

    @Test
    void plansSurviveASnapshotAndAReplay() {
        four.after(plan("0-1", 200, 300), States.define(States.resources("0", "host0")));
        InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(four.state())));
        assertThat(States.snapshot(read)).isEqualTo(States.snapshot(four.state()));
        assertThat(read.plans().nextDeadline()).isEqualTo(200);
        InventoryState replayed = States.four().state();
        for (Entry entry : four.entries()) {
            replayed = Entry.parse(States.tree(entry)).applyTo(replayed);
        }
        assertThat(States.snapshot(replayed)).isEqualTo(States.snapshot(four.state()));
    }
}
