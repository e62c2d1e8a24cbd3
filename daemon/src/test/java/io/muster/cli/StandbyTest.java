package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.daemon.etcd.Proxy;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Daemons that share a ledger on a real etcd. */
@Needs({"etcd", "etcdctl"})
@Tag("once")
final class StandbyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private EtcdCluster etcd;

    @BeforeEach
    void startEtcd() throws IOException {
        etcd = EtcdCluster.quick(Files.createDirectory(directory.resolve("etcd")), 1);
    }

    @AfterEach
    void stopEtcd() {
        etcd.close();
    }

    private static Result muster(String uri, String... arguments) {
        return new Shell().with("MUSTER_URI", uri).run(arguments);
    }

    private RunningDaemon daemon(String name) throws Exception {
        return daemon(name, etcd.toml());
    }

    private RunningDaemon daemon(String name, String endpoints) throws Exception {
        return RunningDaemon.start(Files.createDirectories(directory.resolve(name)), config(name, endpoints));
    }

    private String config(String name, String endpoints) {
        return "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n[ledger]\nkind = \"etcd\"\nallow-old-etcd = true\n"
                + "endpoints = " + endpoints + "\nmember = \"" + name + "\"\nuris = [\"local://"
                + directory.resolve(name).resolve("s") + "\"]\n";
    }

    static ObjectNode drain(RunningDaemon daemon, String targets) throws IOException {
        try (FluxClient client = FluxClient.connect(daemon.uri(), Options.DEFAULT)) {
            return client.rpc(
                    "resource.drain",
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("targets", targets)
                            .put("reason", "test of " + targets));
        }
    }

    static String drained(RunningDaemon daemon) throws IOException {
        try (FluxClient client = FluxClient.connect(daemon.uri(), Options.DEFAULT)) {
            return client.rpc("resource.status", JsonNodeFactory.instance.objectNode())
                    .path("drain")
                    .toString();
        }
    }

    @Test
    void a_standby_shows_changes_of_the_leader_and_refuses_changes_with_the_name_of_the_leader() throws Exception {
        try (RunningDaemon leader = daemon("a");
                RunningDaemon standby = daemon("b")) {
            drain(leader, "1");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(drained(standby)).contains("\"1\""));
            assertThatThrownBy(() -> drain(standby, "2"))
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EREMOTE))
                    .hasMessageContaining("a (local://" + directory.resolve("a/s") + ") leads");
            assertThat(muster(standby.uri(), "status", "--json").out())
                    .contains("\"usage\":null,\"schedulers\":null,\"waiting\":null")
                    .contains("\"standby\":{\"leader\":\"" + leader.uri() + "\",\"lag\":");
            assertThat(muster(leader.uri(), "status", "--json").out())
                    .contains("\"standby\":null", "\"usage\":[],\"schedulers\":[],\"waiting\":[]");
        }
    }

    @Test
    void a_daemon_serves_before_it_tries_to_lead() throws Exception {
        CompletableFuture<RunningDaemon> start = CompletableFuture.supplyAsync(() -> {
            try {
                return daemon("a");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> start.isDone()
                        || etcd.ctl("get", "/muster/main/leader", "--print-value-only")
                                .contains("\"member\":\"a\""));
        try (FluxClient client = FluxClient.connect(
                "local://" + directory.resolve("a/s"), Options.DEFAULT.withAttempts(1, Duration.ZERO))) {
            ObjectNode request = JsonNodeFactory.instance.objectNode().put("name", "muster.role");
            assertThat(client.rpc("attr.get", request).path("value").asText()).isIn("standby", "leader");
        } finally {
            start.get().close();
        }
    }

    @Test
    void a_command_at_a_standby_makes_its_change_at_the_leader() throws Exception {
        try (RunningDaemon leader = daemon("a");
                RunningDaemon standby = daemon("b")) {
            Result result = muster(standby.uri(), "drain", "node2", "bad", "fan");
            assertThat(result).isEqualTo(new Result(Exit.OK, "", ""));
            assertThat(drained(leader)).contains("bad fan");
            assertThat(muster(standby.uri(), "status").err())
                    .matches("muster status: this daemon is a standby of " + leader.uri()
                            + ": \\d+ events? behind, as of \\d+\\.\\d+ s ago\n");
            assertThat(muster(leader.uri(), "status").err()).isEmpty();
        }
    }

    @Test
    void a_dry_run_at_a_standby_shows_the_updates_for_the_schedulers_of_the_leader() throws Exception {
        try (RunningDaemon leader = daemon("a");
                RunningDaemon standby = daemon("b");
                FluxClient scheduler = FluxClient.connect(leader.uri(), Options.DEFAULT)) {
            ResponseStream stream = scheduler.stream("resource.acquire", null);
            assertThat(stream.next()).isNotNull();
            Result result = muster(standby.uri(), "drain", "--dry-run", "node2", "bad", "fan");
            assertThat(result.out()).contains("would drain node2", "{\"down\":\"2\"}");
            assertThat(drained(leader)).doesNotContain("bad fan");
        }
    }

    @Test
    void a_linearizable_query_at_a_standby_shows_every_change_that_was_answered() throws Exception {
        try (RunningDaemon leader = daemon("a");
                RunningDaemon standby = daemon("b")) {
            for (int i = 0; i < 20; i++) {
                drain(leader, Integer.toString(i % 4));
                Result result = muster(standby.uri(), "status", "--linearizable", "--json");
                assertThat(result.err()).isEmpty();
                assertThat(result.out()).contains("\"seq\":" + seq(leader));
                muster(leader.uri(), "undrain", Integer.toString(i % 4));
            }
            assertThat(muster(leader.uri(), "why", "node2", "--linearizable").exit())
                    .isEqualTo(Exit.OK);
            etcd.killAll();
            assertThat(muster(leader.uri(), "status", "--linearizable", "--timeout=2")
                            .exit())
                    .isEqualTo(Exit.UNREACHABLE);
            assertThat(muster(leader.uri(), "status").exit()).isEqualTo(Exit.OK);
        }
    }

    private static String seq(RunningDaemon daemon) throws IOException {
        try (FluxClient client = FluxClient.connect(daemon.uri(), Options.DEFAULT)) {
            ObjectNode request = JsonNodeFactory.instance.objectNode().put("name", "muster.seq");
            return client.rpc("attr.get", request).path("value").asText();
        }
    }

    @Test
    void a_command_tries_a_list_of_daemons_and_waits_for_the_next_leader() throws Exception {
        RunningDaemon leader = daemon("a");
        try (RunningDaemon standby = daemon("b")) {
            String list = "local://" + directory.resolve("nobody") + "," + standby.uri();
            leader.close();
            assertThat(muster(list, "drain", "node2", "bad", "fan")).isEqualTo(new Result(Exit.OK, "", ""));
            assertThat(drained(standby)).contains("bad fan");
        } finally {
            leader.close();
        }
    }

    @Test
    void a_scheduler_is_refused_by_a_standby_and_its_stream_ends_when_the_leader_stops() throws Exception {
        RunningDaemon leader = daemon("a");
        try (RunningDaemon standby = daemon("b");
                FluxClient elsewhere = FluxClient.connect(standby.uri(), Options.DEFAULT);
                FluxClient scheduler = FluxClient.connect(leader.uri(), Options.DEFAULT)) {
            ResponseStream refused = elsewhere.stream("resource.acquire", null);
            assertThatThrownBy(refused::next).hasMessageContaining("a (" + leader.uri() + ") leads");
            ResponseStream stream = scheduler.stream("resource.acquire", null);
            assertThat(stream.next()).isNotNull();
            leader.close();
            assertThatThrownBy(stream::next).hasMessageContaining("stopping");
            await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
                try (FluxClient again = FluxClient.connect(standby.uri(), Options.DEFAULT)) {
                    assertThat(again.stream("resource.acquire", null).next()).isNotNull();
                }
            });
        } finally {
            leader.close();
        }
    }

    @Test
    void a_leader_that_is_cut_off_from_etcd_ends_its_streams_and_the_next_leader_serves_them() throws Exception {
        try (Proxy proxy = new Proxy(etcd.endpoints().get(0));
                RunningDaemon old = daemon("a", "[\"" + proxy.uri() + "\"]");
                RunningDaemon next = daemon("b");
                FluxClient scheduler = FluxClient.connect(old.uri(), Options.DEFAULT)) {
            ResponseStream stream = scheduler.stream("resource.acquire", null);
            assertThat(stream.next()).isNotNull();
            proxy.cut();
            assertThatThrownBy(() -> stream.next())
                    .hasMessageContaining("etcd does not answer, so another daemon may lead");
            assertThat(muster(old.uri() + "," + next.uri(), "drain", "node1", "bad", "fan"))
                    .isEqualTo(new Result(Exit.OK, "", ""));
            await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> drain(next, "3"));
            assertThat(drained(old)).isEqualTo("{}");
            assertThat(muster(old.uri(), "status").err())
                    .contains("the daemon takes no changes: etcd does not answer, so another daemon may lead");
            assertThat(attribute(old, "muster.role"))
                    .isEqualTo("leader"); // this daemon cannot know about the next leader
            proxy.mend();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(drained(old)).isEqualTo(drained(next)));
            assertThat(attribute(old, "muster.role")).isEqualTo("standby");
            await().atMost(PATIENCE) // the leader is shown after its events
                    .untilAsserted(
                            () -> assertThat(attribute(old, "muster.leader")).isEqualTo(next.uri()));
            assertThat(old.metrics()).contains("muster_ledger_leads 0.0");
            assertThat(next.metrics()).contains("muster_ledger_leads 1.0");
        }
    }

    @Test
    void a_configuration_that_is_reloaded_while_etcd_does_not_answer_is_in_force_afterwards() throws Exception {
        try (RunningDaemon daemon = daemon("a");
                FluxClient scheduler = FluxClient.connect(daemon.uri(), Options.DEFAULT);
                ResponseStream acquired = scheduler.stream("resource.acquire", null)) {
            assertThat(acquired.next().path("up").asText()).isEqualTo("0-3");
            etcd.kill(0);
            assertThatThrownBy(acquired::next).hasMessageContaining("etcd does not answer");
            daemon.reconfigure("[resource]\nexclude = \"node3\"\n" + config("a", etcd.toml()));
            etcd.startMember(0);
            etcd.awaitMember(0);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(muster(daemon.uri(), "status", "-s", "exclude", "-no", "{nodelist}")
                                    .out())
                            .isEqualTo("node3\n"));
        }
    }

    @Test
    void a_command_repeats_its_change_at_the_next_leader_if_the_old_leader_did_not_make_it() throws Exception {
        try (Proxy proxy = new Proxy(etcd.endpoints().get(0));
                RunningDaemon old = daemon("a", "[\"" + proxy.uri() + "\"]\npatience = \"10m\"");
                RunningDaemon next = daemon("b")) {
            proxy.cut();
            CompletableFuture<Result> result =
                    CompletableFuture.supplyAsync(() -> muster(old.uri(), "drain", "node2", "bad", "fan"));
            await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> drain(next, "3"));
            proxy.mend();
            assertThat(result.get()).isEqualTo(new Result(Exit.OK, "", ""));
            assertThat(drained(next)).contains("bad fan");
        }
    }

    private static String attribute(RunningDaemon daemon, String name) throws IOException {
        try (FluxClient client = FluxClient.connect(daemon.uri(), Options.DEFAULT)) {
            return client.rpc("attr.get", JsonNodeFactory.instance.objectNode().put("name", name))
                    .path("value")
                    .asText();
        }
    }

    @Test
    void a_copy_of_a_ledger_on_etcd_is_refused_as_a_ledger_of_files() throws Exception {
        try (RunningDaemon leader = daemon("a")) {
            drain(leader, "1");
        }
        assertThatThrownBy(() -> RunningDaemon.start(directory.resolve("a"), ""))
                .hasMessageContaining("is the copy of a ledger on etcd");
    }

    @Test
    void import_moves_a_ledger_of_files_to_etcd_and_export_moves_it_back() throws Exception {
        Path own = Files.createDirectories(directory.resolve("a"));
        String resources = "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n";
        try (RunningDaemon files = RunningDaemon.start(own, resources)) {
            drain(files, "1");
        }
        try (RunningDaemon files = RunningDaemon.start(own, resources)) {
            drain(files, "2"); // written after the snapshot that the first daemon took when it stopped
        }
        Path config = Files.writeString(
                directory.resolve("etcd.toml"),
                "[muster]\nstate-dir = \"a/state\"\n[ledger]\nkind = \"etcd\"\nendpoints = "
                        + etcd.toml().replace("[", "[\"http://127.0.0.1:1\", ") // a member that has failed
                        + "\n");
        Result imported = new Shell().run("ledger", "import", "-c", config.toString());
        assertThat(imported.err()).isEmpty();
        assertThat(imported.out()).contains("etcd has " + own.resolve("state") + " up to seq");
        assertThat(new Shell().run("ledger", "import", "-c", config.toString()).err())
                .contains("has keys below");
        try (RunningDaemon leader = daemon("a");
                RunningDaemon standby = daemon("b")) {
            assertThat(drained(leader)).contains("test of 1", "test of 2");
            drain(leader, "3");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(drained(standby)).isEqualTo(drained(leader)));
            assertThat(new Shell()
                            .run("ledger", "verify", "-c", config.toString())
                            .out())
                    .startsWith("the ledger in etcd is sound: ");
            await().atMost(PATIENCE).untilAsserted(() -> {
                String status = new Shell()
                        .run("ledger", "status", "-c", config.toString())
                        .out();
                assertThat(status).contains("a (" + leader.uri() + ") leads, in term ", ", log from seq ");
                assertThat(status).containsPattern("(?m)^  a pid .*, reads format level 1, leads$");
                assertThat(status).containsPattern("(?m)^  b pid .*, reads format level 1$");
            });
            assertThat(new Shell()
                            .run("ledger", "status", "-c", config.toString(), "--json")
                            .out())
                    .contains("\"leader\":\"a\"")
                    .containsOnlyOnce("\"leads\":true")
                    .containsOnlyOnce("\"leads\":false");
            assertThat(new Shell()
                            .run("ledger", "step-down", "-c", config.toString())
                            .out())
                    .startsWith("a (" + leader.uri() + ") no longer leads");
            await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> drain(standby, "0"));
        }
        assertThat(new Shell()
                        .run("ledger", "export", "-c", config.toString(), "--force")
                        .out())
                .contains("is a ledger of files up to seq");
        try (RunningDaemon files = RunningDaemon.start(own, resources)) {
            assertThat(drained(files)).contains("test of 1", "test of 2", "test of 3");
        }
    }
}
