package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Jars;
import io.muster.it.harness.LedgerDaemons;
import io.muster.it.harness.Output;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Imports of a ledger of files that are killed at random times, and the same import again. */
@Timeout(600)
@Needs({"etcd", "etcdctl"})
@Tag("long")
@Tag("etcd-faults")
class ImportTest {
    private static final String PREFIX = "/muster/main/";
    private static final int KILLS = 10;
    /** Events of several megabytes, which need several transactions. */
    private static final int CHANGES = 3000;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void anImportThatIsKilledIsNoLedgerAndTheSameImportSucceedsAfterItsKeysWereDeleted() throws Exception {
        String nodes = DaemonProcess.Setup.nodes("node[0-7]");
        Path own = Files.createDirectories(directory.resolve("a"));
        String before;
        try (DaemonProcess files = DaemonProcess.Setup.in(own, nodes).start()) {
            fill(files);
            before = files.ask("resource.status").path("drain").toString();
            files.kill(); // without a last snapshot, so that the import has several transactions
        }
        try (EtcdCluster etcd = EtcdCluster.quick(Files.createDirectory(directory.resolve("etcd")), 1)) {
            List<DaemonProcess.Setup> setups = List.of(
                    LedgerDaemons.setup(own, etcd, nodes), LedgerDaemons.setup(directory.resolve("b"), etcd, nodes));
            setups.get(0).write();
            kill(own, etcd);
            etcd.ctl("del", "--prefix", PREFIX);
            assertThat(exit(begin(own))).isZero();
            try (LedgerDaemons daemons = new LedgerDaemons(setups)) {
                assertThat(daemons.ledger("verify")).startsWith("the ledger in etcd is sound: ");
                daemons.start(0);
                daemons.start(1).expect("the state is loaded from a snapshot");
                daemons.awaitLeader();
                daemons.awaitAgreement();
                for (int i = 0; i < setups.size(); i++) {
                    ObjectNode status = daemons.get(i).ask("resource.status");
                    assertThat(status.path("drain").toString()).isEqualTo(before);
                }
            }
        }
    }

    /** Kills imports, and checks that none leaves a ledger or something to which another import adds. */
    private static void kill(Path own, EtcdCluster etcd) throws Exception {
        Random random = new Random();
        long start = System.nanoTime();
        assertThat(exit(begin(own))).isZero();
        long whole = System.nanoTime() - start;
        int parts = 0;
        for (int i = 0; i < KILLS; i++) {
            etcd.ctl("del", "--prefix", PREFIX);
            Process killed = begin(own);
            boolean ended = killed.waitFor(whole / 2 + random.nextLong(whole / 2), TimeUnit.NANOSECONDS);
            killed.destroyForcibly().waitFor();
            List<String> keys = etcd.keys(PREFIX);
            if (!ended && !keys.isEmpty() && !keys.contains(PREFIX + "id")) {
                parts++;
                assertThat(exit(begin(own))).as("an import beside %s", keys).isNotZero();
            }
        }
        System.out.println(parts + " of " + KILLS + " imports were killed with keys in etcd");
    }

    private static void fill(DaemonProcess daemon) throws IOException {
        try (FluxClient client = daemon.connect()) {
            for (int i = 0; i < CHANGES; i++) {
                client.rpc(
                        "resource.drain",
                        JsonNodeFactory.instance
                                .objectNode()
                                .put("targets", Integer.toString(i % 8))
                                .put("reason", i + " " + "x".repeat(900))
                                .put("mode", "overwrite"));
            }
        }
    }

    /** Begins {@code muster ledger import} with the configuration of this daemon. */
    private static Process begin(Path daemon) throws IOException {
        ProcessBuilder command = new ProcessBuilder(
                Tool.jdk("java"),
                "-cp",
                Jars.classPath(),
                "io.muster.cli.Muster",
                "ledger",
                "import",
                "-c",
                daemon.resolve("muster.toml").toString());
        return command.redirectErrorStream(true)
                .redirectOutput(daemon.resolve("import.log").toFile())
                .start();
    }

    private static int exit(Process process) {
        await().atMost(Output.PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> !process.isAlive());
        return process.exitValue();
    }
}
