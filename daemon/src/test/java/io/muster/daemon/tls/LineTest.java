package io.muster.daemon.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order in which handshakes begin. */
final class LineTest {
    private final Line line = new Line();

    private Turn add(String address) {
        Turn turn = new Turn(address, Runnable::run, part -> new ChannelInboundHandlerAdapter(), ready -> {});
        new EmbeddedChannel(turn);
        line.add(turn);
        return turn;
    }

    private List<Turn> begin() {
        List<Turn> begun = new ArrayList<>();
        while (line.waits() && !line.isFull()) {
            Turn turn = line.take();
            turn.begin();
            begun.add(turn);
        }
        return begun;
    }

    @Test
    void addressesTakeTurnsAndTheOldestHandshakeOfEachBeginsFirst() {
        Turn first = add("192.0.2.1");
        Turn second = add("192.0.2.1");
        Turn third = add("192.0.2.1");
        Turn other = add("192.0.2.2");
        assertThat(begin()).containsExactly(first, other, second, third);
        assertThat(line.waits()).isFalse();
    }

    @Test
    void beyondTheLimitHandshakesWaitUntilOneEnds() {
        for (int i = 0; i < Line.MOST_BEGUN; i++) {
            add("address " + i % 3);
        }
        List<Turn> begun = begin();
        assertThat(begun).hasSize(Line.MOST_BEGUN);
        assertThat(line.isFull()).isTrue();
        Turn next = add("192.0.2.1");
        assertThat(begin()).isEmpty();
        line.end(begun.get(7));
        assertThat(begin()).containsExactly(next);
    }

    @Test
    void aHandshakeThatEndsBeforeItsTurnIsRemoved() {
        Turn turn = add("192.0.2.1");
        Turn other = add("192.0.2.1");
        line.end(turn);
        assertThat(begin()).containsExactly(other);
        line.end(add("192.0.2.1"));
        assertThat(line.waits()).isFalse();
    }
}
