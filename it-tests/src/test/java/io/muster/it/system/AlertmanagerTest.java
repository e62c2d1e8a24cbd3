package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.HttpListener;
import io.muster.it.harness.Output;
import io.muster.testing.Needs;
import io.muster.testing.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Debian's Alertmanager, configured as {@code docs/alerts.md} shows. */
@Timeout(600)
@Needs("prometheus-alertmanager")
@Tag("once")
class AlertmanagerTest {
    private static final Path PAGE =
            Path.of("..", "docs", "alerts.md").toAbsolutePath().normalize();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private final int port = Ports.free();

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(2));
    }

    /** Returns the first block of the page in a language. */
    private static String block(String language) throws IOException {
        Matcher block = Pattern.compile("(?s)```" + language + "\n(.*?)```").matcher(Files.readString(PAGE));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    private Process alertmanager(HttpListener muster, Path token) throws IOException {
        String config = block("yaml")
                .replace("https://mgmt1:8443", muster.url())
                .replace("/etc/prometheus/muster.token", token.toString())
                .replaceAll("(?m)^ *(tls_config:|ca_file:.*)\n", "")
                .replace("group_interval: 1m", "group_interval: 1s");
        assertThat(config).contains(muster.url()).contains("group_interval: 1s").doesNotContain("tls");
        return new ProcessBuilder(
                        "prometheus-alertmanager",
                        "--config.file=" + Files.writeString(directory.resolve("alertmanager.yml"), config),
                        "--storage.path=" + directory.resolve("alerts"),
                        "--web.listen-address=127.0.0.1:" + port,
                        "--cluster.listen-address=")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("alertmanager.log").toFile())
                .start();
    }

    private HttpResponse<String> ask(String path, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private boolean isReady() throws InterruptedException {
        try {
            return ask("/-/ready", "").statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Sends an alert to the Alertmanager, as Prometheus does. */
    private void alert(String name, String host, Instant end) throws IOException, InterruptedException {
        String body = "[{\"labels\":{\"alertname\":\"" + name + "\",\"instance\":\"" + host
                + ":9100\",\"drain\":\"yes\"},\"annotations\":{\"summary\":\"on " + host + "\"},\"endsAt\":\"" + end
                + "\"}]";
        HttpResponse<String> response = ask("/api/v2/alerts", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private static String holds(DaemonProcess daemon) throws IOException {
        return daemon.ask("resource.state").toString();
    }

    private static String metrics(DaemonProcess daemon) throws IOException, InterruptedException {
        return daemon.get("/metrics");
    }

    @Test
    void alertsOfARealAlertmanagerHoldTheirHostsAndNoOthers() throws Exception {
        HttpListener listener = new HttpListener(Ports.free());
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                directory,
                "metrics = \"127.0.0.1:0\"",
                DaemonProcess.Setup.nodes("node[0-19]"),
                block("toml").replace("share = 0.05\n", "")
                        + "[[brake]]\nholder = \"alerts:*\"\nhosts = \"10%\"\nwindow = \"1h\"\n",
                listener.config());
        Process alertmanager = null;
        try (DaemonProcess daemon = setup.start()
                .expect(
                        HttpListener.NOT_YET,
                        "alerts of token:alertmanager were not carried out",
                        "the brake on alerts:")) {
            Path token = listener.token(daemon, "alertmanager", "alerts", "");
            alertmanager = alertmanager(listener, token);
            patiently().until(this::isReady);
            Instant later = Instant.now().plusSeconds(3600);

            alert("Fan", "node1", later);
            alert("Disk", "node1", later);
            patiently()
                    .until(() -> holds(daemon).contains("hardware: Fan: on node1")
                            && holds(daemon).contains("hardware: Disk: on node1"));
            assertThat(holds(daemon)).contains("token:alertmanager").contains("\"alerts:");

            alert("Fan", "node1", Instant.now());
            patiently().until(() -> !holds(daemon).contains("Fan: on node1"));
            assertThat(holds(daemon)).contains("Disk: on node1");

            alert("Fan", "node2", later);
            patiently().until(() -> holds(daemon).contains("Fan: on node2"));
            alert("Fan", "node3", later);
            patiently().until(() -> metrics(daemon).matches("(?s).*muster_alerts_total\\{result=\"brake\"} [1-9].*"));
            assertThat(holds(daemon)).doesNotContain("node3:");
            daemon.output().await("the brake on alerts:* permits 10% of the hosts (2) in 60m, 2 are used");

            alert("Disk", "node1", Instant.now());
            alert("Fan", "node2", Instant.now());
            patiently()
                    .until(() -> !holds(daemon).contains("on node1")
                            && !holds(daemon).contains("on node2"));
            // The Alertmanager keeps sending the alert that was refused.
            patiently().until(() -> holds(daemon).contains("Fan: on node3"));
        } finally {
            if (alertmanager != null) {
                alertmanager.destroy();
                assertThat(alertmanager.waitFor(Output.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            }
        }
    }
}
