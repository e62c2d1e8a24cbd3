/**
 * Sockets, and what may be asked over them: listeners, one connection and one session for each peer, and the switch from
 * topic to deed. Depends on core, config, protocol, and journal.disk for
 * the sockets' names. Everything runs on the core thread, which is Netty's one event
 * loop for peers.
 */
@NullMarked
package io.muster.daemon.server;

import org.jspecify.annotations.NullMarked;
