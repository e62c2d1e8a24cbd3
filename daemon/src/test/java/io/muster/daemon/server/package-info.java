/**
 * Tests of sessions and connections, and the transcripts. They stand on the core's rig. JUnit's own thread is the core
 * thread, and an embedded channel's.
 */
@NullMarked
package io.muster.daemon.server;

import org.jspecify.annotations.NullMarked;
