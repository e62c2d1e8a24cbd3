/**
 * Tests of how the daemon is put together and taken apart. They may use everything the daemon may, and the journal's disks.
 * Its own threads run; JUnit's waits for them.
 */
@NullMarked
package io.muster.daemon;

import org.jspecify.annotations.NullMarked;
