package io.muster.daemon.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The conditions that a handshake waits for, with a clock and a thread of workers that the test runs by hand. */
final class HandshakeTest {
    private final Queue<Runnable> workers = new ArrayDeque<>();
    private final ChannelHandler tls = new ChannelInboundHandlerAdapter();
    private final AtomicLong nanos = new AtomicLong();
    private int changes;
    private final Handshake handshake =
            new Handshake("192.0.2.1", workers::add, part -> tls, () -> changes++, nanos::get);
    private final EmbeddedChannel channel = new EmbeddedChannel(handshake);

    private static ByteBuf bytes() {
        return Unpooled.buffer(1).writeByte(22);
    }

    private void assertTimeCounts(boolean counts) {
        long before = handshake.silent();
        nanos.addAndGet(1000);
        assertThat(handshake.silent()).isEqualTo(counts ? before + 1000 : 0);
    }

    @Test
    void theFirstBytesOfAPeerWaitUntilTheHandshakeBegins() {
        channel.writeInbound(bytes());
        channel.writeInbound(bytes());
        assertThat(changes).isEqualTo(1);
        assertThat(handshake.isWaiting()).isTrue();
        assertThat(channel.<ByteBuf>readInbound()).isNull();
        assertThat(channel.pipeline().context(tls)).as("the handler of TLS").isNull();
        handshake.begin();
        assertThat(handshake.isWaiting()).isFalse();
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
        assertTimeCounts(false); // the handshake waits until it may begin
        handshake.begin();
        Objects.requireNonNull(channel.<ByteBuf>readInbound()).release();
        assertTimeCounts(true);
        handshake.execute(() -> {});
        handshake.execute(() -> {});
        assertTimeCounts(false); // the handshake waits for the workers
        workers.remove().run();
        assertTimeCounts(false);
        workers.remove().run();
        assertTimeCounts(true);
        assertThat(changes).isEqualTo(3);
        channel.close();
    }

    @Test
    void aPeerIsLateIfItIsSilentForTooLongInAll() {
        nanos.addAndGet(Handshake.LONGEST_NANOS - 1);
        assertThat(handshake.isLate()).isFalse();
        channel.writeInbound(bytes());
        nanos.addAndGet(Handshake.LONGEST_NANOS);
        assertThat(handshake.isLate()).as("the peer waits for this side").isFalse();
        handshake.begin();
        Objects.requireNonNull(channel.<ByteBuf>readInbound()).release();
        nanos.addAndGet(Handshake.LONGEST_NANOS / 2);
        handshake.execute(() -> {});
        workers.remove().run();
        nanos.addAndGet(Handshake.LONGEST_NANOS / 2 - 1);
        assertThat(handshake.isLate()).isFalse();
        nanos.addAndGet(1);
        assertThat(handshake.isLate()).isTrue();
        channel.close();
    }

    @Test
    void aConnectionThatIsClosedBeforeItBeginsReleasesItsBytes() {
        ByteBuf first = bytes();
        channel.writeInbound(first);
        channel.close();
        assertThat(first.refCnt()).isZero();
        assertThat(handshake.isWaiting()).isFalse();
    }
}
