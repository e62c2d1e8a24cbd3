/**
 * The http package is the HTTP server: sockets, connections, checks of requests, probes, and events for many readers. It depends on
 * Netty and on no package that knows the inventory: a {@link io.muster.daemon.http.Site} decides what is served. It runs on one event
 * loop named {@code network}, which the core thread never waits for.
 */
@NullMarked
package io.muster.daemon.http;

import org.jspecify.annotations.NullMarked;
