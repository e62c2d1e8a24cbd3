package io.muster.daemon.net;

import io.muster.daemon.account.Holding;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Response;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The responses on their way to one peer. Those for which the channel has no room, or parts of them, wait here in order. */
final class Outgoing {
    /**
     * A payload longer than this is not copied: it stays where it is, shared with other connections that send the same
     * payload, until the peer reads it.
     */
    private static final int COPIED = 4096;

    /**
     * The size of the pieces in which long payloads are copied into direct buffers, so that a slow peer does not hold the
     * whole payload outside the heap.
     */
    private static final int PIECE = 1 << 15;

    private final Channel channel;
    private final Holding memory;
    private final Deque<Rest> parts = new ArrayDeque<>();
    private long bytes;
    private long own;

    Outgoing(Channel channel, Holding memory) {
        this.channel = channel;
        this.memory = memory;
    }

    /**
     * The bytes of a part that have not been sent.
     *
     * @param shared the payload that the part belongs to, if the payload is shared with other connections
     * @param last whether the part is the last one of that payload
     */
    private record Rest(ByteBuffer bytes, @Nullable Bytes shared, boolean last) {}

    /** Returns whether the channel has taken everything. Otherwise the connection is not writable. */
    boolean isEmpty() {
        return parts.isEmpty();
    }

    /** Returns the number of bytes that the peer must read before the connection is writable. */
    long bytes() {
        return channel.bytesBeforeWritable() + bytes;
    }

    /** Returns the number of bytes that are held for this peer alone. */
    long own() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return own + (out == null ? 0 : out.totalPendingWriteBytes());
    }

    /** Returns why a payload cannot wait for the peer to read it; null if it can. */
    @Nullable
    RpcException refusal(@Nullable Bytes payload) {
        return payload == null || payload.length() <= COPIED ? null : memory.refusal(payload, payload.length());
    }

    void write(Response response, FrameEncoder encoder) {
        Bytes payload = response.payload();
        if (isEmpty() && (payload == null || payload.length() <= COPIED)) {
            int size = encoder.size(response);
            ByteBuf frame = channel.alloc().buffer(size, size);
            encoder.encode(response, frame.internalNioBuffer(0, size));
            channel.write(frame.writerIndex(size), channel.voidPromise());
        } else if (payload == null || payload.length() <= COPIED) {
            add(encoder.encode(response));
        } else {
            ByteBuffer head = ByteBuffer.allocate(encoder.headSize(response));
            encoder.writeHead(response, head);
            ByteBuffer tail = ByteBuffer.allocate(encoder.tailSize());
            encoder.writeTail(response, tail);
            add(head.flip());
            share(payload);
            add(tail.flip());
        }
    }

    /**
     * Writes as much as the channel has room for.
     *
     * @return whether there was something to write
     */
    boolean sendOn() {
        boolean written = false;
        while (!isEmpty() && channel.isWritable()) {
            channel.write(remove(), channel.voidPromise());
            written = true;
        }
        return written;
    }

    private void add(ByteBuffer part) {
        parts.add(new Rest(part, null, false));
        bytes += part.remaining();
        own += part.remaining();
    }

    /** Adds a payload, which is not empty, without a copy. */
    private void share(Bytes payload) {
        List<ByteBuffer> pieces = payload.toByteBuffers();
        for (int i = 0; i < pieces.size(); i++) {
            parts.add(new Rest(pieces.get(i), payload, i == pieces.size() - 1));
        }
        bytes += payload.length();
        memory.waits(payload, payload.length());
    }

    /**
     * Removes and returns the next piece, copied into a direct buffer. Netty would copy a heap buffer as a whole to memory
     * outside the heap, for each peer.
     */
    private ByteBuf remove() {
        Rest rest = parts.element();
        int size = Math.min(PIECE, rest.bytes.remaining());
        ByteBuf piece = channel.alloc().directBuffer(size, size);
        piece.writeBytes(rest.bytes.slice().limit(size));
        rest.bytes.position(rest.bytes.position() + size);
        bytes -= size;
        own -= rest.shared == null ? size : 0;
        if (!rest.bytes.hasRemaining()) {
            parts.remove();
            if (rest.shared != null && rest.last) {
                memory.isRead(rest.shared);
            }
        }
        return piece;
    }

    /** Drops everything. Closing the memory releases the shared payloads. */
    void clear() {
        parts.clear();
        bytes = 0;
        own = 0;
    }
}
