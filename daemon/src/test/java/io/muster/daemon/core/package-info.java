/**
 * Tests of the core, and the rig that they use: the daemon's own parts on a disk in memory. May use what the core may use, and the
 * journal's disks. JUnit's own thread is the core thread.
 */
@NullMarked
package io.muster.daemon.core;

import org.jspecify.annotations.NullMarked;
