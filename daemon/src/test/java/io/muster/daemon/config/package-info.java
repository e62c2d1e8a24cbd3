/** Tests of the configuration. They may use everything the daemon's tests may. JUnit's own thread runs them. */
@NullMarked
package io.muster.daemon.config;

import org.jspecify.annotations.NullMarked;
