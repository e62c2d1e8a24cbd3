package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell;
import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.testing.Needs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration in {@code docs/high-availability.md} is one that the daemon accepts. */
@Needs("openssl")
class HighAvailabilityDocTest {
    private static final Path PAGE = Path.of("../docs/high-availability.md");
    private static final Path PACKAGED = Path.of("../config/muster.toml");
    private static final String CERTIFICATE =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=node1"
                    + " -keyout etcd-key.pem -out etcd.pem 2>&1\ncp etcd.pem etcd-ca.pem\n";

    @TempDir
    private Path directory;

    @Test
    void theCommandThatWritesTheConfigurationWorksOnTheOneOfThePackage() throws Exception {
        Matcher command = Pattern.compile(
                        "^cat >+/etc/muster/muster\\.toml <<END\n.*?^END\n", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(PAGE));
        assertThat(command.find()).isTrue();
        Path config = Files.copy(PACKAGED, directory.resolve("muster.toml"));
        Process shell = new ProcessBuilder(
                        "bash", "-euc", CERTIFICATE + command.group().replace("/etc/muster/", directory + "/"))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        shell.getOutputStream().close();
        String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).as(said).isZero();
        assertThat(new Shell().run("check", config.toString()))
                .isEqualTo(new Result(
                        Exit.OK, "ok: 16 nodes, 64 cores, 0 GPUs from resource.config; checked " + config + "\n", ""));
    }
}
