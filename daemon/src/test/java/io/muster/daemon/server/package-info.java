/**
 * Tests of sessions and connections, and the transcripts. They use the core's rig. JUnit's own thread is the core thread and the thread of
 * embedded channels.
 */
@NullMarked
package io.muster.daemon.server;

import org.jspecify.annotations.NullMarked;
