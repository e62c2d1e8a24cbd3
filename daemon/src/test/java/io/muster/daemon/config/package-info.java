/** Tests of the configuration. May use everything that the daemon's tests may use. Run on JUnit's own thread. */
@NullMarked
package io.muster.daemon.config;

import org.jspecify.annotations.NullMarked;
