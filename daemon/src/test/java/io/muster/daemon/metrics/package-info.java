/** Tests of the metrics. May use everything that the daemon's tests may use. Run on JUnit's own thread. */
@NullMarked
package io.muster.daemon.metrics;

import org.jspecify.annotations.NullMarked;
