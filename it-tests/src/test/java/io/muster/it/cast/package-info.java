/**
 * Clients for the tests of this module. They change, follow or query a daemon, and check its answers. May use everything.
 * Each member runs on a thread of its own, except {@link io.muster.it.cast.RecordingAdmin}, which runs on the thread of the test.
 */
@NullMarked
package io.muster.it.cast;

import org.jspecify.annotations.NullMarked;
