/**
 * What the daemon says of itself: the list of meters, the registry that scrapes them, the HTTP endpoint for Prometheus and probes, systemd's
 * notifications, and the queue before standard error. Depends on Micrometer and Netty, on no other package of the daemon: values come in as suppliers. Counting is
 * safe on any thread; scraping and probing happen on the endpoint's own thread, so what a supplier reads must be safe to read there.
 */
@NullMarked
package io.muster.daemon.metrics;

import org.jspecify.annotations.NullMarked;
