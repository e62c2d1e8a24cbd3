package io.muster.daemon.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.daemon.config.Grant;
import io.muster.protocol.operation.Right;
import io.muster.protocol.testing.Pki;
import io.muster.protocol.tls.Pem;
import io.muster.testing.Needs;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Certificates with arbitrary changed bytes. */
@Needs("openssl")
final class TrustFuzzTest {
    private static byte[] good = new byte[0];
    private static Trust trust = trust(Path.of("/dev/null"), List.of());
    private static Path directory = Path.of("/");

    private static Trust trust(Path ca, List<String> names) {
        try {
            return Trust.read(names.stream()
                    .map(name -> new Grant(
                            List.of(Grant.CERTIFICATE + name),
                            Set.of(Right.READ),
                            null,
                            null,
                            new Grant.Issuer(ca, null),
                            false))
                    .toList());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeAll
    static void make() throws Exception {
        directory = Files.createTempDirectory("trust");
        Pki pki = Pki.in(directory);
        good = Pem.certificates(pki.file("ops.pem")).get(0).getEncoded();
        trust = trust(pki.file("ca.pem"), List.of("ops.example.org"));
    }

    @AfterAll
    static void remove() throws IOException {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    @Test
    void theUnchangedCertificateIsAccepted() throws Exception {
        assertThat(trust.identify(List.of(parse(good)))).isEqualTo("ops.example.org");
    }

    @Test
    void aGrantForEachHostAcceptsTheCertificateOfAHostUnderItsOwnName() throws Exception {
        Trust hosts = trust(directory.resolve("ca.pem"), List.of("{host}.example.org"));
        assertThat(hosts.identify(List.of(parse(good)))).isEqualTo("ops.example.org");
        Trust others = trust(directory.resolve("ca.pem"), List.of("{host}.example.com"));
        assertThatThrownBy(() -> others.identify(List.of(parse(good)))).hasMessageContaining("no [[grant]] names");
    }

    private static X509Certificate parse(byte[] der) throws CertificateException {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
    }

    /** Changes some bytes. No certificate is accepted whose signed content differs from the original. */
    @FuzzTest(maxDuration = "1m")
    void aChangedCertificateIsRefusedWithASentence(FuzzedDataProvider data) {
        byte[] der = good.clone();
        int changes = data.consumeInt(1, 8);
        for (int i = 0; i < changes; i++) {
            int at = data.consumeInt(0, der.length - 1);
            der[at] = data.consumeByte();
        }
        try {
            X509Certificate read = parse(der);
            assertThat(trust.identify(List.of(read))).isEqualTo("ops.example.org");
            assertThat(read.getTBSCertificate())
                    .as("what was signed")
                    .isEqualTo(parse(good).getTBSCertificate());
        } catch (CertificateException e) {
            assertThat(e).message().isNotBlank();
        }
    }
}
