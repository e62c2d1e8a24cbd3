/**
 * The tls package makes handshakes with peers that show certificates: which certificates the daemon shows and accepts, and how long
 * and how many handshakes may take. It depends on the configuration, on access for identities, and on the protocol's tls package. The
 * handshakes run on the threads {@code network} and {@code handshakes}, and files are read on the thread {@code reload}.
 */
@NullMarked
package io.muster.daemon.tls;

import org.jspecify.annotations.NullMarked;
