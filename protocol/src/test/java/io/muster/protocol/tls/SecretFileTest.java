package io.muster.protocol.tls;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.protocol.testing.Pki;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may have access to a file with a secret. */
final class SecretFileTest {
    private static final int OCTAL = 8;

    @TempDir
    private Path directory;

    /** @param repair the mode that the message recommends; empty if the file is accepted */
    @ParameterizedTest
    @CsvSource({
        "1000, 100600, ''",
        "1000, 100400, ''",
        "1000, 100700, ''",
        "1000, 100640, 0600",
        "1000, 100604, 0600",
        "1000, 100666, 0600",
        "1000, 100601, 0600",
        "0, 100600, ''",
        "0, 100640, ''",
        "0, 100440, ''",
        "0, 100660, 0640",
        "0, 100644, 0640",
        "0, 100604, 0600",
        "0, 100620, 0600",
    })
    void othersHaveNoAccessAndTheGroupMayReadWhatRootOwns(int owner, String mode, String repair) {
        Path file = Path.of("/etc/muster/server.key");
        int bits = Integer.parseInt(mode, OCTAL);
        int reader = 1000;
        if (repair.isEmpty()) {
            assertThatCode(() -> SecretFile.check(file, bits, owner, reader)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> SecretFile.check(file, bits, owner, reader))
                    .isInstanceOf(IOException.class)
                    .hasMessage("/etc/muster/server.key: has a secret, and other users have access to it (mode "
                            + mode.replaceFirst("100", "0") + "): run `chmod " + repair + " /etc/muster/server.key`");
        }
    }

    @ParameterizedTest
    @CsvSource({"100600", "100640", "100644"})
    void aFileOfAnotherUserIsRefusedUnlessRootReadsIt(String mode) {
        Path file = Path.of("/etc/muster/server.key");
        int bits = Integer.parseInt(mode, OCTAL);
        assertThatThrownBy(() -> SecretFile.check(file, bits, 1001, 1000))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "/etc/muster/server.key: has a secret, and belongs to the user 1001: it must belong to root (mode"
                                + " 0640) or to the user that reads it, 1000 (mode 0600)");
        if (mode.equals("100600")) {
            assertThatCode(() -> SecretFile.check(file, bits, 1001, 0)).doesNotThrowAnyException();
        }
    }

    @Test
    @Needs("openssl")
    void aPrivateKeyThatOthersMayReadIsRefused() throws IOException {
        Pki pki = Pki.in(directory);
        Proof.read(pki.file("ops.pem"), pki.file("ops.key"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), pki.file("ops.key"));
        Proof.read(pki.file("ops.pem"), link);
        Files.setPosixFilePermissions(pki.file("ops.key"), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThatThrownBy(() -> Proof.read(pki.file("ops.pem"), link)).hasMessageContaining("(mode 0666)");
        assertThatThrownBy(() -> Pem.key(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }
}
