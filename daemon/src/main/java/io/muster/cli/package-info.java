/**
 * The {@code muster} command. Only {@code serve} may use {@code Serving}, which starts the daemon. No other verb may use a
 * class that needs Netty, Micrometer or logback, because these libraries are not on the class path of the other verbs. The
 * package runs on the main thread.
 */
@NullMarked
package io.muster.cli;

import org.jspecify.annotations.NullMarked;
