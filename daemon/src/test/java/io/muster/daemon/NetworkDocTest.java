package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of {@code docs/network.md} work as printed, except for the names of files and hosts. */
@Needs("openssl")
class NetworkDocTest {
    private static final Path PAGE = Path.of("../docs/network.md");

    @TempDir
    private Path directory;

    private static List<String> blocks(String language) throws IOException {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(PAGE))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private static String blockWith(String language, String text) throws IOException {
        return blocks(language).stream()
                .filter(block -> block.contains(text))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theExamplesForTheCaTheDaemonAndTheCommandWorkTogether() throws Exception {
        String lines = blockWith("sh", "openssl req").replace("DNS:mgmt1 ", "DNS:mgmt1,DNS:localhost ");
        Process shell = new ProcessBuilder("bash", "-euc", lines)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        shell.getOutputStream().close();
        String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).as(said).isZero();

        String config = blockWith("toml", "[[listen]]")
                .replace("0.0.0.0:8650", "127.0.0.1:0")
                .replace("/etc/muster/", directory + "/");
        Path own = Files.createDirectories(directory.resolve("config/muster"));
        for (String name : List.of("ops.pem", "ops.key", "ca.pem", "login1.pem", "login1.key")) {
            Files.copy(directory.resolve(name), own.resolve(name));
        }
        String client = blockWith("toml", "ca.pem\"     ");
        Files.writeString(own.resolve("client.toml"), client);
        try (RunningDaemon daemon = RunningDaemon.start(
                directory, "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n" + config)) {
            Shell user = new Shell()
                    .with("XDG_CONFIG_HOME", directory.resolve("config").toString())
                    .with("MUSTER_URI", daemon.tls());
            assertThat(user.run("drain", "node1", "bad", "fan").err()).isEmpty();
            assertThat(user.run("why", "node1").out()).contains("bad fan", "cert:muster://example.org/ops");
            assertThat(user.run("eventlog").out()).contains("cert:muster://example.org/ops");
            Shell.Result refused = user.run("drain", "--holder=x", "node1", "y");
            assertThat(refused.exit()).as(refused.err()).isZero();

            Files.writeString(own.resolve("client.toml"), client.replace("ops.", "login1."));
            Shell.Result revoked = user.run("status");
            assertThat(revoked.err()).contains("refused the connection");
            assertThat(revoked.exit()).isNotZero();
        }
    }
}
