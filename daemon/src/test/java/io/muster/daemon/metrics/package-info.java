/** Tests of the metricsuration. They may use everything the daemon's tests may. JUnit's own thread runs them. */
@NullMarked
package io.muster.daemon.metrics;

import org.jspecify.annotations.NullMarked;
