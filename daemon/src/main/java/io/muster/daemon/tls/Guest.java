package io.muster.daemon.tls;

import io.muster.daemon.access.Identity;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A peer whose handshake is complete.
 *
 * @param identity null if the peer showed no certificate, where none is required
 * @param chain the certificate that the peer showed, then those of CAs
 * @param address the peer's address, for people
 */
public record Guest(@Nullable Identity identity, List<X509Certificate> chain, String address) {
    public Guest {
        chain = List.copyOf(chain);
    }
}
