package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.access.Accounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EnvironmentTest {
    @TempDir
    private Path dir;

    private static Environment of(int uid, Map<String, String> variables) {
        return new Environment(variables, uid, Path.of("/home/ada"), "host7", 4);
    }

    @Test
    void aUserHasTheXdgDirectories() {
        Environment user = of(
                1000,
                Map.of("XDG_RUNTIME_DIR", "/run/user/1000", "XDG_STATE_HOME", "/s", "XDG_CONFIG_HOME", "relative"));
        assertThat(user.socket()).hasToString("/run/user/1000/muster/muster.sock");
        assertThat(user.stateDir()).hasToString("/s/muster");
        assertThat(user.configFile()).hasToString("/home/ada/.config/muster/muster.toml");
    }

    @Test
    void theHomeOfAUserIsTheVariableAndThatOfRootIsTheOneOfTheAccount() {
        String account = System.getProperty("user.home");
        assertThat(Environment.homeOf(Map.of("HOME", "/home/eve"), 1000)).hasToString("/home/eve");
        assertThat(Environment.homeOf(Map.of("HOME", "relative"), 1000)).hasToString(account);
        assertThat(Environment.homeOf(Map.of(), 1000)).hasToString(account);
        assertThat(Environment.homeOf(Map.of("HOME", "/home/eve"), 0)).hasToString(account);
    }

    @Test
    void rootHasTheSystemDirectories() {
        Environment root = of(0, Map.of("XDG_RUNTIME_DIR", "/run/user/0"));
        assertThat(root.socket()).hasToString("/run/muster/muster.sock");
        assertThat(root.stateDir()).hasToString("/var/lib/muster");
        assertThat(root.configFile()).hasToString("/etc/muster/muster.toml");
    }

    @Test
    void aServiceHasTheDirectoriesOfSystemd() {
        Environment service = of(
                900,
                Map.of(
                        "RUNTIME_DIRECTORY", "/run/muster",
                        "STATE_DIRECTORY", "/var/lib/muster:/var/lib/other",
                        "CONFIGURATION_DIRECTORY", "/etc/muster"));
        assertThat(service.socket()).hasToString("/run/muster/muster.sock");
        assertThat(service.stateDir()).hasToString("/var/lib/muster");
        assertThat(service.configFile()).hasToString("/etc/muster/muster.toml");
    }

    @Test
    void theDefaultFileIsReadWhenItExists() {
        Environment user = of(1000, Map.of("XDG_CONFIG_HOME", dir.toString()));
        assertThat(Config.load(null, user).streams().batch()).isEqualTo(Fsd.ZERO);
        Configs.write(dir.resolve("muster"), "muster.toml", "[muster]", "batch = \"1s\"");
        assertThat(Config.load(null, user).streams().batch()).isEqualTo(new Fsd(1));
    }

    @Test
    void hardwareThreadsOfOneCoreCountOnce() throws IOException {
        for (int cpu = 0; cpu < 2; cpu++) {
            Path topology = Files.createDirectories(dir.resolve("cpu" + cpu + "/topology"));
            Files.writeString(topology.resolve("thread_siblings_list"), "0-1\n");
        }
        assertThat(Environment.countCores(dir)).isEqualTo(1);
        assertThat(Environment.countCores(dir.resolve("none")))
                .isEqualTo(Runtime.getRuntime().availableProcessors());
    }

    @Test
    void theEnvironmentOfTheProcessHasItsHostCoresAndUid() {
        Environment process = Environment.ofProcess();
        assertThat(process.hostname()).isNotBlank();
        assertThat(process.cores()).isPositive();
        assertThat(process.uid())
                .isEqualTo(new Accounts().uid(System.getProperty("user.name")).orElse(-1));
    }
}
