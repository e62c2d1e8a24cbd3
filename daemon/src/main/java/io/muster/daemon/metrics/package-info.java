/**
 * The list of meters and the registry that Prometheus scrapes. Depends on Micrometer and on no other package of the daemon: values
 * come in as suppliers. Counting is safe on any thread; a supplier is read by the thread that scrapes.
 */
@NullMarked
package io.muster.daemon.metrics;

import org.jspecify.annotations.NullMarked;
