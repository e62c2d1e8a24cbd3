package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitersTest {
    private final Rig rig = Rig.ofFour();
    private final List<String> answered = new ArrayList<>();

    @AfterEach
    void close() {
        rig.close();
    }

    private static ObjectNode up(int count) {
        return JsonNodeFactory.instance.objectNode().put("up", count);
    }

    @Test
    void aConditionThatIsAlreadyTrueNeedsNoWaiting() {
        assertThat(rig.waiters.await(up(4), () -> answered.add("x"))).isNull();
        assertThat(answered).isEmpty();
    }

    @Test
    void eachWaiterIsAnsweredOnceWhenItsNumberOfRanksIsOnline() {
        rig.report("offline", "0-3");
        rig.waiters.await(up(2), () -> answered.add("two"));
        rig.waiters.await(up(3), () -> answered.add("three"));
        rig.report("online", "0");
        assertThat(answered).isEmpty();
        rig.report("online", "1");
        assertThat(answered).containsExactly("two");
        rig.report("offline", "1");
        rig.report("online", "1-3");
        assertThat(answered).containsExactly("two", "three");
    }

    @Test
    void drainedAndTorpidRanksAreOnline() {
        rig.drain("0-3");
        rig.report("torpid", "2");
        assertThat(rig.waiters.await(up(4), () -> {})).isNull();
    }

    @Test
    void aRemovedWaiterIsNotAnswered() {
        rig.report("offline", "0-3");
        Runnable forget = Objects.requireNonNull(rig.waiters.await(up(1), () -> answered.add("x")));
        forget.run();
        rig.report("online", "0-3");
        assertThat(answered).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 5})
    void aNumberOutOfRangeIsRefusedWithTheSentenceOfFlux(int count) {
        assertThatThrownBy(() -> rig.waiters.await(up(count), () -> {}))
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPROTO))
                .hasMessage("up value is out of range");
    }

    @Test
    void aNumberOfTheWrongTypeIsRefused() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode().put("up", "4");
        assertThatThrownBy(() -> rig.waiters.await(payload, () -> {}))
                .hasMessage("resource.monitor-waitup: /up must be a whole number");
    }
}
