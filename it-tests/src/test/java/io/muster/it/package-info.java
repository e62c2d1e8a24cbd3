/**
 * Tests of the daemon as a process, over its sockets. May use the client and the payloads of the protocol, and of the daemon only
 * the command line, the configuration and the log. Run on JUnit's own thread.
 */
@NullMarked
package io.muster.it;

import org.jspecify.annotations.NullMarked;
