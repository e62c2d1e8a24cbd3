package io.muster.it;

import static io.muster.it.Wire.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An upgrade from the previous version. The previous version must be able to read the state until the upgrade is finished. */
@Timeout(600)
@Tag("once")
class UpgradeTest {
    private static final String ID = "6f1c8a52-9f0e-4c7b-8d1e-2b6f0a7c9d11";
    private static final int UNREADABLE = 65;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess.Setup setup() {
        return DaemonProcess.Setup.in(directory, "snapshot-every = 3", DaemonProcess.Setup.nodes("node[0-7]"));
    }

    /** The inventory of a daemon without the keys that change with time. */
    private static ObjectNode known(FluxClient client) throws IOException {
        ObjectNode all = client.rpc("resource.inventory", null);
        all.remove(List.of("time", "seq", "journal_bytes", "waiting", "usage"));
        return all;
    }

    private static void ask(FluxClient client, String verb, String payload) throws IOException {
        client.rpc("resource." + verb, json(payload));
    }

    /** Runs a daemon, makes changes, and returns the inventory after the changes. */
    private ObjectNode run(ObjectNode expected, String... verbsAndPayloads) throws IOException {
        try (DaemonProcess daemon = setup().start();
                FluxClient client = daemon.connect()) {
            if (!expected.isEmpty()) {
                assertThat(known(client)).isEqualTo(expected);
            }
            for (int i = 0; i < verbsAndPayloads.length; i += 2) {
                ask(client, verbsAndPayloads[i], verbsAndPayloads[i + 1]);
            }
            return known(client);
        }
    }

    private void use(Path program) throws IOException {
        Path jars = directory.resolve("jars");
        if (Files.exists(jars)) {
            Files.move(jars, program);
        } else {
            Files.move(program, jars);
        }
    }

    private Map<String, String> contents() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory.resolve("state"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.endsWith("lock")) {
                    contents.put(file.toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
                }
            }
        }
        return contents;
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("io.muster.it.PreviousVersion#commits")
    void aDowngradeLosesNothingBeforeTheUpgradeIsFinishedAndIsRefusedAfterwards(String commit) throws IOException {
        Path previous = directory.resolve("previous");
        PreviousVersion.into(directory.resolve("jars"), directory.resolve("build"), commit);
        ObjectNode known = run(
                json("{}"),
                "drain",
                "{'targets':'1','reason':'bad dimm'}",
                "drain",
                "{'targets':'1-2','holder':'health','reason':'fan','until':4000000000.25}",
                "exclude",
                "{'targets':'3','reason':'loan'}",
                "shrink",
                "{'targets':'6','reason':'returned'}");

        use(previous);
        known = run(
                known,
                "torpid",
                "{'targets':'4'}",
                "drain",
                "{'targets':'5','reason':'with an id','id':'" + ID + "'}",
                "property-add",
                "{'properties':{'gpu':'0-2','a@b':'7'}}",
                "expiration-update",
                "{'expiration':4000000000}");
        assertThat(contents().values()).noneMatch(text -> text.contains(ID) || text.contains("\"needs\""));

        use(previous);
        known = run(known, "undrain", "{'targets':'5'}", "offline", "{'targets':'7','cause':'psu'}");

        use(previous);
        finish(known);
        known = sendAgain();

        use(previous);
        Map<String, String> before = contents();
        DaemonProcess old = setup().spawn().expect("format version 4|upgrade");
        assertThat(old.awaitExit()).isEqualTo(UNREADABLE);
        old.output().await("format version 4, not known here");
        assertThat(contents()).isEqualTo(before);

        use(previous);
        assertThat(run(known)).isEqualTo(known);
    }

    /** Finishes the upgrade, and kills the daemon after a change whose answer the client does not read. */
    private void finish(ObjectNode known) throws IOException {
        DaemonProcess daemon = setup().start();
        try (FluxClient client = daemon.connect()) {
            assertThat(known(client)).isEqualTo(known);
            assertThat(client.rpc("resource.upgrade-status", null))
                    .isEqualTo(
                            json(
                                    "{'written':1,'oldest':1,'newest':4,"
                                            + "'permits':['the daemon remembers the ids of changes over a restart, and records login uids; exclusions keep named holds',"
                                            + "'a scheduler may acquire with an owner, and keep the acquisition over a restart; reporters of liveness are remembered; authors name who spoke for them',"
                                            + "'vertices of the resource graph can be tagged and marked, and schedulers can store data on them']}"));
            ask(client, "upgrade-finish", "{}");
            client.call("resource.drain", json("{'targets':'0','reason':'once','id':'" + ID + "'}"));
        }
        try (FluxClient other = daemon.connect()) {
            while (!known(other).toString().contains("\"once\"")) {
                Thread.onSpinWait(); // each iteration waits for an answer of the daemon
            }
        }
        daemon.kill();
    }

    private ObjectNode sendAgain() throws IOException {
        try (DaemonProcess daemon = setup().start();
                FluxClient client = daemon.connect()) {
            assertThat(client.rpc("resource.upgrade-status", null)
                            .path("written")
                            .asInt())
                    .isEqualTo(4);
            ObjectNode once = known(client);
            long seq = client.rpc("resource.stats-get", null).path("seq").asLong();
            ask(client, "drain", "{'targets':'0','reason':'once','id':'" + ID + "'}");
            assertThat(known(client)).isEqualTo(once);
            assertThat(client.rpc("resource.stats-get", null).path("seq").asLong())
                    .isEqualTo(seq);
            return once;
        }
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("io.muster.it.PreviousVersion#commits")
    void thePreviousVersionRefusesANewStateDirectoryOfThisVersion(String commit) throws IOException {
        Path previous = directory.resolve("previous");
        DaemonProcess first = setup().start();
        first.kill();
        PreviousVersion.into(previous, directory.resolve("build"), commit);
        use(previous);
        Map<String, String> before = contents();
        DaemonProcess old = setup().spawn().expect("format version 4");
        assertThat(old.awaitExit()).isEqualTo(UNREADABLE);
        assertThat(contents()).isEqualTo(before);
        assertThat(Tool.run("ls", directory.resolve("state").toString())).doesNotContain("quarantine");
    }
}
