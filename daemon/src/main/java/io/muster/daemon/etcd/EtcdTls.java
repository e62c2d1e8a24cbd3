package io.muster.daemon.etcd;

import io.muster.protocol.tls.ClientFiles;
import io.muster.protocol.tls.Pem;
import io.muster.protocol.tls.Proof;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The files for TLS with etcd, in PEM. They are read again for each connection, so that a certificate can be replaced while the daemon
 * runs.
 *
 * @param ca certificates that sign those of etcd's members; null for those that the system trusts
 * @param certificate the daemon's certificate chain; null for none
 * @param key the private key of the certificate, in PKCS #8
 */
public record EtcdTls(
        @Nullable Path ca,
        @Nullable Path certificate,
        @Nullable Path key) {
    /** @throws IOException whose message names the file that cannot be used */
    SSLSocketFactory sockets() throws IOException {
        try {
            KeyManager @Nullable [] keys = certificate == null || key == null
                    ? null
                    : new Proof(Pem.certificates(certificate), Pem.key(key)).keys();
            TrustManager @Nullable [] trusted =
                    ca == null ? null : new TrustManager[] {ClientFiles.trust(Pem.certificates(ca))};
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trusted, null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS with etcd cannot be set up: " + e.getMessage(), e);
        }
    }
}
