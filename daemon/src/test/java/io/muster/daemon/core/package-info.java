/**
 * Tests of the core, and the rig that they use: the parts of the daemon on a disk in memory. These tests may use the packages that the core
 * may use, and the disks of the journal. The thread of JUnit is the core thread.
 */
@NullMarked
package io.muster.daemon.core;

import org.jspecify.annotations.NullMarked;
