package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.daemon.RunningDaemon;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.protocol.testing.Pki;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The parts of {@code /v1/service} about the ledger and about certificates. */
@Timeout(300)
final class StandingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private RunningDaemon daemon(String name, EtcdCluster etcd) throws Exception {
        Path own = Files.createDirectories(directory.resolve(name));
        return RunningDaemon.start(
                own,
                ApiTest.RESOURCES + "[ledger]\nkind = \"etcd\"\nallow-old-etcd = true\nttl = \"20s\"\nendpoints = "
                        + etcd.toml() + "\nmember = \"" + name + "\"\nuris = [\"local:///run/" + name + "\"]\n");
    }

    private JsonNode service(String name) throws IOException {
        return new Http(directory.resolve(name).resolve("h")).get("/v1/service").json();
    }

    private JsonNode ledger(String name) throws IOException {
        return service(name).path("ledger");
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void theLedgerListsTheLeaderAndMembersAndIsAnsweredWithoutEtcd() throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(Files.createDirectory(directory.resolve("etcd")), 1)) {
            RunningDaemon first = daemon("a", etcd);
            try (RunningDaemon second = daemon("b", etcd)) {
                for (String name : new String[] {"a", "b"}) {
                    await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(ledger(name).path("members"))
                                    .extracting(member ->
                                            member.path("name").asText() + member.path("uris") + member.path("leads"))
                                    .containsExactly("a[\"local:///run/a\"]true", "b[\"local:///run/b\"]false"));
                    assertThat(ledger(name).path("leader").asText()).isEqualTo("a");
                    assertThat(ledger(name).path("leads").asBoolean()).isEqualTo(name.equals("a"));
                    assertThat(ledger(name).path("lag").asLong(-1)).isZero();
                }
                long term = ledger("a").path("term").asLong();
                assertThat(term).isPositive().isEqualTo(ledger("b").path("term").asLong());
                first.close();
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(ledger("b").path("members"))
                                .extracting(member -> member.path("name").asText() + member.path("leads"))
                                .containsExactly("btrue"));
                assertThat(ledger("b").path("leads").asBoolean()).isTrue();
                assertThat(ledger("b").path("term").asLong()).isGreaterThan(term);
                etcd.killAll();
                await().atMost(PATIENCE)
                        .untilAsserted(() ->
                                assertThat(ledger("b").path("age").asDouble()).isGreaterThan(2));
                assertThat(ledger("b").path("members")).hasSize(1);
                assertThat(second.uri()).isNotEmpty();
            } finally {
                first.close();
            }
        }
    }

    @Test
    @Needs("openssl")
    void certificatesAreListedInTheOrderOfTheirExpiry() throws Exception {
        Pki pki = Pki.in(directory.resolve("pki"));
        try (RunningDaemon daemon = RunningDaemon.start(
                directory, ApiTest.RESOURCES + pki.config("san = \"ops.example.org\"\nrights = [\"follow\"]"))) {
            JsonNode service =
                    new Http(directory.resolve("h")).get("/v1/service").json();
            assertThat(service.path("ledger").isNull()).as("a ledger of files").isTrue();
            JsonNode certificates = service.path("certificates");
            assertThat(certificates)
                    .extracting(each -> each.path("kind").asText())
                    .contains("server", "ca");
            Instant last = Instant.EPOCH;
            for (JsonNode each : certificates) {
                Instant end = Instant.parse(each.path("end").asText());
                assertThat(end).isAfterOrEqualTo(last).isAfter(Instant.now());
                last = end;
                boolean shown = each.path("kind").asText().equals("server");
                assertThat(each.path("address").asText()).matches(shown ? "tls .*" : "");
                assertThat(Path.of(each.path("file").asText())).exists();
            }
            assertThat(daemon.metrics()).contains("muster_certificate_expiry_timestamp_seconds{kind=\"server\"}");
        }
    }
}
