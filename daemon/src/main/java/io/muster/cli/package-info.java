/**
 * The {@code muster} command. Only {@code serve} may use the classes of the running daemon, so that the other verbs start without Netty,
 * Micrometer and logback on their class path. Runs on the main thread.
 */
@NullMarked
package io.muster.cli;

import org.jspecify.annotations.NullMarked;
