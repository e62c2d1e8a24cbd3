package io.muster.protocol.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads files in PEM. Each exception is a {@link FileSystemException} with the name of the file and a sentence. */
public final class Pem {
    private static final long LARGEST = 64L << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\\s]*+)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    private Pem() {}

    private record Block(String type, String base64) {
        byte[] der(Path file) throws IOException {
            try {
                return Base64.getMimeDecoder().decode(base64);
            } catch (IllegalArgumentException e) {
                throw fault(file, "has a block " + type + " that is not base64: " + e.getMessage());
            }
        }
    }

    private interface Parser<T> {
        T parse(CertificateFactory factory, ByteArrayInputStream der) throws GeneralSecurityException;
    }

    /** Returns the certificates in the file, in their order; at least one. */
    public static List<X509Certificate> certificates(Path file) throws IOException {
        return all(file, "CERTIFICATE", "certificate", (factory, der) ->
                (X509Certificate) factory.generateCertificate(der));
    }

    /** Returns the lists of revoked certificates in the file; at least one. */
    public static List<X509CRL> crls(Path file) throws IOException {
        return all(
                file, "X509 CRL", "list of revoked certificates", (factory, der) -> (X509CRL) factory.generateCRL(der));
    }

    private static <T> List<T> all(Path file, String type, String noun, Parser<T> parser) throws IOException {
        List<T> found = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Block block : blocks(file)) {
                if (block.type.equals(type)) {
                    found.add(parser.parse(factory, new ByteArrayInputStream(block.der(file))));
                }
            }
        } catch (GeneralSecurityException e) {
            throw fault(file, "has a damaged " + noun + ": " + e.getMessage());
        }
        if (found.isEmpty()) {
            throw fault(file, "has no " + noun + " in PEM");
        }
        return found;
    }

    /**
     * Returns the private key in the file.
     *
     * @throws IOException also if other users have access to the file
     */
    public static PrivateKey key(Path file) throws IOException {
        SecretFile.check(file);
        for (Block block : blocks(file)) {
            if (block.type.equals("PRIVATE KEY")) {
                return key(file, block.der(file));
            }
            if (block.type.endsWith("PRIVATE KEY")) {
                throw fault(
                        file,
                        "has a key in another form than PKCS #8 without a password: convert it with `openssl pkcs8 -topk8"
                                + " -nocrypt`");
            }
        }
        throw fault(file, "has no private key in PEM");
    }

    private static PrivateKey key(Path file, byte[] der) throws IOException {
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (InvalidKeySpecException other) {
                // The key is of another algorithm, or damaged.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every JDK has " + algorithm, e);
            }
        }
        throw fault(file, "has a damaged key, or one that is neither RSA, EC nor EdDSA");
    }

    private static List<Block> blocks(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw fault(file, "is not a file");
        }
        if (Files.exists(file) && Files.size(file) > LARGEST) {
            throw fault(file, "is larger than " + (LARGEST >> 20) + " MiB");
        }
        List<Block> blocks = new ArrayList<>();
        Matcher found = BLOCK.matcher(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
        while (found.find()) {
            blocks.add(new Block(found.group(1), found.group(2)));
        }
        return blocks;
    }

    static FileSystemException fault(Path file, String sentence) {
        return new FileSystemException(file.toString(), null, sentence);
    }
}
