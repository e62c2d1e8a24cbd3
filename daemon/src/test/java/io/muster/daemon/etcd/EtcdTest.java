package io.muster.daemon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.etcd.Etcd.Compare;
import io.muster.daemon.etcd.Etcd.Op;
import io.muster.daemon.etcd.EtcdException.Fate;
import io.muster.testing.Needs;
import io.muster.testing.Ports;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EtcdTest {
    private static final int TIMEOUT = 10_000;
    private static final EtcdTls NO_TLS = new EtcdTls(null, null, null);

    @TempDir
    Path directory;

    private static EtcdGateway client(EtcdCluster cluster) {
        return new EtcdGateway(cluster.access(), 0);
    }

    private static Etcd.Result put(Etcd etcd, String key, String value) throws EtcdException {
        return etcd.transact(List.of(), List.of(new Op.Put(key, value)), List.of(), TIMEOUT);
    }

    private static void assertFate(Fate fate, String sentence, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        EtcdException.class, e -> assertThat(e.fate()).isEqualTo(fate))
                .hasMessageContaining(sentence);
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void a_transaction_is_carried_out_only_if_its_conditions_hold() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.quick(directory, 1);
                EtcdGateway etcd = client(cluster)) {
            List<Op> write = List.of(new Op.Put("/a", "1"), new Op.Put("/b", "\u00e9\u0000"));
            Etcd.Result first = etcd.transact(List.of(new Compare("/a", 0)), write, List.of(), TIMEOUT);
            assertThat(first.succeeded()).isTrue();
            Etcd.Result second =
                    etcd.transact(List.of(new Compare("/a", 0)), write, List.of(Op.Get.one("/b")), TIMEOUT);
            assertThat(second.succeeded()).isFalse();
            Etcd.Entry found = second.found().get(0).get(0);
            assertThat(found.text()).isEqualTo("\u00e9\u0000");
            assertThat(found.modRevision()).isEqualTo(first.revision());
            assertThat(etcd.transact(List.of(new Compare("/b", first.revision())), write, List.of(), TIMEOUT)
                            .succeeded())
                    .isTrue();
        }
    }

    /**
     * Returns a client that has gone from a follower to the leader of etcd. A client looks again only a minute after a look that failed, so
     * each attempt has its own client.
     */
    private static EtcdGateway nearLeader(EtcdCluster cluster) {
        return await().atMost(Duration.ofMinutes(1))
                .until(() -> lookForLeader(cluster), Optional::isPresent)
                .orElseThrow();
    }

    private static Optional<EtcdGateway> lookForLeader(EtcdCluster cluster) {
        int leader = cluster.leader();
        EtcdGateway etcd = new EtcdGateway(cluster.access(), leader + 1);
        assertThat(etcd.endpoint()).isEqualTo(cluster.endpoints().get((leader + 1) % 3));
        etcd.nearLeader();
        if (etcd.endpoint().equals(cluster.endpoints().get(leader))) {
            return Optional.of(etcd);
        }
        etcd.close();
        return Optional.empty();
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void calls_go_to_the_member_that_leads_etcd_and_stay_where_they_are_if_no_endpoint_names_it() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.quick(directory, 3);
                EtcdGateway etcd = nearLeader(cluster)) {
            int leader = cluster.endpoints().indexOf(etcd.endpoint());
            URI follower = cluster.endpoints().get((leader + 1) % 3);
            try (EtcdGateway stays = new EtcdGateway(new EtcdAccess(List.of(follower), NO_TLS, "", null), 0)) {
                assertThat(put(etcd, "/a", "1").succeeded()).isTrue();
                cluster.kill(leader);
                assertFate(Fate.UNKNOWN, "", () -> put(etcd, "/a", "2"));
                etcd.nearLeader();
                assertThat(etcd.endpoint()).as("after a failure, for a minute").isEqualTo(follower);
                stays.nearLeader();
                assertThat(stays.endpoint()).isEqualTo(follower);
            }
        }
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void calls_do_not_go_to_a_leader_of_etcd_that_does_not_answer() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.quick(directory, 3)) {
            int leader = cluster.leader();
            try (EtcdGateway etcd = new EtcdGateway(cluster.access(), leader + 1)) {
                put(etcd, "/a", "1");
                cluster.pause(leader);
                etcd.nearLeader();
                assertThat(etcd.endpoint()).isNotEqualTo(cluster.endpoints().get(leader));
                cluster.resume(leader);
            }
        }
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void a_range_respects_its_limit_its_order_and_whether_values_are_requested() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.quick(directory, 1);
                EtcdGateway etcd = client(cluster)) {
            for (String key : new String[] {"/x/1", "/x/2", "/x/3", "/y"}) {
                put(etcd, key, "value of " + key);
            }
            Etcd.Result result = etcd.read(
                    List.of(
                            Op.Get.range("/x/", "/x0", 2),
                            new Op.Get("/x/", "/x0", 1, true, false),
                            new Op.Get("/x/", "/x0", 9, false, true),
                            Op.Get.one("/none")),
                    TIMEOUT);
            assertThat(result.found().get(0)).extracting(Etcd.Entry::key).containsExactly("/x/1", "/x/2");
            assertThat(result.found().get(1)).extracting(Etcd.Entry::text).containsExactly("value of /x/3");
            assertThat(result.found().get(2)).extracting(Etcd.Entry::text).containsExactly("", "", "");
            assertThat(result.one(3)).isNull();
            etcd.transact(List.of(), List.of(new Op.Delete("/x/", "/x/3")), List.of(), TIMEOUT);
            assertThat(cluster.keys("/")).containsExactly("/x/3", "/y");
        }
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void a_key_is_deleted_with_its_lease() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.quick(directory, 1);
                EtcdGateway etcd = client(cluster)) {
            long lease = etcd.grant(60, TIMEOUT);
            etcd.transact(List.of(), List.of(new Op.Put("/a", new byte[] {1}, lease)), List.of(), TIMEOUT);
            assertThat(etcd.keepAlive(lease, TIMEOUT)).isEqualTo(60);
            assertThat(etcd.read(List.of(Op.Get.one("/a")), TIMEOUT)
                            .found()
                            .get(0)
                            .get(0)
                            .lease())
                    .isEqualTo(lease);
            etcd.revoke(lease, TIMEOUT);
            assertThat(etcd.read(List.of(Op.Get.one("/a")), TIMEOUT).one(0)).isNull();
            assertThat(etcd.keepAlive(lease, TIMEOUT)).isZero();
            assertFate(
                    Fate.REFUSED,
                    "requested lease not found",
                    () -> etcd.transact(
                            List.of(), List.of(new Op.Put("/a", new byte[] {1}, lease)), List.of(), TIMEOUT));
        }
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void requests_beyond_the_limits_of_etcd_are_refused() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.quick(directory, 1);
                EtcdGateway etcd = client(cluster)) {
            byte[] tooLong = new byte[(3 << 19) + 1];
            assertFate(
                    Fate.REFUSED,
                    "larger than max",
                    () -> etcd.transact(
                            List.of(), List.of(new Op.Put("/a", new byte[3 << 20], 0)), List.of(), TIMEOUT));
            assertFate(
                    Fate.REFUSED,
                    "request is too large",
                    () -> etcd.transact(List.of(), List.of(new Op.Put("/a", tooLong, 0)), List.of(), TIMEOUT));
            List<Op> many = new ArrayList<>(Collections.nCopies(129, Op.Get.one("/a")));
            assertFate(Fate.REFUSED, "too many operations", () -> etcd.read(many, TIMEOUT));
            byte[] piece = new byte[Pack.PIECE];
            new Random(1).nextBytes(piece);
            assertThat(etcd.transact(List.of(), List.of(new Op.Put("/a", piece, 0)), List.of(), TIMEOUT)
                            .succeeded())
                    .isTrue();
            assertThat(etcd.read(List.of(Op.Get.one("/a")), TIMEOUT)
                            .found()
                            .get(0)
                            .get(0)
                            .value())
                    .isEqualTo(piece);
        }
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void a_call_with_a_refused_connection_was_not_sent_and_the_next_call_uses_the_next_member() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.quick(directory, 1)) {
            URI dead = URI.create("http://127.0.0.1:" + Ports.free());
            EtcdAccess access = new EtcdAccess(List.of(dead, cluster.endpoints().get(0)), NO_TLS, "", null);
            try (EtcdGateway etcd = new EtcdGateway(access, 0)) {
                assertFate(Fate.NOT_SENT, dead + ": Connection refused", () -> put(etcd, "/a", "1"));
                assertThat(put(etcd, "/a", "1").succeeded()).isTrue();
            }
        }
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void a_call_to_a_member_that_is_stopped_has_an_unknown_outcome() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.quick(directory, 1);
                EtcdGateway etcd = client(cluster)) {
            put(etcd, "/a", "1");
            cluster.pause(0);
            assertFate(
                    Fate.UNKNOWN,
                    cluster.endpoints().get(0).toString(),
                    () -> etcd.transact(List.of(), List.of(new Op.Put("/b", "2")), List.of(), 300));
            cluster.resume(0);
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptions()
                    .until(() -> put(etcd, "/a", "3").succeeded());
            assertThat(cluster.ctl("get", "/a", "--print-value-only")).startsWith("3");
        }
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void a_full_database_is_distinguished_from_a_refusal() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.quick(directory, 1, "--quota-backend-bytes=2000000");
                EtcdGateway etcd = client(cluster)) {
            Op put = new Op.Put("/a", new byte[Pack.PIECE], 0);
            assertFate(Fate.NO_SPACE, "space exceeded", () -> {
                for (int i = 0; i < 10; i++) {
                    etcd.transact(List.of(), List.of(put), List.of(), TIMEOUT);
                }
            });
            assertThat(etcd.transact(List.of(), List.of(new Op.Delete("/a", "")), List.of(), TIMEOUT)
                            .succeeded())
                    .isTrue();
        }
    }

    private Path passwordFile() throws IOException {
        Path file = Files.writeString(directory.resolve("password"), "one\n", StandardCharsets.UTF_8);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void a_user_logs_in_again_when_the_password_has_changed() throws Exception {
        Path password = passwordFile();
        try (EtcdCluster cluster = withUsers(1)) {
            EtcdAccess access = new EtcdAccess(cluster.endpoints(), NO_TLS, "muster", password);
            try (EtcdGateway etcd = new EtcdGateway(access, 0)) {
                assertThat(put(etcd, "/muster/a", "1").succeeded()).isTrue();
                assertFate(Fate.REFUSED, "permission denied", () -> put(etcd, "/other", "1"));
                Process change = new ProcessBuilder(
                                "sh",
                                "-c",
                                "echo two | etcdctl --user=root:top user passwd muster --interactive=false --endpoints="
                                        + cluster.endpoints().get(0))
                        .start();
                assertThat(change.waitFor()).isZero();
                Files.writeString(password, "two\n");
                assertThat(put(etcd, "/muster/a", "2").succeeded()).isTrue();
            }
            Files.writeString(password, "wrong\n");
            EtcdAccess again = new EtcdAccess(cluster.endpoints(), NO_TLS, "muster", password);
            try (EtcdGateway etcd = new EtcdGateway(again, 0)) {
                assertFate(
                        Fate.NOT_SENT,
                        "etcd refuses the login of muster: "
                                + cluster.endpoints().get(0) + ": etcdserver: authentication failed",
                        () -> put(etcd, "/muster/a", "3"));
            }
        }
    }

    private EtcdCluster withUsers(int size) throws Exception {
        EtcdCluster cluster = EtcdCluster.quick(Files.createDirectory(directory.resolve("etcd")), size);
        cluster.enableUsers();
        return cluster;
    }

    /** The login takes longer than any call may take, as on a host that computes the hash of the password slowly. */
    @Test
    @Needs({"etcd", "etcdctl"})
    void all_clients_of_a_daemon_log_in_once_at_whatever_member_and_a_slow_login_is_waited_for() throws Exception {
        Path password = passwordFile();
        try (EtcdCluster cluster = withUsers(3);
                Proxy one = new Proxy(cluster.endpoints().get(0));
                Proxy two = new Proxy(cluster.endpoints().get(1));
                Proxy three = new Proxy(cluster.endpoints().get(2))) {
            List<Proxy> proxies = List.of(one, two, three);
            proxies.forEach(proxy -> proxy.delayLogins(Duration.ofSeconds(1)));
            Login login = new Login("muster", password, 750);
            EtcdAccess access = new EtcdAccess(proxies.stream().map(Proxy::uri).toList(), NO_TLS, login);
            List<CompletableFuture<Boolean>> puts = new ArrayList<>();
            for (int first = 0; first < 3; first++) {
                EtcdGateway etcd = new EtcdGateway(access, first);
                String key = "/muster/" + first;
                puts.add(CompletableFuture.supplyAsync(() -> {
                    await().atMost(Duration.ofMinutes(3))
                            .ignoreExceptions()
                            .until(() -> etcd.transact(List.of(), List.of(new Op.Put(key, "1")), List.of(), 3000)
                                    .succeeded());
                    etcd.close();
                    return true;
                }));
            }
            puts.forEach(CompletableFuture::join);
            // One login that the first patience was too short for, one that was waited for, and more on a slow machine.
            assertThat(proxies.stream().mapToInt(Proxy::logins).sum()).isBetween(2, 5);
        }
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void a_login_that_etcd_does_not_answer_is_not_called_a_refusal() throws Exception {
        Path password = passwordFile();
        try (EtcdCluster cluster = withUsers(1);
                Proxy proxy = new Proxy(cluster.endpoints().get(0));
                EtcdGateway etcd =
                        new EtcdGateway(new EtcdAccess(List.of(proxy.uri()), NO_TLS, "muster", password), 0)) {
            proxy.cut();
            assertFate(
                    Fate.NOT_SENT,
                    "etcd did not answer the login of muster: " + proxy.uri() + ": ",
                    () -> put(etcd, "/muster/a", "1"));
            proxy.mend();
            assertThat(put(etcd, "/muster/a", "1").succeeded()).isTrue();
        }
    }

    @Test
    void an_endpoint_that_is_not_etcd_results_in_a_sentence() throws Exception {
        try (ServerSocket strange = new ServerSocket(0)) {
            Thread answering = new Thread(() -> {
                try (var socket = strange.accept()) {
                    socket.getOutputStream().write("220 mail ready\r\n".getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    // the assertion of the test fails in this case
                }
            });
            answering.start();
            EtcdAccess access =
                    new EtcdAccess(List.of(URI.create("http://127.0.0.1:" + strange.getLocalPort())), NO_TLS, "", null);
            try (EtcdGateway etcd = new EtcdGateway(access, 0)) {
                assertFate(Fate.UNKNOWN, "is this etcd's client URL?", () -> put(etcd, "/a", "1"));
            }
            answering.join();
        }
    }

    private void openssl(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Creates a certificate of 127.0.0.1 in NAME.pem, with the key NAME.key, signed by a new CA in CA.pem. */
    private void certificate(String ca, String name, String kind) throws Exception {
        Files.writeString(directory.resolve("ext"), "subjectAltName=IP:127.0.0.1\n");
        openssl(
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-keyout",
                ca + ".key",
                "-out",
                ca + ".pem",
                "-subj",
                "/CN=" + ca);
        List<String> key = kind.equals("rsa")
                ? List.of("genpkey", "-algorithm", "RSA", "-out", name + ".key")
                : List.of("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name + ".key");
        openssl(key.toArray(new String[0]));
        openssl("req", "-new", "-key", name + ".key", "-subj", "/CN=" + name, "-out", name + ".csr");
        openssl(
                "x509",
                "-req",
                "-in",
                name + ".csr",
                "-CA",
                ca + ".pem",
                "-CAkey",
                ca + ".key",
                "-CAcreateserial",
                "-extfile",
                "ext",
                "-out",
                name + ".pem");
    }

    @Test
    @Needs({"etcd", "etcdctl", "openssl"})
    void both_sides_verify_certificates_and_the_files_are_read_for_each_connection() throws Exception {
        certificate("servers", "server", "rsa");
        certificate("clients", "client", "ec");
        certificate("strangers", "stranger", "rsa");
        // The gateway of etcd presents the certificate of the server to the server itself, so the server must trust
        // both CAs.
        Files.writeString(
                directory.resolve("trusted.pem"),
                Files.readString(directory.resolve("clients.pem"))
                        + Files.readString(directory.resolve("servers.pem")));
        URI uri = URI.create("https://127.0.0.1:" + Ports.free());
        Process server = new ProcessBuilder(
                        "etcd",
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=" + uri,
                        "--advertise-client-urls=" + uri,
                        "--listen-peer-urls=http://127.0.0.1:0",
                        "--cert-file=" + directory.resolve("server.pem"),
                        "--key-file=" + directory.resolve("server.key"),
                        "--client-cert-auth",
                        "--trusted-ca-file=" + directory.resolve("trusted.pem"))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        Path shown = Files.copy(directory.resolve("client.pem"), directory.resolve("shown.pem"));
        Path key = Files.copy(directory.resolve("client.key"), directory.resolve("shown.key"));
        EtcdTls tls = new EtcdTls(directory.resolve("servers.pem"), shown, key);
        EtcdTls wrong = new EtcdTls(directory.resolve("strangers.pem"), shown, key);
        EtcdAccess access = new EtcdAccess(List.of(uri), tls, "", null);
        try (EtcdGateway etcd = new EtcdGateway(access, 0);
                Etcd again = new EtcdGateway(access, 0);
                Etcd mistrusting = new EtcdGateway(new EtcdAccess(List.of(uri), wrong, "", null), 0)) {
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptions()
                    .until(() -> put(etcd, "/a", "1").succeeded());
            // A TLS handshake may take half a second only.
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertFate(
                            Fate.NOT_SENT,
                            "unable to find valid certification path",
                            () -> put(mistrusting, "/a", "1")));
            Files.copy(directory.resolve("stranger.pem"), shown, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(directory.resolve("stranger.key"), key, StandardCopyOption.REPLACE_EXISTING);
            assertThat(put(etcd, "/a", "2").succeeded()).isTrue(); // this connection is already open
            assertThatThrownBy(() -> put(again, "/a", "3")).isInstanceOf(EtcdException.class);
            Files.copy(directory.resolve("client.pem"), shown, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(directory.resolve("client.key"), key, StandardCopyOption.REPLACE_EXISTING);
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptions()
                    .until(() -> put(again, "/a", "4").succeeded());
        } finally {
            server.destroyForcibly().waitFor();
        }
    }
}
