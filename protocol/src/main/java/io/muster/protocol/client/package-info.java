/**
 * A small blocking client for Flux services on a UNIX socket. Depends on the rpc and wire packages and the JDK, and takes
 * care to load little: a command-line tool starts with it. A client and its streams belong to one thread.
 */
@NullMarked
package io.muster.protocol.client;

import org.jspecify.annotations.NullMarked;
