package io.muster.daemon.etcd;

import io.muster.protocol.tls.Pem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
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
    private static final char[] NO_PASSWORD = new char[0];

    /** @throws IOException whose message names the file that cannot be used */
    SSLSocketFactory sockets() throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(), trusted(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS with etcd cannot be set up: " + e.getMessage(), e);
        }
    }

    private javax.net.ssl.TrustManager @Nullable [] trusted() throws IOException, GeneralSecurityException {
        if (ca == null) {
            return null;
        }
        KeyStore store = empty();
        int count = 0;
        for (Certificate certificate : certificates(ca)) {
            store.setCertificateEntry("ca" + count++, certificate);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private javax.net.ssl.KeyManager @Nullable [] keys() throws IOException, GeneralSecurityException {
        if (certificate == null || key == null) {
            return null;
        }
        KeyStore store = empty();
        store.setKeyEntry(
                "muster", Pem.key(key), NO_PASSWORD, certificates(certificate).toArray(new Certificate[0]));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException {
        try {
            Collection<? extends Certificate> found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
            if (!found.isEmpty()) {
                return found;
            }
            throw new IOException(file + " holds no certificate in PEM");
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " holds no certificate in PEM: " + e.getMessage(), e);
        }
    }
}
