/**
 * The HTTP endpoint for Prometheus and for health probes. Depends on Netty and on no other package of the daemon: values come in
 * as suppliers. Runs on an event loop of its own, so what a supplier reads must be safe to read there.
 */
@NullMarked
package io.muster.daemon.http;

import org.jspecify.annotations.NullMarked;
