/**
 * The daemon's reports about itself: the list of meters, the registry, the HTTP endpoint for Prometheus and probes, and the notifications
 * to systemd. Depends on Micrometer and Netty, and on no other package of the daemon: values come from suppliers. Counting is safe on any
 * thread. Scrapes and probes run on the endpoint's own thread, so every supplier must be safe to call there.
 */
@NullMarked
package io.muster.daemon.metrics;

import org.jspecify.annotations.NullMarked;
