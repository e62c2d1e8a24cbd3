package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.idset.Idset;
import io.muster.protocol.operation.Right;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class ConfigTest {
    private static final String R =
            "{\"version\": 1, \"execution\": {\"R_lite\": [{\"rank\": \"0-3\", \"children\": {\"core\": \"0-1\"}}],"
                    + " \"nodelist\": [\"n[0-3]\"], \"starttime\": 0, \"expiration\": 0}}";

    @TempDir
    private Path dir;

    /** A value that differs from the default, in TOML and as it is shown. */
    private record Value(String toml, String shown) {
        static Value same(String text) {
            return new Value("\"" + text + "\"", text);
        }
    }

    private static final Map<Key, Value> OTHER_VALUES = Map.ofEntries(
            Map.entry(Key.RESOURCE_PATH, new Value("\"R\"", "DIR/R")),
            Map.entry(Key.RESOURCE_CONFIG, new Value("[{hosts = \"a[0-3]\", cores = \"0\"}]", "1 entry")),
            Map.entry(Key.RESOURCE_SCHEDULING, new Value("\"S\"\npath = \"R\"", "DIR/S")),
            Map.entry(Key.RESOURCE_EXCLUDE, Value.same("host7")),
            Map.entry(Key.RESOURCE_JOURNAL_MAX, new Value("5000", "5000")),
            Map.entry(Key.RESOURCE_HISTORY, Value.same("30d")),
            Map.entry(Key.RESOURCE_NORESTRICT, new Value("true", "true")),
            Map.entry(Key.RESOURCE_NOVERIFY, new Value("true", "true")),
            Map.entry(Key.RESOURCE_VERIFY, new Value("{gpu = \"ignore\"}", "{\"gpu\":\"ignore\"}")),
            Map.entry(Key.RESOURCE_REDISCOVER, new Value("true", "true")),
            Map.entry(Key.RESOURCE_NO_UPDATE_WATCH, new Value("true", "true")),
            Map.entry(Key.ACCESS_ALLOW_GUEST_USER, new Value("true", "true")),
            Map.entry(Key.ACCESS_ALLOW_ROOT_OWNER, new Value("true", "true")),
            Map.entry(Key.ACCESS_PRIVATE_MODE, new Value("true", "true")),
            Map.entry(
                    Key.ACCESS_ROLES, new Value("{admin = {users = [\"eve\"]}}", "{\"admin\":{\"users\":[\"eve\"]}}")),
            Map.entry(Key.GRANT, new Value("[{who = [\"mon\"], rights = [\"read\"]}]", "1 entry")),
            Map.entry(Key.LISTEN, new Value("[{http = \"127.0.0.1:8651\"}]", "http 127.0.0.1:8651")),
            Map.entry(Key.GRAPH, new Value("[{type = \"rack\", hosts = \"host7\"}]", "1 entry")),
            Map.entry(Key.SOCKET, Value.same("/run/m.sock")),
            Map.entry(Key.ADMIN_SOCKET, Value.same("/run/a.sock")),
            Map.entry(Key.STATE_DIR, Value.same("/srv/state")),
            Map.entry(Key.ACQUIRE, Value.same("shared")),
            Map.entry(Key.RELOAD_DROP, new Value("0.25", "0.25")),
            Map.entry(Key.CONFIRM_SHARE, new Value("0.25", "0.25")),
            Map.entry(Key.FLUX_AUDIT, Value.same("1h")),
            Map.entry(Key.HOLDS_CLASSES, new Value("[\"hot\"]", "[hot]")),
            Map.entry(Key.BRAKE, new Value("[{holder = \"nhc*\", hosts = \"5%\", window = \"10m\"}]", "1 entry")),
            Map.entry(
                    Key.POLICY,
                    new Value(
                            "[{when = \"offline\", after = 60, hold = {holder = \"nhc\"}}]\n"
                                    + "brake = [{holder = \"nhc*\", hosts = 1, window = 60}]",
                            "1 entry")),
            Map.entry(Key.FLUX_PROPERTIES, Value.same("live")),
            Map.entry(Key.HOLDS_CHECKS, new Value("[\"a\"]", "[a]")),
            Map.entry(Key.HOLDS_ACTIONS, new Value("[\"a\"]", "[a]")),
            Map.entry(Key.HOLDS_REBOOTS, new Value("[\"a\"]", "[a]")),
            Map.entry(Key.ALERTS_HOLDER, Value.same("alerts")),
            Map.entry(Key.ALERTS_LABEL, Value.same("node")),
            Map.entry(Key.ALERTS_CLASS, Value.same("hardware")),
            Map.entry(Key.ALERTS_REASON, Value.same("{summary}")),
            Map.entry(Key.ALERTS_GRACE, Value.same("8h")),
            Map.entry(Key.BATCH, Value.same("50ms")),
            Map.entry(Key.INITIAL, Value.same("offline")),
            Map.entry(Key.METRICS, Value.same("[::1]:9000")),
            Map.entry(Key.MAX_FRAME, Value.same("16MiB")),
            Map.entry(Key.MAX_FRAME_GUEST, new Value("65536", "64KiB")),
            Map.entry(Key.MAX_CONNECTIONS, new Value("100", "100")),
            Map.entry(Key.MAX_READERS, new Value("7", "7")),
            Map.entry(Key.HOLD_RATE, new Value("8", "8")),
            Map.entry(Key.HOLD_BURST, new Value("9", "9")),
            Map.entry(Key.SNAPSHOT_EVERY, new Value("1000", "1000")),
            Map.entry(Key.HISTORY_SIZE, Value.same("10GiB")),
            Map.entry(Key.CLOCK_JUMP, Value.same("10s")),
            Map.entry(Key.CLOCK_GAP, Value.same("30d")),
            Map.entry(Key.CLOCK_SETTLE, Value.same("inf")),
            Map.entry(Key.LOG_FORMAT, Value.same("json")),
            Map.entry(Key.LOG_LEVEL, Value.same("debug")),
            Map.entry(Key.LEDGER_KIND, new Value("\"etcd\"\nendpoints = [\"http://a:1\"]", "etcd")),
            Map.entry(Key.LEDGER_ENDPOINTS, new Value("[\"https://a:2379\"]", "[https://a:2379]")),
            Map.entry(Key.LEDGER_PREFIX, Value.same("/muster/b/")),
            Map.entry(Key.LEDGER_MEMBER, Value.same("node9")),
            Map.entry(Key.LEDGER_URIS, new Value("[\"local:///s\"]", "[local:///s]")),
            Map.entry(Key.LEDGER_TTL, Value.same("5s")),
            Map.entry(Key.LEDGER_PATIENCE, Value.same("20s")),
            Map.entry(Key.LEDGER_CA, new Value("\"ca\"", "DIR/ca")),
            Map.entry(Key.LEDGER_CERTIFICATE, new Value("\"c\"\nkey = \"k\"", "DIR/c")),
            Map.entry(Key.LEDGER_KEY, new Value("\"k\"\ncertificate = \"c\"", "DIR/k")),
            Map.entry(Key.LEDGER_USER, new Value("\"u\"\npassword-file = \"p\"", "u")),
            Map.entry(Key.LEDGER_PASSWORD_FILE, new Value("\"p\"\nuser = \"u\"", "DIR/p")),
            Map.entry(Key.LEDGER_ALLOW_OLD_ETCD, new Value("true", "true")),
            Map.entry(Key.LEDGER_COMPACT, new Value("true", "true")));

    @Test
    void theOptionsOfServeWinOverTheFile() throws IOException {
        Path file = Files.writeString(
                dir.resolve("own.toml"), "[muster]\nsocket = \"a\"\nstate-dir = \"b\"\nlog-level = \"debug\"\n");
        Config config = new Config.Source(file, dir.resolve("s"), dir.resolve("state")).load(Configs.ADA);
        assertThat(config.listen().socket()).isEqualTo(dir.resolve("s"));
        assertThat(config.storage().stateDir()).isEqualTo(dir.resolve("state"));
        assertThat(config.effective().given().toString())
                .contains("--socket", "--state-dir", "muster.log-level")
                .doesNotContain("default");
    }

    private static final String DEFAULTS = """
            resource.path                                                                          default
            resource.config          0 entries                                                     default
            resource.scheduling                                                                    default
            resource.exclude                                                                       default
            resource.journal-max     10000                                                         default
            resource.history         90d                                                           default
            access.allow-guest-user  false                                                         default
            access.allow-root-owner  false                                                         default
            access.roles                                                                           default
            grant                    0 entries                                                     default
            listen                                                                                 default
            graph                    0 entries                                                     default
            brake                    0 entries                                                     default
            holds.classes            [hardware, software, network, facility, maintenance, test, user, unknown]  default
            holds.checks             []                                                            default
            holds.actions            []                                                            default
            holds.reboots            [reboot]                                                      default
            policy                   0 entries                                                     default
            alerts.holder                                                                          default
            alerts.label             instance                                                      default
            alerts.class                                                                           default
            alerts.reason            {alertname}: {summary}                                        default
            alerts.grace             6h                                                            default
            flux.audit               10m                                                           default
            flux.properties          load                                                          default
            muster.socket            /home/ada/.local/state/muster/muster.sock                     default
            muster.admin-socket                                                                    default
            muster.state-dir         /home/ada/.local/state/muster                                 default
            muster.acquire           exclusive                                                     default
            muster.reload-drop       0.5                                                           default
            muster.confirm-share     0.2                                                           default
            muster.batch             0s                                                            default
            muster.initial           online                                                        default
            muster.metrics           127.0.0.1:9559                                                default
            muster.max-frame         64MiB                                                         default
            muster.max-frame-guest   1MiB                                                          default
            muster.max-connections   8192                                                          default
            muster.max-readers       32                                                            default
            muster.hold-rate         50                                                            default
            muster.hold-burst        5000                                                          default
            muster.snapshot-every    100000                                                        default
            muster.history-size      1GiB                                                          default
            muster.clock-jump        15m                                                           default
            muster.clock-gap         7d                                                            default
            muster.clock-settle      1h                                                            default
            muster.log-format        text                                                          default
            muster.log-level         info                                                          default
            ledger.kind              file                                                          default
            ledger.endpoints         []                                                            default
            ledger.prefix            /muster/main/                                                 default
            ledger.member            host7                                                         default
            ledger.uris              []                                                            default
            ledger.ttl               2s                                                            default
            ledger.patience          10s                                                           default
            ledger.ca                                                                              default
            ledger.certificate                                                                     default
            ledger.key                                                                             default
            ledger.user                                                                            default
            ledger.password-file                                                                   default
            ledger.allow-old-etcd    false                                                         default
            ledger.compact           false                                                         default
            """;

    @Test
    void withoutAFileEveryKeyHasItsDefault() {
        assertThat(String.join("\n", Config.load(null, Configs.ADA).effective().lines()) + "\n")
                .isEqualTo(DEFAULTS);
    }

    @ParameterizedTest
    @EnumSource
    void everyKeyIsReadAndShownWithItsFileAndLine(Key key) {
        Value value = Objects.requireNonNull(OTHER_VALUES.get(key), "a key without a test");
        Configs.write(dir, "R", R);
        Configs.write(dir, "S", "{}");
        String section = key.section().isEmpty() ? "" : "[" + key.section() + "]";
        Config config = Configs.load(dir, section, "", key.key() + " = " + value.toml);
        Effective.Setting setting = config.effective().of(key);
        assertThat(setting.value()).isEqualTo(value.shown.replace("DIR", dir.toString()));
        assertThat(setting.source()).isEqualTo(dir + "/muster.toml:3");
        assertThat(Config.load(null, Configs.ADA).effective().of(key).value()).isNotEqualTo(value.shown);
    }

    @Test
    void theSectionsOfTheConfigHaveTheValuesOfTheFile() {
        Config config = Configs.load(
                dir,
                "[resource]",
                "exclude = \"0\"",
                "history = \"1.5h\"",
                "journal-max = 7",
                "[access]",
                "allow-guest-user = true",
                "[muster]",
                "socket = \"/run/m.sock\"",
                "admin-socket = \"/run/a.sock\"",
                "acquire = \"shared\"",
                "batch = 0.05",
                "initial = \"offline\"",
                "max-frame = \"1M\"",
                "history-size = 0",
                "log-format = \"json\"",
                "metrics = \"off\"",
                "[[grant]]",
                "who = [\"%sched\"]",
                "rights = [\"acquire\"]");
        assertThat(config.resources().excluded()).isEqualTo(Idset.of(0));
        assertThat(config.access())
                .isEqualTo(new Access(
                        true, false, List.of(), List.of(new Grant(List.of("%sched"), Set.of(Right.ACQUIRE), null))));
        assertThat(config.listen())
                .isEqualTo(new Listen(
                        Path.of("/run/m.sock"), Path.of("/run/a.sock"), 1 << 20, 1 << 20, 8192, Listen.OfUser.USUAL));
        assertThat(config.storage())
                .isEqualTo(new Storage(Path.of("/home/ada/.local/state/muster"), 100_000, new Fsd(5400), 0, 7));
        assertThat(config.streams())
                .isEqualTo(new AcquireSettings(
                        AcquireSettings.Acquire.SHARED, new Fsd(0.05), AcquireSettings.Initial.OFFLINE));
        assertThat(config.reporting().metrics()).isEmpty();
        assertThat(config.reporting().logFormat()).isEqualTo(Logging.Format.JSON);
        assertThat(config.reporting().logLevel()).isEqualTo(Logging.Level.INFO);
    }

    @Test
    void keysOfABrokerAreShownOnlyIfSet() {
        List<String> lines =
                Configs.load(dir, "[resource]", "noverify = true").effective().lines();
        assertThat(lines)
                .filteredOn(line -> line.startsWith("resource.noverify"))
                .hasSize(1);
        assertThat(lines).noneMatch(line -> line.startsWith("resource.norestrict"));
    }

    @Test
    void changedKeysThatNeedARestartAreNamed() {
        Config running = Configs.load(dir, "[muster]", "socket = \"/run/a\"", "log-level = \"info\"");
        Config next = Configs.load(dir, "[muster]", "socket = \"/run/b\"", "log-level = \"debug\"");
        assertThat(next.waitingForRestart(running)).containsExactly(Key.SOCKET);
        assertThat(next.waitingForRestart(next)).isEmpty();
    }

    record Refusal(String line, String problem) {}

    static List<Refusal> refusals() {
        return List.of(
                new Refusal(
                        "muster.batch = \"50x\"",
                        "muster.batch: duration \"50x\": the unit is one of ms, s, m, h, d at position 2"),
                new Refusal("muster.batch = \"5m\"", "muster.batch: expected at most 1m"),
                new Refusal("muster.batch = true", "muster.batch: expected a string"),
                new Refusal(
                        "muster.acquire = \"share\"",
                        "muster.acquire: expected exclusive or shared; did you mean shared?"),
                new Refusal("muster.initial = \"maybe\"", "muster.initial: expected online or offline"),
                new Refusal(
                        "muster.log-level = \"warning\"",
                        "muster.log-level: expected error, warn, info, debug or trace"),
                new Refusal(
                        "ledger.kind = \"etcd\"",
                        "ledger.kind: etcd needs ledger.endpoints, such as [\"https://node1:2379\"]"),
                new Refusal(
                        "ledger.endpoints = [\"node1\"]",
                        "ledger.endpoints: node1 is not a client URL: expected https://HOST:PORT or http://HOST:PORT"),
                new Refusal(
                        "ledger.endpoints = [\"https://root:pw@node1:2379\"]",
                        "ledger.endpoints: the user and the password of etcd belong into ledger.user and ledger.password-file,"
                                + " not into an endpoint"),
                new Refusal(
                        "ledger.endpoints = [\"https://root:p^w@node1:2379\"]",
                        "ledger.endpoints: the user and the password of etcd belong into ledger.user and ledger.password-file,"
                                + " not into an endpoint"),
                new Refusal(
                        "ledger.endpoints = [\"https://root:pa/ss@node1:2379\"]",
                        "ledger.endpoints: the user and the password of etcd belong into ledger.user and ledger.password-file,"
                                + " not into an endpoint"),
                new Refusal(
                        "ledger.prefix = \"muster\"",
                        "ledger.prefix: expected names of letters, digits, dots, dashes and underscores, with slashes before,"
                                + " between and after them: /muster/main/"),
                new Refusal("ledger.ttl = \"1s\"", "ledger.ttl: expected 2s to 1m"),
                new Refusal(
                        "ledger.certificate = \"c\"",
                        "ledger.certificate: ledger.certificate and ledger.key must be given together"),
                new Refusal(
                        "ledger.user = \"u\"",
                        "ledger.user: ledger.user and ledger.password-file must be given together"),
                new Refusal("muster.log-format = 1", "muster.log-format: expected a string"),
                new Refusal("ledger.uris = \"alice\"", "ledger.uris: expected an array of strings"),
                new Refusal("ledger.uris = [\"alice\", 7]", "ledger.uris: expected a string"),
                new Refusal(
                        "access.roles.admin.users = [\"a b\"]",
                        "access.roles.admin.users: \"a b\" is neither a user nor a %group"),
                new Refusal(
                        "access.roles.admin.users = [\"-x\"]",
                        "access.roles.admin.users: \"-x\" is neither a user nor a %group"),
                new Refusal(
                        "muster.metrics = \"9559\"",
                        "muster.metrics: expected off or ADDRESS:PORT, the address in numbers or localhost"),
                new Refusal("muster.metrics = \":9559\"", "muster.metrics: expected an address before :9559"),
                new Refusal("muster.metrics = \"127.0.0.1:70000\"", "muster.metrics: there is no port 70000"),
                new Refusal("muster.metrics = \"1.2.3.4.5:1\"", "muster.metrics: 1.2.3.4.5:1 is not an address"),
                new Refusal("muster.max-frame = 10", "muster.max-frame: expected 4KiB to 1GiB"),
                new Refusal("muster.max-frame = \"2G\"", "muster.max-frame: expected 4KiB to 1GiB"),
                new Refusal(
                        "muster.max-frame = \"lots\"",
                        "muster.max-frame: size \"lots\": expected a whole number and B, KiB, MiB, GiB or TiB at position 0"),
                new Refusal(
                        "muster.max-connections = 0",
                        "muster.max-connections: expected a whole number from 1 to 1000000"),
                new Refusal(
                        "muster.max-connections = 1.5",
                        "muster.max-connections: expected a whole number from 1 to 1000000"),
                new Refusal("muster.socket = \"\"", "muster.socket: expected a path"),
                new Refusal(
                        "muster.socket = \"/a\\u0000b\"", "muster.socket: is not a path: Nul character not allowed"),
                new Refusal(
                        "muster.socket = \"/" + "s".repeat(107) + "\"",
                        "muster.socket: /" + "s".repeat(107) + " has 108 bytes, but a UNIX socket's path may have 107"),
                new Refusal("access.allow-guest-user = \"yes\"", "access.allow-guest-user: expected true or false"),
                new Refusal("access.roles = true", "access.roles: expected a table"),
                new Refusal("resource.verify = 1", "resource.verify: expected true, false or a table"),
                new Refusal(
                        "resource.history = \"-1d\"",
                        "resource.history: duration \"-1d\": expected a number, not negative, and a unit at position 0"),
                new Refusal("resource.config = 1", "resource.config: must be an array of tables, not a number"),
                new Refusal("resource.config = []", "resource.config: no hosts configured"),
                new Refusal("resource.config = [{cores = \"0\"}]", "resource.config[0].hosts: hosts is missing"),
                new Refusal("resource.config = [{hosts = \"\"}]", "resource.config[0].hosts: names no host"),
                new Refusal("resource.config = [{hosts = \"a\"}]", "resource.config: a assigned no resources"),
                new Refusal(
                        "resource.config = [{hosts = \"a\", cores = 4}]",
                        "resource.config[0].cores: must be a string, not a number"),
                new Refusal(
                        "resource.config = [{hosts = \"a\", core = \"0\"}]",
                        "resource.config[0].core: is not known; known are cores, gpus, hosts, properties"),
                new Refusal(
                        "resource.exclude = \"9\"", "resource.exclude: rank 9 is not in the resource set, which has 0"),
                new Refusal("resource.exclude = \"host8\"", "resource.exclude: host host8 is not in the resource set"),
                new Refusal("resource.path = \"/no/R\"", "resource.path: /no/R cannot be read: no such file"),
                new Refusal("resource.path = \"/dev/zero\"", "resource.path: /dev/zero cannot be read: is not a file"),
                new Refusal(
                        "resource.scheduling = \"S\"",
                        "resource.scheduling: needs resource.path or [[resource.config]]"),
                new Refusal("muster.stat-dir = \"/x\"", "muster.stat-dir: unknown key; did you mean state-dir?"),
                new Refusal("muster.state_dir = \"/x\"", "muster.state_dir: unknown key; did you mean state-dir?"),
                new Refusal("muster.frobnicate = 1", "muster.frobnicate: unknown key"),
                new Refusal("resource.excludes = \"a\"", "resource.excludes: unknown key; did you mean exclude?"),
                new Refusal("acces.allow-guest-user = true", "[acces]: unknown table; did you mean access?"),
                new Refusal("[[acess]]", "[[acess]]: unknown array of tables; did you mean access?"),
                new Refusal("[[grnt]]\nuser = \"x\"", "[[grnt]]: unknown array of tables; did you mean grant?"),
                new Refusal("[[muster]]", "muster: is one table: write [muster]"),
                new Refusal("[[resource.confg]]", "resource.confg: unknown key; did you mean config?"),
                new Refusal(
                        "holds.classes = [\"a b\"]", "holds.classes: class \"a b\": letters, digits and ._:@- only"),
                new Refusal(
                        "alerts.share = 0.05",
                        "alerts.share: has gone: write [[brake]] with holder = \"alerts:*\" and hosts = \"5%\" in its place"),
                new Refusal(
                        "brake = [{holder = \"a\", hosts = 1}]",
                        "brake[0].window: is missing: a brake has a holder, hosts and a window"),
                new Refusal(
                        "brake = [{holder = \"a*b\", hosts = 1, window = 60}]",
                        "brake[0].holder: expected a holder, or the beginning of holders and *: holder \"a*b\": letters, digits and ._:@- only"),
                new Refusal(
                        "brake = [{holder = \"a\", hosts = \"0%\", window = 60}]",
                        "brake[0].hosts: expected a number of hosts without quotation marks, or a share above \"0%\" and up to \"100%\""),
                new Refusal(
                        "brake = [{holder = \"a\", hosts = -1, window = 60}]",
                        "brake[0].hosts: expected a whole number from 0 to 2147483647"),
                new Refusal(
                        "brake = [{holder = \"a\", hosts = true, window = 60}]",
                        "brake[0].hosts: expected a number of hosts without quotation marks, or a share above \"0%\" and up to \"100%\""),
                new Refusal(
                        "brake = [{holder = \"a\", hosts = 1, window = \"90d\"}]",
                        "brake[0].window: expected 1s to 30d"),
                new Refusal(
                        "policy = [{when = \"gone\", after = 60, hold = {holder = \"a\"}}]",
                        "policy[0].when: expected offline, torpid or returned"),
                new Refusal(
                        "policy = [{when = \"offline\", after = 60, hold = {holder = \"a\"}}]",
                        "policy[0].hold: no [[brake]] covers the holder \"a\": add one, so that a fault of the network does not"
                                + " drain all hosts"),
                new Refusal(
                        "policy = [{when = \"offline\", hold = {holder = \"a\"}}]",
                        "policy[0].after: is missing: a policy has when, after and a hold"),
                new Refusal(
                        "policy = [{when = \"offline\", after = 0, hold = {holder = \"a\"}}]",
                        "policy[0].after: expected 1s to 30d"),
                new Refusal(
                        "policy = [{when = \"offline\", after = 60, hold = {holder = \"admin\"}}]",
                        "policy[0].hold.holder: \"admin\" is the holder of drains that name no holder"),
                new Refusal(
                        "policy = [{when = \"offline\", after = 60, hold = {holder = \"a\", class = \"lunar\"}}]",
                        "policy[0].hold: there is no class \"lunar\": there are hardware, software, network, facility,"
                                + " maintenance, test, user, unknown (holds.classes)"),
                new Refusal("alerts.grace = \"5s\"", "alerts.grace: expected 1m to 30d"),
                new Refusal("alerts.label = \"a b\"", "alerts.label: expected the name of a label, such as instance"),
                new Refusal("alerts.class = \"a b\"", "alerts.class: expected a word of letters, digits and _.-"),
                new Refusal("alerts.holder = \"a b\"", "alerts.holder: holder \"a b\": letters, digits and ._:@- only"),
                new Refusal("alerts.host = \"a\"", "alerts.host: unknown key"),
                new Refusal("muster.reload-drop = 1.5", "muster.reload-drop: expected a number from 0 to 1"),
                new Refusal("muster.reload-drop = \"half\"", "muster.reload-drop: expected a number from 0 to 1"),
                new Refusal(
                        "other.x = [\"a\\u0000\"]", "other.x.0: has the character U+0000, which no string may have"),
                new Refusal("other.x = 9223372036854775808", "other.x: is an integer of more than 64 bits"),
                new Refusal("other.x = inf", "other.x: is not a number that JSON has"),
                new Refusal("socket = \"/x\"", "socket: must be in a table: [muster]"),
                new Refusal("path = \"/x\"", "path: must be in a table: [resource]"),
                new Refusal("colour = 1", "colour: must be in a table"),
                new Refusal("mustre = 1", "mustre: must be in a table; did you mean muster?"),
                new Refusal("muster = 1", "muster: is one table: write [muster]"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void invalidValuesAreRefusedWithASentence(Refusal refusal) {
        assertThat(Configs.problems(dir, "# first line", refusal.line)).contains("muster.toml:2: " + refusal.problem);
    }

    @Test
    void allProblemsAreReportedTogetherWithTheirLines() {
        assertThat(Configs.problems(
                        dir,
                        "[muster]",
                        "batch = \"x\"",
                        "acquire = 'none' # [resource]",
                        "text = '''",
                        "[[resource.config]]",
                        "'''",
                        "[resource]",
                        "journal-max = -1",
                        "[[resource.config]]",
                        "hosts = \"a[1-2]\"",
                        "cores = \"0-3\"",
                        "[[resource.config]]",
                        "hosts = \"b[\"",
                        "properties = [",
                        "  \"ok\",",
                        "  7 ]"))
                .containsExactlyInAnyOrder(
                        "muster.toml:2: muster.batch: duration \"x\": expected a number, not negative, and a unit at position 0",
                        "muster.toml:3: muster.acquire: expected exclusive or shared",
                        "muster.toml:4: muster.text: unknown key",
                        "muster.toml:8: resource.journal-max: expected a whole number from 1 to 2147483647",
                        "muster.toml:13: resource.config[1].hosts: hostlist \"b[\": '[' is never closed at position 1",
                        "muster.toml:14: resource.config[1].properties[1]: must be a string, not a number");
    }

    @Test
    void theTwoSocketsMustDiffer() {
        assertThat(Configs.problems(dir, "[muster]", "socket = \"/run/x\"", "admin-socket = \"/run/x\""))
                .containsExactly("muster.toml:3: muster.admin-socket: is the same as muster.socket");
    }

    @Test
    void aDefaultSocketPathThatIsTooLongIsRefused() {
        Environment deep = new Environment(Map.of(), 1000, Path.of("/" + "h".repeat(100)), "h", 1);
        assertThatThrownBy(() -> Config.load(null, deep))
                .hasMessageStartingWith("configuration: muster.socket: /hhh")
                .hasMessageContaining("a UNIX socket's path may have 107");
    }
}
