package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.axis.Standing;
import io.muster.inventory.json.Extras;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the records whose equals is written out: it must compare every component. */
class KeysTest {
    private static final Hold HOLD = new Hold("ops", null, 1, States.ALICE, 0);

    /** Two values of each type of component. */
    private static final Map<Class<?>, List<Object>> VALUES = Map.ofEntries(
            Map.entry(int.class, List.of(1, 2)),
            Map.entry(long.class, List.of(1L, 2L)),
            Map.entry(double.class, List.of(1.5, 2.5)),
            Map.entry(String.class, List.of("a", "b")),
            Map.entry(Purpose.class, List.of(Purpose.NONE, Purpose.of("hardware", ""))),
            Map.entry(
                    Standing.class,
                    List.of(
                            new Standing(Standing.Step.DONE, States.ALICE, 1, 0, "", ""),
                            new Standing(Standing.Step.FAILED, States.ALICE, 1, 0, "", ""))),
            Map.entry(Principal.class, List.of(States.ALICE, States.BOB)),
            Map.entry(
                    Principal.Speaker.class,
                    List.of(new Principal.Speaker(States.ALICE, false), new Principal.Speaker(States.ALICE, true))),
            Map.entry(Membership.Kind.class, List.of(Membership.Kind.ADMIN, Membership.Kind.CONFIG)),
            Map.entry(Liveness.Status.class, List.of(Liveness.Status.ONLINE, Liveness.Status.TORPID)),
            Map.entry(Extras.class, List.of(Extras.NONE, new Extras(new TreeMap<>(Map.of("a", "1"))))),
            Map.entry(List.class, List.of(List.of(HOLD), List.of(new Hold("ops", "why", 1, States.ALICE, 0)))));

    @ParameterizedTest
    @ValueSource(classes = {Principal.class, Hold.class, HoldSet.class, Membership.Absence.class, LivenessState.class})
    void equalsComparesEveryComponent(Class<?> type) throws ReflectiveOperationException {
        Object one = make(type, -1);
        assertThat(make(type, -1)).isEqualTo(one).hasSameHashCodeAs(one).isNotEqualTo("else");
        for (int i = 0; i < type.getRecordComponents().length; i++) {
            assertThat(make(type, i))
                    .as(type.getRecordComponents()[i].getName())
                    .isNotEqualTo(one);
        }
    }

    /** Makes a record from the first value for each component, but from the second value for the component {@code other}. */
    private static Object make(Class<?> type, int other) throws ReflectiveOperationException {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            List<Object> values = VALUES.get(types[i]);
            assertThat(values).as("values of " + types[i]).isNotNull();
            arguments[i] = values.get(i == other ? 1 : 0);
        }
        return type.getDeclaredConstructor(types).newInstance(arguments);
    }
}
