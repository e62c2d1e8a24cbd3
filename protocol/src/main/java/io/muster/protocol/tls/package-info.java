/**
 * The tls package reads certificates, keys and lists of revoked certificates from files, and makes contexts for TLS 1.3 of them. It
 * depends on no other package of the project, and on the TLS of the JDK. Its values are immutable, so any thread may use them.
 */
@NullMarked
package io.muster.protocol.tls;

import org.jspecify.annotations.NullMarked;
