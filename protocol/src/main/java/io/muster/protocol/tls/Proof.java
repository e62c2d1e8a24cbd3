package io.muster.protocol.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * The proof of identity of one side of a connection: a chain of certificates, and the private key of the first certificate.
 *
 * @param chain the certificate, and then those of the CAs between it and the root
 */
public record Proof(List<X509Certificate> chain, PrivateKey key) {
    /** The only version of TLS that Muster permits. */
    public static final String TLS = "TLSv1.3";

    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA", "Ed25519", "EdDSA");

    public Proof {
        chain = List.copyOf(chain);
    }

    /** @throws IOException with the file's name, also if the key is not that of the certificate */
    public static Proof read(Path certificate, Path key) throws IOException {
        Proof proof = new Proof(Pem.certificates(certificate), Pem.key(key));
        if (!proof.isOnePair()) {
            throw Pem.fault(key, "is not the key of the certificate in " + certificate);
        }
        return proof;
    }

    private boolean isOnePair() {
        try {
            byte[] text = {1, 2, 3};
            Signature signature = Signature.getInstance(SIGNATURES.getOrDefault(key.getAlgorithm(), "none"));
            signature.initSign(key);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(chain.get(0).getPublicKey());
            signature.update(text);
            return signature.verify(signed);
        } catch (GeneralSecurityException otherAlgorithm) {
            return false;
        }
    }

    /** Returns a context for either side. */
    public SSLContext context(TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance(TLS);
            context.init(keys(), new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK cannot use the key", e);
        }
    }

    /** Returns the managers that show this proof to the other side. */
    public KeyManager[] keys() {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            char[] password = "unused".toCharArray();
            store.setKeyEntry("key", key, password, chain.toArray(Certificate[]::new));
            KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
            keys.init(store, password);
            return keys.getKeyManagers();
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("the JDK cannot use the key", e);
        }
    }
}
