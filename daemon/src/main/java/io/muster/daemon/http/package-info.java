/**
 * The HTTP endpoint for Prometheus and for health probes. Depends on Netty and on no other package of the daemon: the daemon passes
 * values in as suppliers. Runs on an event loop of its own, so it must be safe to read what a supplier reads on that thread.
 */
@NullMarked
package io.muster.daemon.http;

import org.jspecify.annotations.NullMarked;
