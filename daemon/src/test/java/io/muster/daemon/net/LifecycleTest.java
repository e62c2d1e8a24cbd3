package io.muster.daemon.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LifecycleTest {
    @ParameterizedTest
    @CsvSource({
        "OPEN, FINISHING GONE CLOSED",
        "FINISHING, FINISHED GONE CLOSED",
        "FINISHED, GONE CLOSED",
        "GONE, CLOSED",
        "CLOSED, ''",
    })
    void onlyAllowedTransitionsOfAConnectionSucceed(Lifecycle state, String following) {
        Set<Lifecycle> allowed = EnumSet.noneOf(Lifecycle.class);
        for (String name : following.isEmpty() ? new String[0] : following.split(" ")) {
            allowed.add(Lifecycle.valueOf(name));
        }
        for (Lifecycle next : Lifecycle.values()) {
            if (allowed.contains(next)) {
                assertThat(state.become(next)).isEqualTo(next);
            } else {
                assertThatThrownBy(() -> state.become(next))
                        .hasMessage("a connection that is " + state + " cannot become " + next);
            }
        }
    }
}
