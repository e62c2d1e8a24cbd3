package io.muster.daemon.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Makes a handshake fail if the files that {@link Certificates} read last do not permit the peer's certificate. Used on the
 * thread {@code handshakes}.
 */
final class PeerTrust extends X509ExtendedTrustManager {
    private final Certificates certificates;

    PeerTrust(Certificates certificates) {
        this.certificates = certificates;
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        Objects.requireNonNull(certificates.identify(List.of(chain)));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw new CertificateException("the daemon connects to no server");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw new CertificateException("the daemon connects to no server");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("the daemon connects to no server");
    }

    /** Returns none: a client that is sent no names of CAs shows the certificate that it has, and the log can say what is wrong with it. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
