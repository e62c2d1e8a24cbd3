/**
 * The rpc package has remote procedure calls (RFC 6) over RFC 3 messages: error numbers, topics, streams, cancellation. It
 * depends on the wire package only. Its values are immutable except {@link io.muster.protocol.rpc.ReplyStream}, which
 * belongs to the thread that responds to the request.
 */
@NullMarked
package io.muster.protocol.rpc;

import org.jspecify.annotations.NullMarked;
