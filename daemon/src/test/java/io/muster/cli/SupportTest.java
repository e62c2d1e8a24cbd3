package io.muster.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.daemon.RunningDaemon;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SupportTest {
    private static final String RESOURCES = "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0\"\n";

    @TempDir
    private Path directory;

    /** Returns the files of an archive by name. GNU tar lists the archive too, which verifies the checksums. */
    private static Map<String, String> read(Path archive) throws IOException, InterruptedException {
        Process tar = new ProcessBuilder("tar", "-tzvf", archive.toString())
                .redirectErrorStream(true)
                .start();
        String listing = new String(tar.getInputStream().readAllBytes(), UTF_8);
        assertThat(tar.waitFor()).as(listing).isZero();
        byte[] all;
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(Files.readAllBytes(archive)))) {
            all = in.readAllBytes();
        }
        Map<String, String> files = new LinkedHashMap<>();
        for (int at = 0; all[at] != 0; ) {
            String name = new String(all, at, 100, UTF_8).replaceFirst("\0.*", "");
            int size = Integer.parseInt(new String(all, at + 124, 11, UTF_8), 8);
            files.put(name.replaceFirst("muster-support-\\d{8}T\\d{6}Z/", ""), new String(all, at + 512, size, UTF_8));
            at += 512 + (size + 511) / 512 * 512;
        }
        assertThat(listing.lines()).hasSize(files.size()).allMatch(line -> line.startsWith("-rw-------"));
        return files;
    }

    @Test
    void theArchiveHasTheFilesOfARunningDaemonAndNoSecrets() throws Exception {
        Path archive = directory.resolve("out.tar.gz");
        Path config = directory.resolve("with-secret.toml");
        Files.writeString(
                config, "# password of nobody\n[muster]\nstate-dir = \"state\"\napi-token = \"hunter2\"\n" + RESOURCES);
        try (RunningDaemon daemon = RunningDaemon.start(directory, RESOURCES)) {
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri());
            shell.run("drain", "node1", "the", "word", "is", "hunter2");
            Result result = shell.run("support", "-c", config.toString(), archive.toString());
            assertThat(result.out()).isEqualTo(archive + "\n");
            assertThat(result.exit()).isZero();
        }
        Map<String, String> files = read(archive);
        assertThat(files.get("version.txt")).startsWith("muster ");
        assertThat(files.get("status.json")).contains("\"reason\":\"the word is (replaced by muster support)\"");
        assertThat(files.get("config"))
                .contains("api-token = (replaced by muster support)")
                .contains("state-dir = \"state\"")
                .contains("hosts = \"node[0-3]\"");
        assertThat(files.get("check.txt")).contains("api-token");
        assertThat(files.values()).noneMatch(text -> text.contains("hunter2"));
        assertThat(files).containsKeys("system.txt", "upgrade.txt", "MISSING");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive)))
                .isEqualTo("rw-------");
    }

    @Test
    void threadsAndJournalComeFromTheConfiguredDaemon() throws Exception {
        Path archive = directory.resolve("out.tar.gz");
        Path config =
                Files.writeString(directory.resolve("other.toml"), "[muster]\nstate-dir = \"state\"\n" + RESOURCES);
        try (RunningDaemon daemon = RunningDaemon.start(directory, RESOURCES)) {
            new Shell().run("support", "--uri", daemon.uri(), "-c", config.toString(), archive.toString());
        }
        Map<String, String> files = read(archive);
        assertThat(files.get("threads.txt")).contains("\"core").contains("java.lang.Thread.State");
        assertThat(files.get("journal.txt")).contains("a daemon can start from it");
        assertThat(files.get("status.json")).contains("\"hosts\":\"node[0-3]\"");
    }

    @Test
    void partsOfADaemonThatIsDownAreListedAsMissing() throws Exception {
        Path archive = directory.resolve("out.tar.gz");
        Path config =
                Files.writeString(directory.resolve("m.toml"), "[muster]\nstate-dir = \"none\"\nmetrics = \"off\"\n");
        Result result = new Shell()
                .run(
                        "support",
                        "--uri",
                        directory.resolve("nobody").toString(),
                        "-c",
                        config.toString(),
                        archive.toString());
        assertThat(result.exit()).isZero();
        assertThat(result.err())
                .contains("muster support: status.json is missing: ")
                .contains("muster support: metrics.txt is missing: muster.metrics is off\n")
                .contains("muster support: threads.txt is missing: no daemon of this host holds ");
        Map<String, String> files = read(archive);
        assertThat(files.get("MISSING"))
                .contains("metrics.txt: muster.metrics is off\n")
                .contains("status.json: ");
        assertThat(files.get("journal.txt")).contains("there is no such state directory");
        assertThat(files).containsKeys("version.txt", "check.txt", "config").doesNotContainKey("status.json");
    }

    @Test
    void anExistingFileIsNotReplaced() throws Exception {
        Path archive = Files.writeString(directory.resolve("out.tar.gz"), "mine");
        Result result = new Shell().run("support", archive.toString());
        assertThat(result)
                .isEqualTo(new Result(1, "", "muster support: " + archive + " exists already\n  name a new file\n"));
        assertThat(archive).hasContent("mine");
    }

    @Test
    void valuesOfSecretKeysAreReplacedAndCollected() {
        Redaction redaction = new Redaction("""
                # password = "commented"
                [access]
                private-mode = true
                max-tokens = 1
                db = { user = "u", password = "inline-secret" }
                tokens = [
                  "first-token", "second-token",
                ]
                token = "with # sign" # the old one
                key-private = \"\"\"
                -----BEGIN KEY-----
                \"\"\"
                [secrets.x]
                value = "in a secret table"
                [resource]
                path = "R"
                """);
        assertThat(redaction.text()).isEqualTo("""
                # password = (replaced by muster support)
                [access]
                private-mode = true
                max-tokens = (replaced by muster support)
                db = (replaced by muster support)
                tokens = (replaced by muster support)
                token = (replaced by muster support)
                key-private = (replaced by muster support)
                [secrets.x]
                value = (replaced by muster support)
                [resource]
                path = "R"
                """);
        assertThat(redaction.values())
                .containsExactly(
                        "commented",
                        "inline-secret",
                        "first-token",
                        "second-token",
                        "with # sign",
                        "-----BEGIN KEY-----",
                        "in a secret table");
    }

    @Test
    void anArrayEndsWithItsLastBracket() {
        Redaction redaction = new Redaction("""
                tokens = [
                  ["aaaaaaa", "b"],
                  ["c]", "ddddddd"] # ]
                ]
                # tokens = [["eeeeeee"],
                #   ["fffffff"],
                #   [
                a = 1
                passphrase = "ggggggg"
                pw = "hhhhhhh"
                b = [[1], [2]]
                """);
        assertThat(redaction.text()).isEqualTo("""
                tokens = (replaced by muster support)
                # tokens = (replaced by muster support)
                a = 1
                passphrase = (replaced by muster support)
                pw = (replaced by muster support)
                b = [[1], [2]]
                """);
        assertThat(redaction.values())
                .containsExactly("aaaaaaa", "ddddddd", "eeeeeee", "fffffff", "ggggggg", "hhhhhhh");
        assertThat(Redaction.scrubbed("passphrase=iiiiiii")).doesNotContain("iiiiiii");
    }

    @Test
    void secretsInCommentsAndInUrisAreReplacedInAllFiles() throws Exception {
        Path archive = directory.resolve("out.tar.gz");
        Path config = Files.writeString(directory.resolve("m.toml"), """
                # endpoints = ["https://root:pw@node1:2379"]
                # api-key = sesame-open
                #api_key="sesame-two"
                [muster]
                state-dir = "state"
                metrics = "off"
                """ + RESOURCES);
        try (RunningDaemon daemon = RunningDaemon.start(directory, RESOURCES)) {
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri());
            shell.run("drain", "node1", "see", "ssh://ops:pw2@node9/x", "sesame-open", "PASSWORD=pw3", "sesame-two");
            shell.run("support", "-c", config.toString(), archive.toString());
        }
        Map<String, String> files = read(archive);
        assertThat(files.get("config"))
                .contains("# endpoints = [\"https://(replaced by muster support)@node1:2379\"]")
                .contains("# api-key = (replaced by muster support)")
                .contains("#api_key= (replaced by muster support)");
        assertThat(files.get("status.json")).contains("ssh://(replaced by muster support)@node9/x");
        assertThat(files.values())
                .noneMatch(text -> text.contains("sesame") || text.contains(":pw@") || text.matches("(?s).*pw[23].*"));
    }

    @Test
    void valuesThatLookLikeSecretsAreReplacedInAnyText() {
        String gone = Redaction.REPLACED;
        assertThat(Redaction.scrubbed("a https://u:p@h:1/x, tls://u@h b@c"))
                .isEqualTo("a https://" + gone + "@h:1/x, tls://" + gone + "@h b@c");
        assertThat(Redaction.scrubbed("\"https://root:p^w/a?b#c@node1:2379\" https://h/x"))
                .isEqualTo("\"https://" + gone + "@node1:2379\" https://h/x");
        assertThat(Redaction.scrubbed("Authorization: Bearer abc.def-ghi")).isEqualTo("Authorization: Bearer " + gone);
        assertThat(Redaction.scrubbed("--password=x DB_SECRET='a b' \"access_token\": \"t\\\"u\", c"))
                .isEqualTo("--password=" + gone + " DB_SECRET=" + gone + " \"access_token\": " + gone + ", c");
        String harmless = "token:cron muster_tokens_refused_total{reason=\"x\"} 3 user@host muster-token-thread";
        assertThat(Redaction.scrubbed(harmless)).isEqualTo(harmless);
    }

    @Test
    void namesOfFilesStayAndKeysGo() {
        assertThat(new Redaction("key = \"/etc/muster/server.key\"\nkey = \"abcdefgh\"\nssh-key = \"/x\"\nmonkey = 1\n")
                        .text())
                .isEqualTo(
                        "key = \"/etc/muster/server.key\"\nkey = (replaced by muster support)\nssh-key = (replaced by muster"
                                + " support)\nmonkey = (replaced by muster support)\n");
    }

    @Test
    void aProcessWithThePidOfAnEndedDaemonIsNotSentASignal() throws Exception {
        Path archive = directory.resolve("out.tar.gz");
        Path state = Files.createDirectory(directory.resolve("state"));
        Process other = new ProcessBuilder("sleep", "1000").start();
        try {
            String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            Files.writeString(
                    state.resolve("lock"), "pid " + other.pid() + " on " + host + " since 2026-11-23T00:00:00Z\n");
            Path config = Files.writeString(directory.resolve("m.toml"), "[muster]\nstate-dir = \"state\"\n");
            Result result = new Shell()
                    .run(
                            "support",
                            "--uri",
                            directory.resolve("no").toString(),
                            "-c",
                            config.toString(),
                            archive.toString());
            assertThat(result.err()).contains("threads.txt is missing: no daemon of this host holds ");
            assertThat(other.isAlive()).isTrue();
        } finally {
            other.destroyForcibly().waitFor();
        }
    }
}
