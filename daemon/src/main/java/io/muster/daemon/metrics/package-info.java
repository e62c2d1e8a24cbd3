/**
 * The list of meters and the registry that Prometheus scrapes. Depends on Micrometer and on no other package of the daemon: the daemon
 * passes values in as suppliers. Counting is safe on any thread; the thread that scrapes reads the suppliers.
 */
@NullMarked
package io.muster.daemon.metrics;

import org.jspecify.annotations.NullMarked;
