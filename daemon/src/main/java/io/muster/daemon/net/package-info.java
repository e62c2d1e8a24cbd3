/**
 * Everything that knows Netty's channels: listeners, the welcome of a new peer, one connection for each peer, and the memory that
 * peers share. Depends on service and access. Runs on the core thread, which is Netty's one event loop for peers.
 */
@NullMarked
package io.muster.daemon.net;

import org.jspecify.annotations.NullMarked;
