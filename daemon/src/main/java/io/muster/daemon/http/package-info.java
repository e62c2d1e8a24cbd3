/**
 * The http package is the HTTP endpoint for Prometheus and for health probes. It depends on Netty and on no other package of
 * the daemon: the daemon passes values in as suppliers. It runs on an event loop of its own, so everything that a supplier
 * reads must be safe to read on that thread.
 */
@NullMarked
package io.muster.daemon.http;

import org.jspecify.annotations.NullMarked;
