package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.Period;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.admin.HistoryAnswer;
import io.muster.protocol.admin.HistoryRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The history that a daemon returns after a restart, while it keeps only a few events for readers. */
@Timeout(600)
class HistoryTest {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private Coverage coverage = new Coverage(0, 0, false, "", Hostlist.EMPTY);

    private Map<Outage, List<String>> ask(DaemonProcess daemon, double since, String... hosts) throws IOException {
        Map<Outage, List<String>> intervals = new LinkedHashMap<>();
        ObjectNode request = new HistoryRequest(Set.of(hosts), new Period(since, Double.MAX_VALUE), false).toJson();
        try (FluxClient client = daemon.connect();
                ResponseStream stream = client.stream(HistoryRequest.TOPIC, request)) {
            while (stream.hasNext()) {
                HistoryAnswer part = HistoryAnswer.parse(stream.next());
                part.intervals().forEach(entry -> intervals.put(entry.getKey(), entry.getValue()));
                coverage = Objects.requireNonNullElse(part.coverage(), coverage);
            }
        }
        return intervals;
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
        Map<Outage, List<String>> before;
        try (DaemonProcess daemon = setup.start()) {
            drain(daemon, "node3", "bad dimm");
            for (int i = 4; i < 12; i++) {
                drain(daemon, "node" + i, "noise");
            }
            before = ask(daemon, 0, "node3");
            daemon.stop();
        }
        assertThat(before).hasSize(1);
        Outage drained = before.keySet().iterator().next();
        assertThat(drained.isOpen()).isTrue();
        assertThat(drained.reason()).isEqualTo("bad dimm");
        try (DaemonProcess daemon = setup.start()) {
            assertThat(ask(daemon, 0, "node3")).isEqualTo(before);
            assertThat(coverage.isComplete(1)).as("%s", coverage).isTrue();
            // A later period shows when the host was drained, although that was before the period.
            assertThat(ask(daemon, drained.from() + 0.001, "node3")).isEqualTo(before);
            assertThat(ask(daemon, 0)).hasSize(9);
            assertThat(ask(daemon, 0, "node3", "r999n00")).isEqualTo(before);
            assertThat(coverage.unknown()).hasToString("r999n00");
            daemon.stop();
        }
    }
}
