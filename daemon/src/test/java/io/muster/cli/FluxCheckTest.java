package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.FluxFit.Check;
import io.muster.cli.FluxFit.Level;
import io.muster.cli.Shell.Result;
import io.muster.daemon.RunningDaemon;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.access.Scope;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Credentials;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules of {@code muster flux-check}, and the verb with a fake flux command that prints the output that each test sets. */
class FluxCheckTest {
    private static final String VERSION = "commands:    \t\t%1$s\nlibflux-core:\t\t%1$s\nbuild-options:\t\t+hwloc\n";

    private static final String RESOURCES = """
            initial = "offline"
            [[resource.config]]
            hosts = "node[0-3]"
            cores = "0"
            """;

    /** The output of flux_facts.py on a host where everything is installed. */
    private static final String FACTS = """
            {"errors":{},"bindings":"/usr/bin/python3, Python 3.11.2","modules":true,\
            "configuration":{"muster":{"socket":"%s"}},"configured_hosts":"",\
            "instance":{"uri":"the system instance","owner":%s,"hosts":"mgmt,node[0-3]"},\
            "start_file":"/etc/flux/modprobe/rc1.d/muster.py","marks":"yes","live":"yes","audit":"no","bridge":"/usr/share/muster/flux/muster_bridge.py"}""";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "0.88.0,                bridge,  false, true",
        "0.88.0-59-g4a5e79f56,  bridge,  false, true",
        "0.84.0,                bridge,  false, true",
        "0.83.9,                bridge,  false, false",
        "0.83.9,                bridge,  true,  false",
        "0.83.9,                feed,    false, true",
        "0.72.0,                observe, false, true",
        "0.71.0,                observe, false, false",
        "0.89.0,                bridge,  false, false",
        "0.89.0,                bridge,  true,  true",
        "1.84.0,                bridge,  false, false",
        "1.84.0,                feed,    true,  true",
        "tomorrow,              bridge,  false, false",
        "tomorrow,              bridge,  true,  true",
        "99999999999.88.0,      feed,    false, false",
    })
    void aVersionThatIsTooOldOrUnknownIsAProblem(String version, String level, boolean force, boolean fits) {
        Check check = FluxFit.version(
                String.format(Locale.ROOT, VERSION, version), Level.valueOf(level.toUpperCase(Locale.ROOT)), force);

        assertThat(check.fits()).isEqualTo(fits);
        assertThat(check.sentence()).contains(version);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node[0-3] | node[0-3]      | true  | 4 hosts in R, 4 brokers",
                "node[0-3] | mgmt,node[0-3] | true  | get no jobs, because R has no such host: mgmt",
                "node[0-3] | node[0-1,9]    | false | would be down for ever: node[2-3]",
                "node[0-3] |                | false | hosts of the brokers (it is away)",
            })
    void hostsOfRWithoutABrokerAreAProblem(String ours, String brokers, boolean fits, String sentence) {
        Check check =
                FluxFit.hosts(Hostlist.parse(ours), brokers == null ? null : Hostlist.parse(brokers), "it is away");

        assertThat(check.fits()).isEqualTo(fits);
        assertThat(check.sentence()).contains(sentence);
    }

    @Test
    void theUnitOfFluxStartsAfterTheUnitOfMuster() {
        assertThat(FluxFit.order("LoadState=loaded\nAfter=network.target muster.service\n")
                        .fits())
                .isTrue();
        assertThat(FluxFit.order("LoadState=loaded\nAfter=not-muster.service\n").advice())
                .contains("Before=flux.service");
        assertThat(FluxFit.order("LoadState=not-found\nAfter=\n").sentence()).contains("no flux.service");
    }

    @ParameterizedTest
    @EnumSource
    void theGrantsOfTheDocumentationHaveAllRights(Level level) throws Exception {
        String page = Files.readString(Path.of("..", "docs", "flux.md"));
        Matcher grant = Pattern.compile("\\[\\[grant]]\\s+who = \\[\"flux\"]\\s+rights = \\[(.*)]")
                .matcher(page);
        List<String> sentences = new ArrayList<>();
        while (grant.find()) {
            sentences.add("user flux, who owns the instance, has the rights " + grant.group(1));
        }

        assertThat(sentences).hasSize(2);
        assertThat(FluxFit.rights("flux", rights(Right.values()), level).sentence())
                .isEqualTo(sentences.get(level == Level.BRIDGE ? 0 : 1));
        assertThat(FluxFit.rights("flux", rights(Right.ACQUIRE, Right.CHANGE, Right.SPEAK_FOR), level)
                        .sentence())
                .endsWith("lacks on Muster: follow");
    }

    private static Rights rights(Right... granted) {
        Identity flux = Identity.ofKernel(999, -1, 0);
        return new Rights(flux, new Credentials(999, Credentials.USER), "flux", Set.of(granted), Scope.NONE, null);
    }

    /** Writes a flux command that prints a version, and prints facts instead of running the script that it is given. */
    private Path flux(String version, String python) throws IOException {
        Path command = directory.resolve("flux");
        Files.writeString(
                command,
                "#!/bin/sh\nif [ \"$1\" = version ]; then\ncat <<'END'\n" + String.format(Locale.ROOT, VERSION, version)
                        + "END\nelse\n" + python + "\nfi\n");
        return Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Result check(Path flux, String... more) {
        List<String> line = new ArrayList<>(List.of(
                "flux-check",
                "--flux",
                flux.toString(),
                "-c",
                directory.resolve("muster.toml").toString()));
        line.addAll(List.of(more));
        return new Shell().run(line.toArray(new String[0]));
    }

    private static String saying(String facts) {
        return "cat >/dev/null; cat <<'END'\na warning of Python\n" + facts + "\nEND";
    }

    @Test
    void aHostWhereEverythingIsInstalledPassesEachCheck() throws Exception {
        Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        try (RunningDaemon daemon = RunningDaemon.start(directory, RESOURCES)) {
            String socket = daemon.uri().substring("local://".length());
            Result result = check(flux("0.88.0", saying(String.format(Locale.ROOT, FACTS, socket, uid))));

            assertThat(result.out().lines().map(line -> line.substring(0, 17).strip()))
                    .startsWith(
                            "ok       flux",
                            "ok       python",
                            "ok       rc1.d",
                            "ok       bridge",
                            "ok       config",
                            "ok       marks",
                            "ok       live",
                            "ok       audit",
                            "ok       socket",
                            "ok       hosts",
                            "ok       rights",
                            "ok       initial")
                    .hasSize(13);
            assertThat(result.out())
                    .contains("Muster answers at " + socket)
                    .contains("4 hosts in R, 5 brokers")
                    .contains("the scheduler takes marks on GPUs and other parts of hosts")
                    .contains("the scheduler takes properties while it runs")
                    .contains("`muster audit` can compare hosts and properties only");
            assertThat(result.err()).isEmpty();
            assertThat(check(flux("0.88.0", saying(String.format(Locale.ROOT, FACTS, socket, uid))), "observe")
                            .out())
                    .doesNotContain("bridge", "initial", "order");
        }
    }

    @Test
    void eachProblemIsPrintedWithAdvice() throws Exception {
        Files.writeString(
                directory.resolve("muster.toml"),
                "[muster]\nsocket = \"s\"\nstate-dir = \"state\"\n" + RESOURCES.replace("offline", "online")
                        + "[[grant]]\nwho = [\"4711\"]\nrights = [\"acquire\"]\n");
        Result result = check(flux("0.70.0", saying("""
                {"errors":{"start_file":"there is no rc1.d/muster.py in /etc/flux/modprobe","bridge":"no file names it","marks":"no instance answers"},\
                "bindings":"python3","modules":true,"configuration":{},"instance":null,"configured_hosts":"node[0-2]",\
                "start_file":null,"bridge":null}""")), "--owner", "4711");

        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.out())
                .contains("problem  flux      flux-core 0.70.0 is older than 0.84: upgrade flux-core\n")
                .contains(
                        "problem  rc1.d     there is no rc1.d/muster.py in /etc/flux/modprobe: install Muster's package")
                .contains("problem  bridge    no file names it: install Muster's package")
                .contains("problem  config    [muster] socket is not set in the broker's configuration system: write")
                .contains("ok       marks     it is not known whether the scheduler supports this: no instance")
                .contains("problem  socket    ")
                .contains("these hosts of R have no broker and would be down for ever: node3: correct R")
                .contains(
                        "lacks on Muster: follow, change, speak-for: add to Muster's configuration: [[grant]] who = [\"")
                .contains("problem  initial   muster.initial is \"online\"");
    }

    @Test
    void withoutTheBridgeTheSocketIsThatOfMusterUri() throws Exception {
        Path file =
                Files.writeString(directory.resolve("muster.toml"), "[muster]\nstate-dir = \"state\"\n" + RESOURCES);
        String facts = saying(String.format(Locale.ROOT, FACTS, "/configured/socket", 0));
        Shell shell = new Shell().with("MUSTER_URI", "local:///named/socket");
        String[] line = {"flux-check", "--flux", flux("0.88.0", facts).toString(), "-c", file.toString(), "feed"};

        assertThat(shell.run(line).out()).contains("problem  socket    ").contains("/named/socket");
        line[5] = "bridge";
        assertThat(shell.run(line).out()).contains("problem  socket    ").contains("/configured/socket");
        line[5] = "observe";
        assertThat(shell.with("MUSTER_URI", "ssh://mgmt1").run(line).out())
                .contains(
                        "problem  socket    ssh://mgmt1 is no path, but Flux reaches Muster only by a UNIX socket of");
    }

    @Test
    void aMissingPartOfFluxIsNamed() throws Exception {
        Files.writeString(directory.resolve("muster.toml"), "[muster]\nstate-dir = \"state\"\nx = 1\n");

        assertThat(check(directory.resolve("no-such-command")).out())
                .contains("no-such-command")
                .contains("problem  muster")
                .contains("see `muster check`");
        assertThat(check(flux("0.88.0", "echo 'flux: python is not installed' >&2; exit 1"))
                        .out())
                .contains("problem  python")
                .contains("python is not installed: install flux-core's Python bindings");
        assertThat(check(flux("0.88.0", ":"), "everything").err()).contains("expected bridge, feed or observe");
    }

    @Test
    @Needs("python3")
    void pythonWithoutTheBindingsOfFluxIsNamed() throws Exception {
        Files.writeString(directory.resolve("muster.toml"), "[muster]\nstate-dir = \"state\"\n");
        assertThat(check(flux("0.88.0", "python3 -c 'import flux._x'")).out())
                .contains("problem  python    ")
                .contains("ended with status 1: No module named 'flux': install flux-core's Python bindings")
                .doesNotContain("Traceback", "Error");
        assertThat(check(flux("0.88.0", "shift; exec python3 \"$@\"")).out())
                .contains("problem  python    No module named 'flux'")
                .contains("problem  rc1.d     No module named 'flux'");
    }
}
