package io.muster.protocol.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * The files that a client needs for TLS.
 *
 * @param certificate file with the client's certificate
 * @param key file with the private key of the certificate
 * @param ca file with the certificates of the CAs that may have issued the server's certificate
 */
public record ClientFiles(Path certificate, Path key, Path ca) {
    /**
     * Returns the client's side of a connection, which trusts a server only if its certificate has the host's name.
     *
     * @throws IOException if a file cannot be used, with its name
     */
    public SSLEngine engine(String host, int port) throws IOException {
        TrustManager trust = trust(Pem.certificates(ca));
        SSLEngine engine = Proof.read(certificate, key).context(trust).createSSLEngine(host, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {Proof.TLS});
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** Returns a manager that trusts what these CAs have issued. */
    public static TrustManager trust(List<X509Certificate> issuers) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < issuers.size(); i++) {
                store.setCertificateEntry("ca" + i, issuers.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return factory.getTrustManagers()[0];
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has PKIX", e);
        }
    }
}
