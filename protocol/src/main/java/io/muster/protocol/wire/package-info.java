/**
 * The wire package has RFC 3 messages and their framing on a UNIX stream socket, as plain byte arrays and {@code java.nio}
 * buffers. It depends on the json package and the JSON library only, and does no input or output. Messages, headers and bytes are
 * immutable and may be used on any thread; a {@link io.muster.protocol.wire.FrameDecoder} belongs to the one thread that reads its
 * connection.
 */
@NullMarked
package io.muster.protocol.wire;

import org.jspecify.annotations.NullMarked;
