package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verbs that use files of a daemon without asking it, while the user names a daemon. */
class NamedDaemonTest {
    @TempDir
    private Path directory;

    private static Result with(String uri, String... line) {
        return new Shell().with("MUSTER_URI", uri).run(line);
    }

    private RunningDaemon start(String name) throws Exception {
        return RunningDaemon.start(Files.createDirectory(directory.resolve(name)), "");
    }

    @Test
    void aVerbRefusesTheFilesOfAnotherDaemonThanTheNamedOne() throws Exception {
        String copy = directory.resolve("copy").toString();
        List<List<String>> lines = List.of(
                List.of("backup", copy),
                List.of("token", "create", "grafana"),
                List.of("token", "list"),
                List.of("token", "revoke", "grafana"),
                List.of("journal", "verify"),
                List.of("journal", "dump"),
                List.of("journal", "repair"),
                List.of("history", "all"),
                List.of("report"),
                List.of("support", copy),
                List.of("ledger", "import"),
                List.of("ledger", "export"));
        try (RunningDaemon mine = start("a");
                RunningDaemon other = start("b")) {
            Path config = Files.writeString(
                    directory.resolve("a/etcd.toml"),
                    Files.readString(mine.configFile()) + "[ledger]\nendpoints = [\"http://127.0.0.1:1\"]\n");
            for (List<String> line : lines) {
                List<String> all = new ArrayList<>(line);
                all.addAll(List.of("-c", config.toString()));
                Result refused = with(other.uri(), all.toArray(new String[0]));
                assertThat(refused.err())
                        .as("%s", line)
                        .contains("the daemon at " + other.uri() + " uses " + other.stateDir() + " on "
                                + RunningDaemon.HOST + "; this command would use " + mine.stateDir() + " on "
                                + RunningDaemon.HOST);
                assertThat(refused.exit()).isEqualTo(Exit.CONFLICT);
                assertThat(refused.out()).isEmpty();
            }
            assertThat(Path.of(copy)).doesNotExist();
            assertThat(mine.stateDir().resolve("tokens")).doesNotExist();
            // A directory that the user types is not compared.
            assertThat(with(other.uri(), "journal", "verify", "--state-dir=" + mine.stateDir())
                            .exit())
                    .isZero();
            // One of several named daemons may be the right one.
            Result verified = with(other.uri() + "," + mine.uri(), "journal", "verify", "-c", config.toString());
            assertThat(verified.out()).startsWith(mine.stateDir() + ": ");
            assertThat(new Shell()
                            .run("backup", copy, "-c", config.toString(), "--uri", mine.uri())
                            .out())
                    .startsWith(copy + " holds every change of " + mine.stateDir() + " up to seq ");
        }
    }

    @Test
    void theUsualConfigurationIsNotCheckedForAnotherDaemon() throws Exception {
        try (RunningDaemon other = start("b")) {
            for (String[] line :
                    new String[][] {{"check"}, {"journal", "verify"}, {"backup", "" + directory.resolve("c")}}) {
                Result refused = with(other.uri(), line);
                assertThat(refused.exit()).as(refused.err()).isEqualTo(Exit.CONFLICT);
                assertThat(refused.err()).contains(" uses " + other.stateDir() + " on ");
            }
        }
    }

    /** A daemon in a container may have a state directory of the same name that is another directory. */
    @Test
    void aStateDirectoryOfTheSameNameThatAnotherProcessHoldsIsRefused() throws Exception {
        try (RunningDaemon mine = start("a")) {
            Path lock = mine.stateDir().resolve("lock");
            Files.writeString(lock, Files.readString(lock).replaceFirst("pid \\d+", "pid 1"));
            Result refused =
                    with(mine.uri(), "token", "list", "-c", mine.configFile().toString());
            assertThat(refused.exit()).as(refused.err()).isEqualTo(Exit.CONFLICT);
        }
    }

    /** The host of a container, or a host that was renamed after the daemon's start, has another name. */
    @Test
    void theLockDecidesIfTheHostsHaveDifferentNames() throws Exception {
        try (RunningDaemon mine = RunningDaemon.start(Files.createDirectory(directory.resolve("a")), "", "elsewhere")) {
            String[] line = {"token", "list", "-c", mine.configFile().toString()};
            Result refused = with(mine.uri(), line);
            assertThat(refused.exit()).as(refused.err()).isEqualTo(Exit.CONFLICT);
            Path lock = mine.stateDir().resolve("lock");
            Files.writeString(lock, Files.readString(lock).replaceFirst(" on \\S+ since ", " on elsewhere since "));
            Result accepted = with(mine.uri(), line);
            assertThat(accepted.exit()).as(accepted.err()).isZero();
        }
    }

    @Test
    void aDaemonThatDoesNotAnswerIsTheConfiguredOneIfItHasItsSocket() throws Exception {
        String config;
        String socket;
        try (RunningDaemon mine = start("a")) {
            config = mine.configFile().toString();
            socket = mine.uri();
        }
        assertThat(with(socket, "journal", "repair", "-c", config).exit()).isZero();
        Result refused = with("local:///nowhere", "journal", "repair", "-c", config);
        assertThat(refused.exit()).as(refused.err()).isEqualTo(Exit.UNREACHABLE);
        assertThat(refused.err())
                .contains("/nowhere")
                .contains("this command would use " + directory.resolve("a/state"));
    }

    @Test
    void anAdviceOfSeveralLinesIsPrintedInLines() throws Exception {
        try (RunningDaemon daemon = start("a")) {
            assertThat(with(daemon.uri(), "web").err())
                    .endsWith("start the daemon again:\n    [[listen]]\n    http = \"127.0.0.1:8651\"\n");
        }
    }
}
