/**
 * The metrics package has the list of meters and the registry that Prometheus scrapes. It depends on Micrometer and on no
 * other package of the daemon: the daemon passes values in as suppliers. Any thread may count; the thread that scrapes calls
 * the suppliers.
 */
@NullMarked
package io.muster.daemon.metrics;

import org.jspecify.annotations.NullMarked;
