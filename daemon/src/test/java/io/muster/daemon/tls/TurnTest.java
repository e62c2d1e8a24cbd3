package io.muster.daemon.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** The conditions that a handshake waits for, with a thread of workers that the test runs by hand. */
final class TurnTest {
    private final Queue<Runnable> workers = new ArrayDeque<>();
    private final List<Turn> ready = new ArrayList<>();
    private final ChannelHandler tls = new ChannelInboundHandlerAdapter();
    private final Turn turn = new Turn("192.0.2.1", workers::add, turn -> tls, ready::add);
    private final EmbeddedChannel channel = new EmbeddedChannel(turn);

    private static ByteBuf bytes() {
        return Unpooled.buffer(1).writeByte(22);
    }

    private void assertTimeCounts(boolean counts) {
        long before = turn.waited();
        long start = System.nanoTime();
        while (System.nanoTime() - start < 1000) {
            Thread.onSpinWait();
        }
        assertThat(turn.waited() > before).isEqualTo(counts);
        assertThat(turn.waiting() > 0).isEqualTo(counts);
    }

    @Test
    void theFirstBytesOfAPeerWaitForItsTurn() {
        channel.writeInbound(bytes());
        channel.writeInbound(bytes());
        assertThat(ready).containsExactly(turn);
        assertThat(channel.<ByteBuf>readInbound()).isNull();
        assertThat(channel.pipeline().context(tls)).as("the handler of TLS").isNull();
        assertThat(turn.begin()).as("nothing was computed").isFalse();
        assertThat(channel.pipeline().context(tls)).isNotNull();
        channel.writeInbound(bytes());
        for (int i = 0; i < 3; i++) {
            Objects.requireNonNull(channel.<ByteBuf>readInbound()).release();
        }
        channel.close();
    }

    @Test
    void onlyTimeInWhichThePeerMustSendCounts() {
        assertTimeCounts(true);
        channel.writeInbound(bytes());
        assertTimeCounts(false); // the handshake waits for its turn
        turn.begin();
        Objects.requireNonNull(channel.<ByteBuf>readInbound()).release();
        assertTimeCounts(true);
        turn.execute(() -> {});
        turn.execute(() -> {});
        assertTimeCounts(false); // the handshake waits for the workers
        workers.remove().run();
        assertTimeCounts(false);
        workers.remove().run();
        assertTimeCounts(true);
        channel.close();
    }

    @Test
    void aConnectionThatIsClosedBeforeItsTurnReleasesItsBytes() {
        ByteBuf first = bytes();
        channel.writeInbound(first);
        channel.close();
        assertThat(first.refCnt()).isZero();
    }
}
