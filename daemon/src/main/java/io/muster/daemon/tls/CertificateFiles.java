package io.muster.daemon.tls;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Grant;
import io.muster.daemon.config.LedgerSettings;
import io.muster.daemon.config.ListenAddress;
import io.muster.daemon.config.SourceFile;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.protocol.tls.Proof;
import io.muster.protocol.tls.SecretFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Checks the certificates, keys and files with passwords that a configuration names. Commands use this class, so it needs neither a log nor Netty. */
public final class CertificateFiles {
    private CertificateFiles() {}

    private interface Reading {
        Object read() throws IOException;
    }

    /**
     * Returns the configuration if all its certificates and keys can be used. A list of revoked certificates may be missing.
     *
     * @throws InvalidException with a problem for each file that cannot be used
     */
    public static Config checked(Config config) {
        List<Problem> problems = new ArrayList<>();
        for (Grant grant : config.access().grants()) {
            note(problems, () -> Trust.read(List.of(grant)));
        }
        for (ListenAddress address : encrypted(config)) {
            note(problems, () -> proof(address));
        }
        LedgerSettings ledger = config.ledger();
        for (Path secret : Stream.of(ledger.tls().key(), ledger.passwordFile())
                .flatMap(Stream::ofNullable)
                .toList()) {
            note(problems, () -> {
                SecretFile.check(secret);
                return secret;
            });
        }
        if (!problems.isEmpty()) {
            throw new InvalidException(
                    "configuration", problems.stream().distinct().toList(), 0);
        }
        return config;
    }

    private static void note(List<Problem> problems, Reading reading) {
        try {
            Objects.requireNonNull(reading.read());
        } catch (IOException e) {
            problems.add(new Problem("", SourceFile.sentence(e)));
        }
    }

    static List<ListenAddress> encrypted(Config config) {
        return config.addresses().stream()
                .filter(address -> address.certificate() != null)
                .toList();
    }

    static Proof proof(ListenAddress address) throws IOException {
        return Proof.read(Objects.requireNonNull(address.certificate()), Objects.requireNonNull(address.key()));
    }
}
