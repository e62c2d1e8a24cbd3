package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientConfigTest {
    @TempDir
    private Path dir;

    @Test
    void pathsAreRelativeToTheFile() throws IOException {
        Path file = Files.writeString(
                dir.resolve("client.toml"), "certificate = \"a.pem\"\nkey = \"/k/a.key\"\nca = \"../ca.pem\"\n");
        assertThat(ClientConfig.read(file))
                .isEqualTo(new ClientConfig(dir.resolve("a.pem"), Path.of("/k/a.key"), dir.resolve("../ca.pem")));
    }

    @Test
    void everyFaultIsReportedAtItsLine() throws IOException {
        Path file = Files.writeString(dir.resolve("client.toml"), "certificate = 7\nkye = \"k\"\nca = \"c\"\n");
        InvalidException refused = catchThrowableOfType(InvalidException.class, () -> ClientConfig.read(file));
        assertThat(refused.problems())
                .extracting(Problem::toString)
                .containsExactly(
                        file + ":1: certificate: expected the path of a file in PEM",
                        file + ": key: is missing",
                        file + ":2: kye: unknown key");
    }
}
