/**
 * RFC 6 remote procedure calls over RFC 3 messages: error numbers, topics, streams, cancellation. This package depends on the
 * wire package only. Everything here is immutable except {@link io.muster.protocol.rpc.ReplyStream}, which belongs to the
 * thread that answers the request.
 */
@NullMarked
package io.muster.protocol.rpc;

import org.jspecify.annotations.NullMarked;
