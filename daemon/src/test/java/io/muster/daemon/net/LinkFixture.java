package io.muster.daemon.net;

import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Kind;
import io.muster.daemon.core.Rig;
import io.muster.daemon.service.Caller;
import io.muster.daemon.service.Session;
import io.muster.daemon.service.Stage;
import io.muster.daemon.service.Tracer;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;

/** A link on an embedded channel, and the peer at its other end, which writes and reads on request of the test. */
abstract class LinkFixture {
    static final int ROOM = 8 << 20;

    final Stage stage = new Stage(Rig.ofFour());
    final AccountBook accounts = new AccountBook(ROOM, () -> 0);
    final Account memory = accounts.account(Kind.OWNER, "ada");
    final EmbeddedChannel channel = new EmbeddedChannel();
    final Link connection;
    final FrameDecoder decoder = new FrameDecoder(1 << 26);
    boolean stopping;
    private final int maxFrame;

    LinkFixture(int maxFrame) {
        this.maxFrame = maxFrame;
        connection = connect(channel, memory);
    }

    final Link connect(EmbeddedChannel to, Account account) {
        Link made = new Link(
                to,
                "ada(1000):1",
                new Link.Terms(maxFrame, account, () -> stopping, to.eventLoop()),
                Tracer.OFF,
                outbox -> new Session(
                        stage.backend, stage.gate.admissions(), new Caller(Stage.owner(), true, account), outbox));
        to.pipeline().addLast(made);
        return made;
    }

    static byte[] frame(Dialect dialect, Request request) {
        return Bytes.copyOf(FrameEncoder.of(dialect).encode(request)).toByteArray();
    }

    static byte[] frame(String topic, String json, int flags, int matchtag) {
        Bytes payload = json.isEmpty() ? null : Bytes.text(json);
        return frame(Dialect.DEPLOYED, Request.of(topic, payload, flags, matchtag));
    }

    final void write(byte[] bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes));
    }

    final void write(String topic, String json, int flags, int matchtag) {
        write(frame(topic, json, flags, matchtag));
    }

    final void settle() {
        do {
            channel.runPendingTasks();
            stage.rig.settle();
        } while (channel.hasPendingTasks());
    }

    /** Returns the responses that the peer reads, as matchtag and text. */
    final List<String> read() throws ProtocolException {
        List<String> texts = new ArrayList<>();
        for (ByteBuf bytes = channel.readOutbound(); bytes != null; bytes = channel.readOutbound()) {
            var buffer = bytes.nioBuffer();
            for (Message message = decoder.feed(buffer); message != null; message = decoder.feed(buffer)) {
                texts.add(((Response) message).matchtag() + " " + Stage.text((Response) message));
            }
            bytes.release();
        }
        return texts;
    }

    final void stopReading() {
        stopReading(channel);
    }

    /** Makes the channel unwritable from the first byte on, because the peer of an embedded channel reads at every flush. */
    static void stopReading(EmbeddedChannel channel) {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        channel.runPendingTasks();
    }

    final void readAgain() {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        settle();
    }
}
