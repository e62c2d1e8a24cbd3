package io.muster.daemon.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.protocol.testing.Pki;
import io.muster.testing.Needs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code muster check} and a start say about the files that a configuration names. */
final class CertificateFilesTest {
    @TempDir
    private Path directory;

    @Test
    @Needs("openssl")
    void everyFileWithASecretThatOthersMayReadIsNamed() throws Exception {
        Pki pki = Pki.in(directory);
        Path password = Files.writeString(pki.file("password"), "sesame\n");
        Path file = Files.writeString(
                directory.resolve("muster.toml"),
                pki.config("san = \"ops.example.org\"\nrights = [\"read\"]")
                        + "[ledger]\nkind = \"etcd\"\nendpoints = [\"https://node1:2379\"]\ncertificate = \""
                        + pki.file("ops.pem") + "\"\nkey = \"" + pki.file("ops.key")
                        + "\"\nuser = \"muster\"\npassword-file = \"" + password + "\"\n");
        List<Path> secrets = List.of(pki.file("server.key"), pki.file("ops.key"), password);
        for (Path secret : secrets) {
            Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-rw-rw-"));
        }
        Config config = Config.load(file, new Environment(Map.of(), 1000, directory, "testhost", 2));
        InvalidException refused = catchThrowableOfType(InvalidException.class, () -> CertificateFiles.checked(config));
        assertThat(refused.problems()).extracting(Problem::sentence).hasSize(secrets.size());
        for (Path secret : secrets) {
            assertThat(refused.problems())
                    .extracting(Problem::sentence)
                    .anySatisfy(sentence -> assertThat(sentence)
                            .startsWith(secret
                                    + ": has a secret, and other users have access to it (mode 0666): run `chmod 06")
                            .endsWith("0 " + secret + "`"));
            Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        }
        assertThat(CertificateFiles.checked(config)).isSameAs(config);
    }
}
