package io.muster.it;

import static io.muster.it.Wire.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.LedgerDaemons;
import io.muster.it.harness.Output;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * An upgrade from this version to a next version, whose format level is made up. This version must be able to read the state until the
 * upgrade is finished.
 */
@Timeout(600)
@Tag("once")
class UpgradeTest {
    private static final String ID = "6f1c8a52-9f0e-4c7b-8d1e-2b6f0a7c9d11";
    private static final String OTHER_ID = "6f1c8a52-9f0e-4c7b-8d1e-2b6f0a7c9d12";
    private static final int UNREADABLE = 65;
    private static final String REFUSAL =
            "format level 2, and this version reads levels up to 1: start muster 9.9.0 or later";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess.Setup setup() {
        return DaemonProcess.Setup.in(directory, "snapshot-every = 3", DaemonProcess.Setup.nodes("node[0-7]"));
    }

    /** Gives a daemon the program of the next version: this program with one more constant in the source of the levels. */
    private static void upgrade(DaemonProcess.Setup setup) throws IOException {
        setup.copyJars();
        Path jars = setup.directory().resolve("jars");
        Path classes = setup.directory().resolve("classes");
        String level = Files.readString(Path.of("../inventory/src/main/java/io/muster/inventory/level/Level.java"));
        String next = level.replaceFirst("(ONE\\(.*\\));", "$1, TWO(2, \"9.9.0\", \"a made-up addition\");");
        assertThat(next).isNotEqualTo(level);
        Path source = Files.writeString(setup.directory().resolve("Level.java"), next);
        Tool.run(Tool.jdk("javac"), "--release", "17", "-d", classes.toString(), source.toString());
        Path jar = jars.resolve("muster-inventory-0.1.0.jar");
        assertThat(jar).exists();
        Tool.run(Tool.jdk("jar"), "uf", jar.toString(), "-C", classes.toString(), ".");
    }

    /** The inventory of a daemon without the keys that change with time. */
    private static ObjectNode known(FluxClient client) throws IOException {
        ObjectNode all = client.rpc("resource.state", null);
        all.remove(List.of("time", "seq", "journal_bytes", "waiting", "usage"));
        return all;
    }

    private static void ask(FluxClient client, String verb, String payload) throws IOException {
        client.rpc("resource." + verb, json(payload));
    }

    private static void ask(DaemonProcess daemon, String verb, String payload) throws IOException {
        try (FluxClient client = daemon.connect()) {
            ask(client, verb, payload);
        }
    }

    /** The levels that {@code muster upgrade status} shows. */
    private static ObjectNode levels(int written, String permits) {
        return json("{'written':" + written + ",'oldest':1,'newest':2,'permits':[" + permits + "]}");
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

    /** Puts the jars of the next version in place, or takes them away. */
    private void change() throws IOException {
        Path jars = directory.resolve("jars");
        Path next = directory.resolve("next");
        if (Files.exists(jars)) {
            Files.move(jars, next);
        } else {
            Files.move(next, jars);
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

    private void refusesToStart() throws IOException {
        Map<String, String> before = contents();
        DaemonProcess old = setup().spawn().expect(REFUSAL);
        assertThat(old.awaitExit()).isEqualTo(UNREADABLE);
        old.output().await(REFUSAL);
        assertThat(contents()).isEqualTo(before);
        assertThat(directory.resolve("state/quarantine")).doesNotExist();
    }

    @Test
    void aDowngradeLosesNothingBeforeTheUpgradeIsFinishedAndIsRefusedAfterwards() throws IOException {
        ObjectNode known = run(
                json("{}"),
                "drain",
                "{'targets':'1','reason':'bad dimm'}",
                "drain",
                "{'targets':'1-2','holder':'health','reason':'fan','for':31536000.25}",
                "exclude",
                "{'targets':'3','reason':'loan'}",
                "shrink",
                "{'targets':'6','reason':'returned'}");

        upgrade(setup());
        known = run(
                known,
                "torpid",
                "{'targets':'4'}",
                "drain",
                "{'targets':'5','reason':'with an id','id':'" + OTHER_ID + "'}",
                "property-add",
                "{'properties':{'gpu':'0-2','a@b':'7'}}",
                "expiration-update",
                "{'expiration':4000000000}");
        assertThat(contents().values())
                .noneMatch(text ->
                        text.contains("\"level\":2") || text.contains("\"version\":2") || text.contains("9.9.0"));

        change();
        known = run(known, "undrain", "{'targets':'5'}", "offline", "{'targets':'7','cause':'psu'}");

        change();
        finish(known);
        known = sendAgain();

        change();
        refusesToStart();

        change();
        assertThat(run(known)).isEqualTo(known);
    }

    /** Finishes the upgrade, and kills the daemon after a change whose answer the client does not read. */
    private void finish(ObjectNode known) throws IOException {
        DaemonProcess daemon = setup().start();
        try (FluxClient client = daemon.connect()) {
            assertThat(known(client)).isEqualTo(known);
            assertThat(client.rpc("resource.upgrade-status", null)).isEqualTo(levels(1, "'a made-up addition'"));
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
            assertThat(client.rpc("resource.upgrade-status", null)).isEqualTo(levels(2, ""));
            ObjectNode once = known(client);
            long seq = client.rpc("resource.stats-get", null).path("seq").asLong();
            ask(client, "drain", "{'targets':'0','reason':'once','id':'" + ID + "'}");
            assertThat(known(client)).isEqualTo(once);
            assertThat(client.rpc("resource.stats-get", null).path("seq").asLong())
                    .isEqualTo(seq);
            return once;
        }
    }

    @Test
    void thisVersionRefusesANewStateDirectoryOfTheNextVersion() throws IOException {
        upgrade(setup());
        setup().start().kill();
        change();
        refusesToStart();
    }

    @Test
    @Needs({"etcd", "etcdctl", "openssl"})
    void anUpgradeIsNotFinishedWhileADaemonOfThisVersionSharesTheLedger() throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(Files.createDirectory(directory.resolve("etcd")), 1)) {
            String nodes = DaemonProcess.Setup.nodes("node[0-7]");
            List<DaemonProcess.Setup> setups = List.of(
                    LedgerDaemons.setup(directory.resolve("a"), etcd, nodes),
                    LedgerDaemons.setup(directory.resolve("b"), etcd, nodes));
            upgrade(setups.get(1));
            try (LedgerDaemons daemons = new LedgerDaemons(setups)) {
                ask(daemons.start(0), "drain", "{'targets':'1','reason':'before'}");
                daemons.stop(0);
                DaemonProcess next = daemons.start(1);
                ask(next, "drain", "{'targets':'2','reason':'mixed'}");
                assertThat(next.ask("resource.upgrade-status"))
                        .as("a daemon without a copy writes in the level of the ledger")
                        .isEqualTo(levels(1, "'a made-up addition'"));
                daemons.start(0);
                await().atMost(Output.PATIENCE)
                        .until(() -> daemons.ledger("status").contains("  a pid "));
                for (String payload : List.of("{}", "{'dry-run':true}")) {
                    assertThatThrownBy(() -> ask(next, "upgrade-finish", payload))
                            .hasMessageContaining("a on ")
                            .hasMessageContaining(
                                    " reads format levels up to 1: install muster 9.9.0 or later there and"
                                            + " restart the daemon, or stop it; every daemon that shares the ledger must read"
                                            + " format level 2");
                }
                daemons.awaitAgreement();
                daemons.stop(0);
                await().atMost(Output.PATIENCE)
                        .ignoreExceptionsInstanceOf(RpcException.class)
                        .untilAsserted(() -> ask(next, "upgrade-finish", "{}"));
                ask(next, "drain", "{'targets':'3','reason':'after'}");
                assertThat(next.ask("resource.upgrade-status")).isEqualTo(levels(2, ""));
                DaemonProcess old = setups.get(0).spawn().expect("changes are refused", REFUSAL);
                old.output().await(REFUSAL);
                old.kill();
            }
        }
    }
}
