/**
 * Tests of the daemon as a process, driven over its sockets. May use the client and the payloads of the protocol; of the daemon they know
 * the command line, the configuration and the log. Run on JUnit's own thread.
 */
@NullMarked
package io.muster.it;

import org.jspecify.annotations.NullMarked;
