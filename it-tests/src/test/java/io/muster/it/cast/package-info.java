/**
 * The cast of this module's tests: clients that change, follow or query a daemon, and that know what it must answer. May use everything.
 * Each member runs on a thread of its own, except {@link io.muster.it.cast.RecordingAdmin}, which runs on the thread of the test.
 */
@NullMarked
package io.muster.it.cast;

import org.jspecify.annotations.NullMarked;
