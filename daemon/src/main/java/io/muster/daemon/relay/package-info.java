/**
 * The relay package passes requests of users of this host to a daemon on another host, in one connection in TLS, and the responses
 * back. It depends on the protocol, on access for the names of users, on account, and on net for sockets. Everything runs on
 * the relay's one event loop, except that the thread {@code files} reads certificates and the threads {@code names} look up users.
 * {@code RelaySocket} has the sockets and threads; the simulator has another {@code RelayHost} in its place.
 */
@NullMarked
package io.muster.daemon.relay;

import org.jspecify.annotations.NullMarked;
