package io.muster.daemon;

import io.muster.daemon.machine.SimExecutor;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** The end of a connection that belongs to a process with Netty. All methods run on the thread of that process. */
final class SimWire extends ChannelOutboundHandlerAdapter {
    private final SimExecutor loop;
    private final Consumer<byte[]> written;
    private final Runnable closed;
    private final Deque<byte[]> unread = new ArrayDeque<>();
    final EmbeddedChannel channel;
    private boolean isClosed;

    /**
     * @param written receives what the process writes
     * @param closed is called when the process closes the connection
     */
    SimWire(SimExecutor loop, Consumer<byte[]> written, Runnable closed) {
        this.loop = loop;
        this.written = written;
        this.closed = closed;
        this.channel = new EmbeddedChannel(this);
    }

    static byte[] encoded(Message message) {
        ByteBuffer frame = FrameEncoder.of(Dialect.DEPLOYED).encode(message);
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    /** Adds the handler of a connection that is open. */
    void handle(ChannelHandler handler) {
        channel.pipeline().addLast(handler);
        channel.pipeline().fireChannelActive();
    }

    /** Takes bytes that have arrived. */
    void arrive(byte[] bytes) {
        unread.add(bytes);
        deliver();
    }

    private void deliver() {
        while (!unread.isEmpty() && channel.isActive() && channel.config().isAutoRead()) {
            channel.writeInbound(Unpooled.wrappedBuffer(unread.remove()));
        }
        channel.runPendingTasks();
        channel.checkException();
    }

    /** The other side has closed the connection, or it was reset. */
    void end() {
        isClosed = true;
        channel.close();
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        if (!unread.isEmpty()) {
            loop.execute(this::deliver);
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) message;
        byte[] copy = ByteBufUtil.getBytes(bytes);
        bytes.release();
        if (!isClosed) {
            written.accept(copy);
        }
        promise.trySuccess();
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (!isClosed) {
            isClosed = true;
            closed.run();
        }
        ctx.close(promise);
    }
}
