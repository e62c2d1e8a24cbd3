package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.joran.spi.JoranException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/** The files that are installed for operators. */
final class ConfigFilesTest {
    private static final Path FILES = Path.of("../config");
    private static final Environment ROOT = new Environment(Map.of(), 0, Path.of("/root"), "host7", 4);

    /** Keys without a default to document, for which the file shows an example. */
    private static final Set<Key> EXAMPLES = EnumSet.of(
            Key.RESOURCE_PATH,
            Key.RESOURCE_CONFIG,
            Key.RESOURCE_SCHEDULING,
            Key.RESOURCE_EXCLUDE,
            Key.ACCESS_ROLES,
            Key.GRANT,
            Key.LISTEN,
            Key.GRAPH,
            Key.BRAKE,
            Key.POLICY,
            Key.ADMIN_SOCKET,
            Key.ALERTS_HOLDER,
            Key.ALERTS_CLASS,
            Key.LEDGER_ENDPOINTS,
            Key.LEDGER_MEMBER,
            Key.LEDGER_URIS,
            Key.LEDGER_CA,
            Key.LEDGER_CERTIFICATE,
            Key.LEDGER_KEY,
            Key.LEDGER_USER,
            Key.LEDGER_PASSWORD_FILE);

    @TempDir
    private Path dir;

    /** Writes the annotated file with every key enabled, and the files that the file names, and loads it. */
    private Config everyKey() throws IOException {
        Files.copy(FILES.resolve("R.json"), dir.resolve("R.json"));
        Files.writeString(dir.resolve("scheduling.json"), "{}");
        String text = Files.readString(FILES.resolve("muster.toml"))
                .replaceAll("(?m)^#(?=[a-z\\[])", "")
                .replace("/etc/muster", dir.toString());
        return Config.load(Files.writeString(dir.resolve("muster.toml"), text), ROOT);
    }

    @Test
    void theAnnotatedFileAsShippedChangesNothing() {
        Config shipped = Config.load(FILES.resolve("muster.toml"), ROOT);
        assertThat(shipped.effective()).isEqualTo(Config.load(null, ROOT).effective());
        assertThat(shipped.notes()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void theAnnotatedFileShowsEveryKeyWithItsDefault(Key key) throws IOException {
        if (key.effect() == Key.Effect.BROKER) {
            assertThat(Files.readString(FILES.resolve("muster.toml"))).doesNotContain("#" + key.key() + " =");
            return;
        }
        Effective.Setting documented = everyKey().effective().of(key);
        Effective.Setting real = Config.load(null, ROOT).effective().of(key);
        assertThat(documented.isDefault()).as("is in the file").isFalse();
        if (EXAMPLES.contains(key)) {
            assertThat(documented.value()).isNotEqualTo(real.value());
        } else {
            assertThat(documented.value()).isEqualTo(real.value());
        }
    }

    @Test
    void theExampleResourcesAreTheSixHostsOfRfc28() throws IOException {
        Config config =
                Configs.load(dir, "[resource]", "path = \"" + FILES.toRealPath().resolve("R.json") + "\"");
        assertThat(config.resources().set().hosts()).hasToString("host[0-5]");
        assertThat(config.resources().set().cores()).isEqualTo(36);
        assertThat(config.resources().set().gpus()).isEqualTo(6);
        assertThat(config.notes()).isEmpty();
    }

    @Test
    void theLogbackFileMatchesTheEmbeddedConfiguration() throws JoranException {
        LoggerContext context = new LoggerContext();
        JoranConfigurator joran = new JoranConfigurator();
        joran.setContext(context);
        joran.doConfigure(FILES.resolve("logback.xml").toFile());
        var appender = (ConsoleAppender<ILoggingEvent>)
                context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("stderr");
        assertThat(appender.getTarget()).isEqualTo("System.err");
        assertThat(((LayoutWrappingEncoder<ILoggingEvent>) appender.getEncoder()).getLayout())
                .isInstanceOf(TextLayout.class);
        assertThat(context.getLogger("io.netty").getLevel()).hasToString("WARN");
        assertThat(context.getLogger(Logger.ROOT_LOGGER_NAME).getLevel()).hasToString("INFO");
        assertThat(context.getStatusManager().getCopyOfStatusList()).allMatch(status -> status.getLevel() == 0);
        context.stop();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Type=notify",
                "NotifyAccess=main",
                "WatchdogSec=30",
                "StateDirectory=muster",
                "RuntimeDirectory=muster",
                "ExecStart=/usr/bin/muster serve --config /etc/muster/muster.toml",
                "RestartPreventExitStatus=2 65 78",
                "ExecReload=/usr/bin/muster check /etc/muster/muster.toml",
                "ExecReload=/bin/kill -HUP $MAINPID",
                "Environment=MUSTER_BUILD=no",
                "SuccessExitStatus=143",
                "ProtectSystem=strict",
                "NoNewPrivileges=yes",
                "After=local-fs.target network.target nss-user-lookup.target etcd.service"
            })
    void theUnitContainsTheLine(String line) throws IOException {
        assertThat(Files.readAllLines(FILES.resolve("muster.service"))).contains(line);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Type=notify",
                "NotifyAccess=main",
                "User=muster",
                "Environment=XDG_CONFIG_HOME=/etc",
                "EnvironmentFile=/etc/muster/relay.env",
                "ExecStart=/usr/bin/muster relay --listen=/run/muster/muster.sock --to=${MUSTER_RELAY_TO}",
                "RuntimeDirectory=muster",
                "RuntimeDirectoryPreserve=yes",
                "SuccessExitStatus=143",
                "ProtectSystem=strict",
                "NoNewPrivileges=yes"
            })
    void theUnitOfTheRelayContainsTheLine(String line) throws IOException {
        assertThat(Files.readAllLines(FILES.resolve("muster-relay.service"))).contains(line);
    }

    @Test
    void theRelayUnitReadsClientTomlInTheDirectoryOfTheDaemonsConfiguration() {
        Environment relay =
                new Environment(Map.of("XDG_CONFIG_HOME", "/etc"), 990, Path.of("/var/lib/muster"), "login1", 2);
        assertThat(relay.clientFile()).hasToString("/etc/muster/client.toml");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MemoryDenyWriteExecute",
                "PrivateUsers",
                "PrivateNetwork",
                "ProcSubset",
                "DynamicUser",
                "ExecStartPre"
            })
    void theUnitsDoNotHaveSettingsThatBreakTheDaemon(String setting) throws IOException {
        for (String unit : List.of("muster.service", "muster-relay.service")) {
            assertThat(Files.readAllLines(FILES.resolve(unit))).noneMatch(line -> line.startsWith(setting + "="));
        }
    }

    /** Peers run as other users, and the daemon reads {@code /proc/PID/loginuid} of each. */
    @Test
    void theUnitDoesNotHideTheProcessesOfPeers() throws IOException {
        assertThat(Files.readString(FILES.resolve("muster.service"))).doesNotContain("\nProtectProc=");
    }

    @Test
    void theDirectoriesOfTheUnitAreTheDefaultsOfRoot() throws IOException {
        assertThat(ROOT.socket().getParent()).hasToString("/run/muster");
        assertThat(ROOT.stateDir()).hasToString("/var/lib/muster");
        assertThat(Files.readString(FILES.resolve("tmpfiles.d/muster.conf")))
                .contains("d /run/muster 0755 muster muster -", "d /var/lib/muster 0700 muster muster -");
        assertThat(Files.readString(FILES.resolve("sysusers.d/muster.conf"))).startsWith("u muster - ");
    }
}
