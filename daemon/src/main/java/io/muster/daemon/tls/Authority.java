package io.muster.daemon.tls;

import io.muster.daemon.config.Grant;
import io.muster.daemon.config.SourceFile;
import io.muster.protocol.tls.Pem;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A CA that issues the certificates of peers, and its list of revoked certificates. If the configuration names a list that cannot be
 * read, every certificate of the CA is refused: an attacker that can remove a file must not gain by it.
 */
final class Authority {
    /** The JDK accepts a list of revoked certificates for this time after the next one is due. */
    static final Duration TOLERANCE = Duration.ofMinutes(15);

    private static final int LEAST_RSA_BITS = 2048;
    private static final int LEAST_EC_BITS = 256;
    private static final Set<String> CLIENT_USAGES = Set.of("1.3.6.1.5.5.7.3.2", "2.5.29.37.0");
    private static final int DIGITAL_SIGNATURE = 0;

    private static final Map<BasicReason, String> REASONS = Map.of(
            BasicReason.EXPIRED, "it has expired",
            BasicReason.NOT_YET_VALID, "it is not valid yet",
            BasicReason.REVOKED, "it was revoked",
            BasicReason.INVALID_SIGNATURE, "its signature is wrong",
            BasicReason.ALGORITHM_CONSTRAINED, "its key or signature is too weak");

    private final Path file;
    private final X509Certificate certificate;
    private final PKIXParameters parameters;
    private final @Nullable Path crl;
    /** Why all certificates are refused; "" if they are not. */
    private final String fault;

    private final @Nullable Instant crlNext;

    private Authority(
            Path file,
            X509Certificate certificate,
            PKIXParameters parameters,
            @Nullable Path crl,
            String fault,
            @Nullable Instant crlNext) {
        this.file = file;
        this.certificate = certificate;
        this.parameters = parameters;
        this.crl = crl;
        this.fault = fault;
        this.crlNext = crlNext;
    }

    /** @throws IOException if the certificate of the CA cannot be read, with the file's name */
    static Authority read(Grant.Issuer issuer) throws IOException {
        List<X509Certificate> certificates = Pem.certificates(issuer.ca());
        X509Certificate certificate = certificates.get(0);
        if (certificates.size() > 1 || certificate.getBasicConstraints() < 0) {
            String sentence = certificates.size() > 1
                    ? "has " + certificates.size()
                            + " certificates: name the one CA that issues the certificate of the grant"
                    : "is not the certificate of a CA";
            throw new FileSystemException(issuer.ca().toString(), null, sentence);
        }
        List<X509CRL> lists = new ArrayList<>();
        String fault = "";
        Path crl = issuer.crl();
        if (crl != null) {
            try {
                lists.addAll(Pem.crls(crl));
            } catch (IOException e) {
                fault = "the list of revoked certificates " + crl + " cannot be read: " + SourceFile.reason(e);
            }
        }
        Instant next = lists.stream()
                .filter(list -> list.getNextUpdate() != null)
                .map(list -> list.getNextUpdate().toInstant())
                .min(Instant::compareTo)
                .orElse(null);
        return new Authority(issuer.ca(), certificate, parameters(certificate, crl, lists), crl, fault, next);
    }

    private static PKIXParameters parameters(X509Certificate ca, @Nullable Path crl, List<X509CRL> lists) {
        try {
            PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(ca, null)));
            parameters.setRevocationEnabled(crl != null);
            parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(lists)));
            return parameters;
        } catch (InvalidAlgorithmParameterException | NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has PKIX", e);
        }
    }

    /** When the certificate of the CA expires. */
    Instant end() {
        return certificate.getNotAfter().toInstant();
    }

    /** When the next list of revoked certificates is due; null if there is no list or the list does not name the time. */
    @Nullable
    Instant crlNext() {
        return crlNext;
    }

    /** Returns whether a time from which the CA's certificates are refused is after {@code before}, and not after {@code now}. */
    boolean endsBetween(Instant before, Instant now) {
        Instant listEnd = crlNext == null ? end() : crlNext.plus(TOLERANCE);
        return Stream.of(end(), listEnd).anyMatch(end -> end.isBefore(now) && !end.isBefore(before));
    }

    Path file() {
        return file;
    }

    /** The file with the list of revoked certificates; null if the configuration names none. */
    @Nullable
    Path crl() {
        return crl;
    }

    /** Returns why all certificates of the CA are refused; "" if they are not. */
    String fault() {
        return fault;
    }

    /**
     * Checks that this CA has issued a certificate for a client, and has not revoked it.
     *
     * @param chain the certificate, then those of CAs between it and this one
     * @throws CertificateException with a clause that says why not
     */
    void check(List<X509Certificate> chain) throws CertificateException {
        if (!fault.isEmpty()) {
            throw new CertificateException(fault);
        }
        checkUsage(chain.get(0));
        List<X509Certificate> path = new ArrayList<>(chain);
        if (path.size() > 1 && path.get(path.size() - 1).equals(certificate)) {
            path.remove(path.size() - 1);
        }
        for (X509Certificate each : path) {
            checkStrength(each);
        }
        if (certificate.getNotAfter().toInstant().isBefore(Instant.now())) {
            throw new CertificateException("its CA " + file + " has expired");
        }
        try {
            CertPathValidator.getInstance("PKIX")
                    .validate(CertificateFactory.getInstance("X.509").generateCertPath(path), parameters);
        } catch (CertPathValidatorException e) {
            throw new CertificateException(reason(e), e);
        } catch (GeneralSecurityException e) {
            throw new CertificateException("it cannot be checked: " + e.getMessage(), e);
        }
    }

    private String reason(CertPathValidatorException e) {
        if (e.getReason() == BasicReason.UNDETERMINED_REVOCATION_STATUS) {
            return "the list of revoked certificates " + crl + " is out of date or of another CA";
        }
        return e.getReason() instanceof BasicReason basic && REASONS.containsKey(basic)
                ? REASONS.get(basic)
                : "the CA " + file + " has not issued it";
    }

    private static void checkUsage(X509Certificate client) throws CertificateException {
        List<String> usages;
        try {
            usages = client.getExtendedKeyUsage();
        } catch (CertificateParsingException e) {
            throw new CertificateException("it is damaged: " + e.getMessage(), e);
        }
        boolean[] keyUsage = client.getKeyUsage();
        if ((usages != null && usages.stream().noneMatch(CLIENT_USAGES::contains))
                || (keyUsage != null && !keyUsage[DIGITAL_SIGNATURE])) {
            throw new CertificateException(
                    "it is not for clients of TLS: its key usage needs digitalSignature and clientAuth");
        }
    }

    private static void checkStrength(X509Certificate each) throws CertificateException {
        PublicKey key = each.getPublicKey();
        boolean strong = key instanceof RSAPublicKey rsa
                ? rsa.getModulus().bitLength() >= LEAST_RSA_BITS
                : key instanceof ECPublicKey ec
                        ? ec.getParams().getOrder().bitLength() >= LEAST_EC_BITS
                        : key instanceof EdECPublicKey;
        String signature = each.getSigAlgName().toUpperCase(Locale.ROOT);
        if (!strong || signature.startsWith("MD") || signature.startsWith("SHA1")) {
            throw new CertificateException("its key or signature is too weak: RSA needs " + LEAST_RSA_BITS
                    + " bits, EC " + LEAST_EC_BITS + ", and the signature SHA-256");
        }
    }
}
