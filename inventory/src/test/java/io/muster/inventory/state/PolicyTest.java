package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyTest {
    private static final Policy OFFLINE = policy(Policy.When.OFFLINE);
    private static final Policy RETURNED = policy(Policy.When.RETURNED);
    private static final Policy TORPID = policy(Policy.When.TORPID);
    private static final List<Brake> BRAKES = List.of(new Brake("auto", 0, 2, 600));

    private final States four = States.four();

    private static Policy policy(Policy.When when) {
        return new Policy(when, 60, "all", "auto", "look at it", Purpose.of("hardware", ""));
    }

    /** Lets a policy decide at a time, and returns the ranks that it drains or the kind of the refusal. */
    private String act(Policy policy, double time) {
        four.at(time);
        Decision decision = four.run(new Policy.Place(policy, BRAKES), Principal.DAEMON);
        if (decision.rejection() != null) {
            return decision.rejection().kind().toString();
        }
        return decision.events().isEmpty()
                ? ""
                : ((HoldChanges.Drained) decision.events().get(0))
                        .targets()
                        .ranks()
                        .toString();
    }

    private void report(double time, String what, String ranks) {
        four.at(time).after(States.report(what, ranks));
    }

    @Test
    void aHostIsDrainedWhenItIsOfflineForLongEnough() {
        report(100, "offline", "1");
        assertThat(act(OFFLINE, 159)).isEmpty();
        assertThat(OFFLINE.absentees(four.state(), BRAKES, 159).next()).isEqualTo(160);
        assertThat(act(TORPID, 200)).isEmpty();
        assertThat(act(OFFLINE, 160)).isEqualTo("1");
        assertThat(States.snapshot(four.state())).contains("\"class\":\"hardware\"", "\"user\":\"muster\"");
        assertThat(act(OFFLINE, 161)).as("it is drained already").isEmpty();
    }

    @Test
    void aHostThatComesBackIsDrainedIfItWasAwayForLongEnough() {
        report(100, "offline", "1-2");
        report(130, "online", "1");
        assertThat(act(RETURNED, 131)).isEmpty();
        report(165, "online", "2");
        assertThat(act(RETURNED, 166)).isEqualTo("2");
        report(1000, "torpid", "0");
        assertThat(act(TORPID, 1059)).isEmpty();
        report(1060, "lively", "0");
        assertThat(act(RETURNED, 1061)).as("torpid for a minute").isEqualTo("0");
    }

    @Test
    void aPersonWhoUndrainsIsNotFoughtForTheSameAbsence() {
        report(100, "offline", "1");
        assertThat(act(OFFLINE, 160)).isEqualTo("1");
        four.after(new HoldChanges.Undrain("1", "it is fine", HoldChanges.Mode.OVERWRITE, "auto"));
        assertThat(act(OFFLINE, 1000)).isEmpty();
        report(1001, "online", "1");
        assertThat(act(RETURNED, 1002)).as("the end of the same absence").isEmpty();
        report(1100, "offline", "1");
        assertThat(act(OFFLINE, 1160)).as("another absence").isEqualTo("1");
    }

    @Test
    void aHostThatAPersonDrainsAndUndrainsAfterItsReturnIsLeftInPeace() {
        four.after(States.drain("1"));
        report(110, "offline", "1");
        report(900, "online", "1");
        assertThat(act(RETURNED, 901)).isEmpty();
        four.after(States.undrain("1"));
        assertThat(act(RETURNED, 902)).isEmpty();
    }

    @Test
    void hostsThatNobodySawGoAndHostsOfALostReporterAreLeftInPeace() {
        four.after(new ReportChanges.Register("flux", Idset.parse("0-1"), Idset.parse("0-1"), Idset.EMPTY));
        report(110, "offline", "0");
        four.after(new ReportChanges.Lapse("flux"));
        assertThat(act(OFFLINE, 1000)).isEmpty();
        four.after(new ReportChanges.Register("flux", Idset.parse("0-1"), Idset.parse("1"), Idset.EMPTY));
        assertThat(act(OFFLINE, 1001))
                .as("the reporter says that it is still offline")
                .isEqualTo("0");
        States fresh = States.empty();
        fresh.run(new DefinitionChanges.Define(
                States.resources("0-3", "host[0-3]"), "configuration", Liveness.Status.OFFLINE));
        assertThat(OFFLINE.absentees(fresh.state(), BRAKES, 10_000).near().isEmpty())
                .isTrue();
        fresh.at(10_000).after(States.report("online", "0"));
        assertThat(RETURNED.absentees(fresh.state(), BRAKES, 10_000).due().isEmpty())
                .isTrue();
    }

    @Test
    void ifTooManyAreAbsentNoneIsDrainedAndNothingIsDoneLaterForThem() {
        report(100, "offline", "0");
        report(150, "offline", "1-2");
        assertThat(act(OFFLINE, 160)).as("one is due, and three are absent").isEqualTo("BRAKED");
        report(300, "online", "0-1");
        assertThat(act(RETURNED, 301)).isEqualTo("BRAKED");
        assertThat(act(OFFLINE, 400))
                .as("the crowd comes back: the last one may too")
                .isEqualTo("BRAKED");
        assertThat(act(RETURNED, 850)).as("the crowd is not drained late").isEmpty();
        assertThat(act(OFFLINE, 901)).as("the one that stays away is").isEqualTo("2");
    }

    @Test
    void anAbsenceSurvivesTheSnapshot() {
        report(100, "offline", "1");
        report(200, "online", "1");
        InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(four.state())));
        assertThat(States.snapshot(read))
                .isEqualTo(States.snapshot(four.state()))
                .contains("\"absent\":100");
        assertThat(RETURNED.absentees(read, BRAKES, 201).due().toString()).isEqualTo("1");
    }

    @Test
    void targetsThatAreNotThereAreNamed() {
        Policy other = new Policy(Policy.When.OFFLINE, 60, "@gpu", "auto", "x", Purpose.NONE);
        assertThat(other.fault(four.state().resources())).contains("gpu");
        assertThat(other.absentees(four.state(), BRAKES, 100).near().isEmpty()).isTrue();
        assertThat(new Policy(Policy.When.OFFLINE, 60, "@batch", "auto", "x", Purpose.NONE)
                        .fault(four.state().resources()))
                .isEmpty();
    }

    @Test
    void aRehearsalDoesWhatThePoliciesWouldHaveDone() {
        report(100, "offline", "1");
        report(200, "online", "1");
        report(1000, "offline", "0-3");
        report(1100, "online", "0-3");
        report(5000, "offline", "2");
        Rehearsal rehearsal = new Rehearsal(List.of(OFFLINE, RETURNED), BRAKES);
        rehearsal.continueFrom(States.four().state(), 50);
        four.entries().forEach(rehearsal::happens);
        rehearsal.until(6000);
        assertThat(rehearsal.acts())
                .extracting(act -> act.policy().when().word() + " " + act.time() + " " + act.hosts() + " "
                        + act.refusal().isEmpty())
                .containsExactly(
                        "offline 160.0 host1 true",
                        "offline 1060.0 host[0-3] false",
                        "returned 1100.0 host[0-3] false",
                        "offline 5060.0 host2 true");
    }
}
