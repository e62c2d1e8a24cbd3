/**
 * The net package has everything that knows Netty's channels for peers: listeners, the handshake with a new peer, one
 * connection for each peer. It depends on service, access, account, config, the protocol and the names of
 * sockets. It runs on the core thread, which is Netty's one event loop for peers.
 */
@NullMarked
package io.muster.daemon.net;

import org.jspecify.annotations.NullMarked;
