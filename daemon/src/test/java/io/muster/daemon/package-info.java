/**
 * Tests of the start and stop of the daemon. These tests may use everything that the daemon may use, and the disks of the journal. The
 * daemon runs its own threads, and the thread of JUnit waits for them.
 */
@NullMarked
package io.muster.daemon;

import org.jspecify.annotations.NullMarked;
