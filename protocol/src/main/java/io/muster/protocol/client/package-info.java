/**
 * The client package is a small blocking client for Flux services over UNIX sockets, ssh and TLS. It depends on the rpc, tls
 * and wire packages and the JDK, and loads few classes, because every command-line tool loads it. A client and its streams belong to one
 * thread.
 */
@NullMarked
package io.muster.protocol.client;

import org.jspecify.annotations.NullMarked;
