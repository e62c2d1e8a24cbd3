/**
 * Tests of the daemon's start and stop. May use everything that the daemon may use, and the journal's disks. The daemon runs its own
 * threads, and JUnit's thread waits for them.
 */
@NullMarked
package io.muster.daemon;

import org.jspecify.annotations.NullMarked;
