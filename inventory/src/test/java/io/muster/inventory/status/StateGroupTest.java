package io.muster.inventory.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.ReportChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StateGroupTest {
    private static final Principal ADA = new Principal(1000, "ada", 0);
    private static final ResourceSet R =
            ResourceSet.of(Hostlist.parse("n[0-99]"), Idset.range(0, 99), Idset.of(0), Idset.EMPTY, Map.of());
    private static final InventoryState ALL_UP =
            InventoryState.empty().apply(new DefinitionChanges.Defined("test", R, Liveness.Status.ONLINE), 1, ADA);

    private static Event.Targets targets(String ranks) {
        Idset idset = Idset.parse(ranks);
        return new Event.Targets(idset, R.hostsOf(idset).toString());
    }

    private static Event drain(String ranks, String reason, String holder, double until) {
        return new HoldChanges.Drained(targets(ranks), reason, HoldChanges.Overwrite.NOTHING, holder, until);
    }

    private static List<String> shown(InventoryState state) {
        List<String> shown = new ArrayList<>();
        for (StateGroup group : StateGroup.of(state, Idset.EMPTY, R.ranks())) {
            shown.add(group.word() + " " + group.ranks() + " " + group.reason());
        }
        return shown;
    }

    @Test
    void ranksInTheSameStateAreOneGroup() {
        assertThat(shown(ALL_UP)).containsExactly("available 0-99 ");
    }

    @Test
    void everyRankIsInExactlyOneGroup() {
        InventoryState state = ALL_UP.apply(drain("10-19", "bad", "admin", 0), 2, ADA)
                .apply(new LivenessChanges.LivenessChanged(LivenessChange.OFFLINE, targets("15-24"), "psu"), 3, ADA)
                .apply(new LivenessChanges.LivenessChanged(LivenessChange.TORPID, targets("30"), ""), 4, ADA)
                .apply(new MembershipChanges.Excluded(targets("40"), Membership.Kind.ADMIN, "spare"), 5, ADA)
                .apply(new MembershipChanges.Excluded(targets("50"), Membership.Kind.LOST, null), 6, ADA);

        assertThat(shown(state))
                .containsExactly(
                        "available 0-9,25-29,31-39,41-49,51-99 ",
                        "offline 20-24 psu",
                        "torpid 30 ",
                        "excluded 40 spare",
                        "lost 50 ",
                        "drained 10-14 bad",
                        "drained,offline 15-19 bad");
    }

    @Test
    void aRankThatIsAbsentForSeveralReasonsIsListedOnce() {
        InventoryState state = ALL_UP.apply(
                        new MembershipChanges.Excluded(targets("1-3"), Membership.Kind.CONFIG, "config"), 2, ADA)
                .apply(new MembershipChanges.Excluded(targets("2-4"), Membership.Kind.ADMIN, "spare"), 3, ADA)
                .apply(new MembershipChanges.Excluded(targets("3,5"), Membership.Kind.LOST, "gone"), 4, ADA);

        assertThat(shown(state))
                .containsExactly("available 0,6-99 ", "excluded 1-2 config", "excluded 4 spare", "lost 3,5 gone");
    }

    @Test
    void aConnectedReporterConfirmsWhatRDefines() {
        InventoryState state = InventoryState.empty()
                .apply(new DefinitionChanges.Defined("test", R, Liveness.Status.OFFLINE), 1, ADA)
                .apply(new ReportChanges.Reported("one", targets("0-9"), Extras.NONE), 2, ADA)
                .apply(new ReportChanges.Reported("two", targets("10-19"), Extras.NONE), 3, ADA)
                .apply(new LivenessChanges.LivenessChanged(LivenessChange.OFFLINE, targets("5-7"), "psu"), 4, ADA);

        assertThat(shown(state))
                .containsExactly(
                        "offline 0-4,8-9 reported by one",
                        "offline 10-19 reported by two",
                        "offline 20-99 assumed, no report since R was defined",
                        "offline 5-7 psu");
        HostStatus host = new HostStatus(state, 8, List.of(), List.of());
        assertThat(host.toJson().path("cause").asText()).isEqualTo("reported by one");
    }

    @Test
    void severalHoldsAreNamedByTheirHolders() {
        InventoryState state = ALL_UP.apply(drain("1", "bad", "admin", 0), 2, ADA)
                .apply(drain("1-2", "firmware", "ops", 100), 3, new Principal(1, "bob", 0));
        StateGroup both = StateGroup.of(state, Idset.EMPTY, Idset.of(1)).get(0);
        StateGroup one = StateGroup.of(state, Idset.EMPTY, Idset.of(2)).get(0);

        assertThat(both.reason()).isEqualTo("admin: bad; ops: firmware");
        assertThat(both.since()).isEqualTo(2);
        assertThat(one.reason()).isEqualTo("ops: firmware");
    }
}
