package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BrakeTest {
    private static final Principal ROBOT = Principal.ofName("token:nhc");
    private static final Brake HALF = new Brake("nhc*", 50, 0, 60);

    private final States four = States.four();

    private String run(String targets, String holder, Brake... brakes) {
        return States.words(four.run(new Braked(States.hold(targets, holder, 0), List.of(brakes)), ROBOT));
    }

    @Test
    void whatGoesBeyondABrakeIsRefusedAsAWholeAndTheSentenceSaysHowManyWouldFit() {
        assertThat(run("0", "nhc", HALF)).startsWith("drain");
        assertThat(run("1-2", "nhc", HALF))
                .isEqualTo("BRAKED nothing was drained: the brake on nhc* permits 50% of the hosts (2) in 60s, 1 are"
                        + " used, and this is 2 more, of which 1 would fit: look why so many are to be drained; a user of the"
                        + " daemon's host may drain them now, and the program when there is room again");
        assertThat(four.state().holds().held().toString()).isEqualTo("0");
        assertThat(run("1", "nhc-gpu", HALF))
                .as("the holders of a brake count together")
                .startsWith("drain");
        assertThat(run("2", "nhc", HALF)).contains("2 are used, and this is 1 more, of which 0 would fit");
        assertThat(run("2", "other", HALF)).startsWith("drain");
    }

    @Test
    void theCountFallsWithTimeAndWhenHoldsEnd() {
        run("0-1", "nhc", HALF);
        assertThat(run("2", "nhc", HALF)).startsWith("BRAKED");
        four.after(new HoldChanges.Undrain("0", null, HoldChanges.Mode.OVERWRITE, "nhc"));
        assertThat(run("2", "nhc", HALF)).startsWith("drain");
        four.at(159);
        assertThat(run("3", "nhc", HALF)).startsWith("BRAKED");
        four.at(160);
        assertThat(run("3", "nhc", HALF))
                .as("holds of a minute ago do not count")
                .startsWith("drain");
        assertThat(HALF.room(four.state(), four.now())).isEqualTo(1);
    }

    @Test
    void aHostThatAHolderOfTheBrakeDrainsAlreadyIsNotOneMore() {
        run("0-1", "nhc", HALF);
        assertThat(run("0-1", "nhc-gpu", HALF)).startsWith("drain");
        HoldChanges.Drain again = new HoldChanges.Drain("0", "new", HoldChanges.Mode.OVERWRITE, "nhc", 0);
        assertThat(States.words(four.run(new Braked(again, List.of(HALF)), ROBOT)))
                .startsWith("drain");
    }

    @Test
    void anOldHoldThatIsRenewedBesideAFurtherHostCounts() {
        run("0", "nhc", HALF);
        four.at(four.now() + 200);
        run("1", "nhc", HALF);
        assertThat(run("0,2", "nhc-gpu", HALF)).startsWith("BRAKED");
        assertThat(run("2", "nhc-gpu", HALF)).startsWith("drain");
    }

    @Test
    void onlyHostsThatSchedulersMayBeOfferedCount() {
        run("0-1", "nhc", HALF);
        four.after(new MembershipChanges.Exclude("0", null));
        assertThat(HALF.most(four.state())).isEqualTo(1);
        assertThat(HALF.counted(four.state(), four.now()).toString()).isEqualTo("1");
        assertThat(new Brake("*", 1, 0, 60).most(four.state()))
                .as("one host is always permitted")
                .isEqualTo(1);
    }

    @Test
    void aPlannedHoldCountsFromTheTimeWhenItIsPlanned() {
        HoldChanges.Drain plan =
                new HoldChanges.Drain("0-1", "later", HoldChanges.Mode.NONE, "nhc", 500, 0, 0, Purpose.NONE);
        assertThat(States.words(four.run(new Braked(plan, List.of(HALF)), ROBOT)))
                .startsWith("plan");
        four.at(300);
        assertThat(run("2", "nhc", HALF)).startsWith("BRAKED");
    }

    @Test
    void everyBrakeOfTheHolderHasToPermitTheHolds() {
        Brake all = new Brake("*", 0, 1, 60);
        assertThat(run("0-1", "nhc", HALF, all)).contains("the brake on * permits 1 hosts in 60s");
        assertThat(run("0", "a", HALF, all)).startsWith("drain");
        assertThat(run("1", "b", HALF, all)).startsWith("BRAKED");
        assertThat(run("1", "b", new Brake("b", 0, 0, 60)))
                .as("a limit of none")
                .startsWith("BRAKED");
    }

    @Test
    void aRepeatedChangeIsNotRefusedAndARefusedChangeIsNotRemembered() {
        Command once = new Once(States.hold("0-1", "nhc", 0), ChangeId.of(new UUID(0, 1), "x"));
        assertThat(States.words(four.run(new Braked(once, List.of(HALF)), ROBOT)))
                .startsWith("drain");
        assertThat(States.words(four.run(new Braked(once, List.of(HALF)), ROBOT)))
                .isEmpty();
        Command other = new Once(States.hold("2", "nhc", 0), ChangeId.of(new UUID(0, 2), "y"));
        assertThat(States.words(four.run(new Braked(other, List.of(HALF)), ROBOT)))
                .startsWith("BRAKED");
        four.at(200);
        assertThat(States.words(four.run(new Braked(other, List.of(HALF)), ROBOT)))
                .startsWith("drain");
    }
}
