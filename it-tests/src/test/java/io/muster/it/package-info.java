/**
 * The daemon as a process, driven over its sockets. These tests may use the client and the payloads of the protocol; of the
 * daemon they know the command line, the configuration and the log. JUnit's own thread runs them.
 */
@NullMarked
package io.muster.it;

import org.jspecify.annotations.NullMarked;
