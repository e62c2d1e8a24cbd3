package io.muster.daemon.net;

import io.muster.protocol.wire.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The parts of answers that a connection has no room for yet, in order. */
final class Unsent {
    /**
     * Long payloads are copied into direct buffers in pieces of this size, so that a slow peer does not hold the whole payload outside the
     * heap.
     */
    private static final int PIECE = 1 << 15;

    private final MemoryBudget.Account account;
    private final Deque<Rest> parts = new ArrayDeque<>();
    private long bytes;
    private long own;

    Unsent(MemoryBudget.Account account) {
        this.account = account;
    }

    /** The rest of a part that the peer has still to be sent, and the payload that the part belongs to if the payload is shared. */
    private record Rest(ByteBuffer bytes, @Nullable Bytes shared) {}

    boolean isEmpty() {
        return parts.isEmpty();
    }

    long bytes() {
        return bytes;
    }

    /** Bytes held for this peer alone. */
    long own() {
        return own;
    }

    void add(ByteBuffer part, @Nullable Bytes shared) {
        int size = part.remaining();
        parts.add(new Rest(part, shared));
        bytes += size;
        if (shared == null) {
            own += size;
        } else {
            account.waits(shared, size);
        }
    }

    /** Removes the next piece. A heap buffer would be copied whole into memory outside the heap, for each peer. */
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
            if (rest.shared != null) {
                account.isRead(rest.shared);
            }
        }
        return piece;
    }

    /** Drops everything. The account releases the shared payloads when it is closed. */
    void clear() {
        parts.clear();
        bytes = 0;
        own = 0;
    }
}
