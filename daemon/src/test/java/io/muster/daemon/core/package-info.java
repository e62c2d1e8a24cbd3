/**
 * Tests of the core, and the rig that they stand on: the daemon's own parts on a disk in memory. They may use what the core
 * may, and the journal's disks. JUnit's own thread is the core thread.
 */
@NullMarked
package io.muster.daemon.core;

import org.jspecify.annotations.NullMarked;
