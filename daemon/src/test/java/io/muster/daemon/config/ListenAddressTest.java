package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.config.ListenAddress.Kind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ListenAddressTest {
    private static final String FILES = "\ncertificate = \"m.pem\"\nkey = \"/etc/m.key\"";

    @TempDir
    private Path dir;

    @Test
    void allFourKindsOfAddressesAreRead() {
        Config config = Configs.load(
                dir,
                "[[listen]]",
                "tls = \"0.0.0.0:8650\"" + FILES,
                "[[listen]]",
                "https = \"[::]:8651\"" + FILES,
                "[[listen]]",
                "http = \"localhost:8652\"",
                "[[listen]]",
                "http-socket = \"/run/muster/http.sock\"");
        Path certificate = dir.resolve("m.pem");
        Path key = Path.of("/etc/m.key");
        assertThat(config.addresses())
                .containsExactly(
                        new ListenAddress(Kind.TLS, "0.0.0.0:8650", certificate, key),
                        new ListenAddress(Kind.HTTPS, "[::]:8651", certificate, key),
                        new ListenAddress(Kind.HTTP, "localhost:8652", null, null),
                        new ListenAddress(Kind.HTTP_SOCKET, "/run/muster/http.sock", null, null));
        assertThat(config.addresses().get(1).inet().getPort()).isEqualTo(8651);
        assertThat(config.effective().of(Key.LISTEN).value())
                .isEqualTo("tls 0.0.0.0:8650, https [::]:8651, http localhost:8652, http-socket /run/muster/http.sock");
        assertThat(Configs.load(dir, "").addresses()).isEmpty();
    }

    @Test
    void aChangedAddressNeedsARestartAndAChangedCertificateDoesNot() {
        Config started = Configs.load(dir, "[[listen]]", "tls = \"0.0.0.0:8650\"" + FILES);
        Config address = Configs.load(dir, "[[listen]]", "tls = \"0.0.0.0:8651\"" + FILES);
        Config certificate =
                Configs.load(dir, "[[listen]]", "tls = \"0.0.0.0:8650\"", "certificate = \"n\"", "key = \"n\"");
        assertThat(address.waitingForRestart(started)).containsExactly(Key.LISTEN);
        assertThat(certificate.waitingForRestart(started)).isEmpty();
    }

    record Fault(String entry, String problem) {}

    static List<Fault> faults() {
        String one = "an entry needs exactly one of tls, https, http and http-socket";
        String address = "expected ADDRESS:PORT, the address in numbers or localhost";
        return List.of(
                new Fault("", "3: listen[1].tls: " + one),
                new Fault("tls = \"0.0.0.0:1\"\nhttps = \"0.0.0.0:2\"" + FILES, "5: listen[1].https: " + one),
                new Fault("tls = \"m1:8650\"" + FILES, "4: listen[1].tls: " + address),
                new Fault("tls = 8650" + FILES, "4: listen[1].tls: expected a string"),
                new Fault("https = \"0.0.0.0:70000\"" + FILES, "4: listen[1].https: there is no port 70000"),
                new Fault(
                        "tls = \"0.0.0.0:1\"\nkey = \"k\"",
                        "3: listen[1].certificate: is missing: tls needs certificate and key, two files in PEM"),
                new Fault(
                        "https = \"0.0.0.0:1\"\ncertificate = \"c\"",
                        "3: listen[1].key: is missing: https needs certificate and key, two files in PEM"),
                new Fault(
                        "http = \"127.0.0.1:1\"\nkey = \"k\"",
                        "5: listen[1].key: has no effect on http: remove this key, or use tls or https"),
                new Fault(
                        "http = \"192.0.2.1:80\"",
                        "4: listen[1].http: 192.0.2.1:80 is not a loopback address, and the wire would carry tokens in"
                                + " plain text: use https, or an address such as 127.0.0.1"),
                new Fault(
                        "https = \"127.0.0.1:8650\"" + FILES,
                        "4: listen[1].https: another entry already listens on 127.0.0.1:8650"),
                new Fault("http-socket = \"\"", "4: listen[1].http-socket: expected a path"),
                new Fault(
                        "http-socket = \"/home/ada/.local/state/muster/muster.sock\"",
                        "4: listen[1].http-socket: is the same as a socket of [muster]"),
                new Fault(
                        "http-socket = \"/" + "x".repeat(107) + "\"",
                        "4: listen[1].http-socket: /" + "x".repeat(107)
                                + " has 108 bytes, but a UNIX socket's path may have 107"),
                new Fault("ssh = \"m1\"", "4: listen[1].ssh: unknown key"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void invalidEntriesAreReportedWithTheirFileAndLine(Fault fault) {
        assertThat(Configs.problems(dir, "[[listen]]", "http = \"127.0.0.1:8650\"", "[[listen]]", fault.entry))
                .contains("muster.toml:" + fault.problem);
    }

    @Test
    void aSocketThatAnOptionNamesResultsInNoNote() {
        Path file = Configs.write(dir, "muster.toml", "[muster]", "socket = \"runn/s\"");
        Config config = new Config.Source(file, dir.resolve("new/s"), null).load(Configs.ADA);
        assertThat(config.listen().socket()).isEqualTo(dir.resolve("new/s"));
        assertThat(Configs.notes(dir, config)).isEmpty();
    }

    @Test
    void aSocketInADirectoryThatDoesNotExistResultsInANote() {
        Config config = Configs.load(
                dir,
                "[muster]",
                "socket = \"runn/s\"",
                "admin-socket = \"a\"",
                "[[listen]]",
                "http-socket = \"htp/s\"");
        assertThat(Configs.notes(dir, config))
                .containsExactly(
                        "muster.toml:2: muster.socket: there is no directory runn: the daemon creates it when it starts",
                        "muster.toml:5: listen[0].http-socket: there is no directory htp: the daemon creates it when it starts");
    }
}
