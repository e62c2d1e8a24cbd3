package io.muster.daemon.net;

import io.muster.daemon.account.Holding;
import io.muster.protocol.wire.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The responses, or parts of them, for which a connection has no room yet, in order. */
final class Unsent {
    /**
     * The size of the pieces in which long payloads are copied into direct buffers, so that a slow peer does not hold the
     * whole payload outside the heap.
     */
    private static final int PIECE = 1 << 15;

    private final Holding memory;
    private final Deque<Rest> parts = new ArrayDeque<>();
    private long bytes;
    private long own;

    Unsent(Holding memory) {
        this.memory = memory;
    }

    /**
     * The bytes of a part that have not been sent.
     *
     * @param shared the payload that the part belongs to, if the payload is shared with other connections
     * @param last whether the part is the last one of that payload
     */
    private record Rest(ByteBuffer bytes, @Nullable Bytes shared, boolean last) {}

    boolean isEmpty() {
        return parts.isEmpty();
    }

    long bytes() {
        return bytes;
    }

    /** Returns the number of bytes that are held for this peer alone. */
    long own() {
        return own;
    }

    void add(ByteBuffer part) {
        parts.add(new Rest(part, null, false));
        bytes += part.remaining();
        own += part.remaining();
    }

    /** Adds a payload, which is not empty, without a copy. */
    void share(Bytes payload) {
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
    ByteBuf remove(ByteBufAllocator allocator) {
        Rest rest = parts.element();
        int size = Math.min(PIECE, rest.bytes.remaining());
        ByteBuf piece = allocator.directBuffer(size, size);
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
