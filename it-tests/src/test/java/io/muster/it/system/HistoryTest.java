package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The history that a daemon returns after a restart, while it keeps only a few events for readers. */
@Timeout(600)
class HistoryTest {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private static JsonNode ask(DaemonProcess daemon, double since, String targets) throws IOException {
        ObjectNode question = JsonNodeFactory.instance.objectNode().put("since", since);
        try (FluxClient client = daemon.connect()) {
            return client.rpc("resource.history", targets.isEmpty() ? question : question.put("targets", targets));
        }
    }

    private static void drain(DaemonProcess daemon, String hosts, String reason) throws IOException {
        try (FluxClient client = daemon.connect()) {
            ObjectNode request =
                    JsonNodeFactory.instance.objectNode().put("targets", hosts).put("reason", reason);
            client.rpc("resource.drain", request);
        }
    }

    @Test
    void historyShowsADrainThatLastsAfterARestartEvenIfItsEventIsForgotten() throws Exception {
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                directory, DaemonProcess.Setup.nodes("node[0-15]"), "[resource]", "journal-max = 5");
        JsonNode before;
        try (DaemonProcess daemon = setup.start()) {
            drain(daemon, "node3", "bad dimm");
            for (int i = 4; i < 12; i++) {
                drain(daemon, "node" + i, "noise");
            }
            before = ask(daemon, 0, "node3");
            daemon.stop();
        }
        assertThat(before.path("intervals")).hasSize(1);
        JsonNode drained = before.at("/intervals/0");
        assertThat(drained.path("to").isNull()).isTrue();
        assertThat(drained.path("reason").asText()).isEqualTo("bad dimm");
        try (DaemonProcess daemon = setup.start()) {
            assertThat(ask(daemon, 0, "node3")).isEqualTo(before);
            // A later period shows when the host was drained, although that was before the period.
            double later = Instant.parse(drained.path("from").asText()).toEpochMilli() / 1000.0 + 0.001;
            assertThat(ask(daemon, later, "node3")).isEqualTo(before);
            assertThat(ask(daemon, 0, "").path("intervals")).hasSize(9);
            assertThatThrownBy(() -> ask(daemon, 0, "node3,r999n00"))
                    .hasMessageContaining("neither R nor any event that is known names r999n00");
            daemon.stop();
        }
    }
}
