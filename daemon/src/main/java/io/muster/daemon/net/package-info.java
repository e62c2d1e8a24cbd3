/**
 * Everything that knows Netty's channels: listeners, the handshake with a new peer, one connection for each peer, and the memory that
 * peers share. Depends on service, access, config, the protocol and the names of sockets. Runs on the core thread, which is Netty's one
 * event loop for peers.
 */
@NullMarked
package io.muster.daemon.net;

import org.jspecify.annotations.NullMarked;
