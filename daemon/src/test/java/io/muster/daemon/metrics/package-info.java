/** Tests of the metrics. These tests may use everything that the tests of the daemon may use, and run on the thread of JUnit. */
@NullMarked
package io.muster.daemon.metrics;

import org.jspecify.annotations.NullMarked;
