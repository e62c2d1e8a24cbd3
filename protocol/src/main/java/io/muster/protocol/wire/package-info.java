/**
 * RFC 3 messages and their framing on a UNIX stream socket, on plain byte arrays and {@code java.nio} buffers. Depends on the
 * JSON library only, and on nothing that does input or output. Messages, headers and bytes are immutable and may go
 * anywhere; a {@link io.muster.protocol.wire.FrameDecoder} belongs to the one thread that reads its connection.
 */
@NullMarked
package io.muster.protocol.wire;

import org.jspecify.annotations.NullMarked;
