package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.axis.Principal;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which changes are remembered by their ids, for how long, and for whom. */
class ChangeIdsTest {
    private static final String DRAINED =
            "{'targets':'1','reason':'x'}".replace('\'', '"'); // only compared, never read

    private static ChangeIds.Given given(long id, Principal by, double time, long seq) {
        return ChangeIds.Given.of(ChangeId.of(new UUID(id, id), DRAINED), by, time, seq);
    }

    @Test
    void anIdIsRememberedForItsUserUntilAChangeIsHalfAnHourLater() {
        ChangeIds ids = ChangeIds.NONE.with(given(1, States.ALICE, 1000, 5));

        assertThat(ids.find(new UUID(1, 1), States.BOB)).isNull();
        assertThat(ids.find(new UUID(1, 2), States.ALICE)).isNull();
        ids = ids.with(given(2, States.ALICE, 2800, 6));
        assertThat(ids.find(new UUID(1, 1), States.ALICE)).isNotNull();
        ids = ids.with(given(3, States.BOB, 2800.1, 7));
        assertThat(ids.find(new UUID(1, 1), States.ALICE)).isNull();
        assertThat(ids.size()).isEqualTo(2);
    }

    /** A step of less than 15 minutes is not doubted. */
    @Test
    void anIdIsRememberedForTenMinutesAlsoIfTheClockIsSteppedMeanwhile() {
        double stepped = 1000 + 600 + 899;
        ChangeIds ids = ChangeIds.NONE.with(given(1, States.ALICE, 1000, 5)).with(given(2, States.ALICE, stepped, 6));
        assertThat(ids.find(new UUID(1, 1), States.ALICE)).isNotNull();
    }

    @Test
    void anIdIsNotForgottenBecauseTheClockOfTheNextLeaderIsAhead() {
        States four = States.four();
        Once drain = new Once(
                new HoldChanges.Drain("1", "x", HoldChanges.Mode.NONE, "admin", 0),
                ChangeId.of(new UUID(7, 7), DRAINED));
        Command undrain = new HoldChanges.Undrain("1", null, HoldChanges.Mode.NONE, null);
        four.after(drain, undrain);
        assertThat(drain.decide(four.state(), four.now() + 1860, States.ALICE)).isEqualTo(Decision.accept());
    }

    @Test
    void aChangeThatIsSentAgainAfterItsIdWasForgottenIsRefused() {
        Once again = new Once(new Once.Repetition("admin"), ChangeId.of(new UUID(7, 7), DRAINED));
        Decision decision = States.four().run(again);
        assertThat(Objects.requireNonNull(decision.rejection()).kind()).isEqualTo(Decision.Rejection.Kind.FORGOTTEN);
        assertThat(decision.rejection().text()).contains("is not remembered any more", "send the request again");
    }

    /** The snapshot has no key for the name. */
    @Test
    void idsOfPersonsWithoutAUidAreSeparateInTheStateAndInASnapshot() {
        Principal ops = Principal.ofName("cert:ops");
        InventoryState state = InventoryState.empty().remember(ChangeId.of(new UUID(7, 7), DRAINED), 1000, ops, 5);
        for (InventoryState each : List.of(state, StateJson.parse(States.tree(StateJson.toBytes(state))))) {
            assertThat(each.ids().find(new UUID(7, 7), ops)).isNotNull();
            assertThat(each.ids().find(new UUID(7, 7), Principal.ofName("token:ops")))
                    .isNull();
            assertThat(each.ids().find(new UUID(7, 7), Principal.DAEMON)).isNull();
            UUID stored = each.ids().all().get(0).id().id();
            assertThat(each.ids().find(stored, Principal.ofName("token:x"))).isNull();
        }
        assertThat(States.snapshot(state)).contains("\"userid\":-1");
    }

    @Test
    void onlyTheLast65536AreRemembered() {
        ChangeIds ids = ChangeIds.NONE;
        for (int i = 1; i <= ChangeIds.MOST + 3; i++) {
            ids = ids.with(given(i, States.ALICE, 1000, i));
        }
        assertThat(ids.size()).isEqualTo(65_536);
        assertThat(ids.find(new UUID(3, 3), States.ALICE)).isNull();
        assertThat(ids.find(new UUID(4, 4), States.ALICE)).isNotNull();
    }

    @Seeds
    void idsMatchAPlainListAndAChangeDoesNotAffectOlderVersions(Random random) {
        List<ChangeIds.Given> naive = new ArrayList<>();
        ChangeIds ids = ChangeIds.NONE;
        double now = 0;
        for (int seq = 1; seq <= 400; seq++) {
            now += random.nextInt(20) == 0 ? 900 : random.nextInt(3);
            ChangeIds before = ids;
            List<ChangeIds.Given> naiveBefore = List.copyOf(naive);
            ChangeIds.Given given =
                    given(random.nextInt(60), random.nextBoolean() ? States.ALICE : States.BOB, now, seq);
            ids = ids.with(given);
            naive.removeIf(old ->
                    old.uid() == given.uid() && old.id().id().equals(given.id().id()));
            naive.add(given);
            double time = now;
            naive.removeIf(old -> old.time() + ChangeIds.SECONDS < time);
            assertThat(ids.all()).isEqualTo(naive);
            assertThat(before.all()).isEqualTo(naiveBefore);
            for (ChangeIds.Given known : naive) {
                Principal by = known.uid() == States.ALICE.uid() ? States.ALICE : States.BOB;
                assertThat(ids.find(known.id().id(), by)).isSameAs(known);
            }
        }
    }

    @Test
    void idsAreInTheSnapshot() {
        InventoryState state =
                InventoryState.empty().remember(ChangeId.of(new UUID(7, 7), DRAINED), 1000.5, States.ALICE, 5);
        InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(state)));

        assertThat(States.snapshot(read)).isEqualTo(States.snapshot(state));
        assertThat(read.repetition(ChangeId.of(new UUID(7, 7), "other"), States.ALICE))
                .isNotNull();
    }

    @Test
    void aCommandWithAnIdIsCarriedOutOnce() {
        States four = States.four();
        ChangeId id = ChangeId.of(new UUID(7, 7), DRAINED);
        Command undrain = new HoldChanges.Undrain("1", null, HoldChanges.Mode.NONE, null);
        Once drain = new Once(new HoldChanges.Drain("1", "x", HoldChanges.Mode.NONE, "admin", 0), id);
        four.after(drain, drain, undrain, drain);
        assertThat(four.state().holds().held().isEmpty()).isTrue();

        Decision other = four.run(new Once(undrain, ChangeId.of(new UUID(7, 7), "other")));
        assertThat(Objects.requireNonNull(other.rejection()).text())
                .isEqualTo("id 00000000-0000-0007-0000-000000000007 belongs to another change already, seq 2:"
                        + " give each change an id of its own");
        assertThat(four.run(drain, States.BOB).events()).hasSize(1);
    }

    @Test
    void anIdIsAUuidInItsUsualForm() {
        assertThat(ChangeId.parse("00000000-0000-0007-0000-0000000000AB")).isEqualTo(new UUID(7, 0xab));
        for (String wrong : List.of("", "7", "0-0-7-0-7", "00000000-0000-0007-0000-00000000000g")) {
            assertThatThrownBy(() -> ChangeId.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
