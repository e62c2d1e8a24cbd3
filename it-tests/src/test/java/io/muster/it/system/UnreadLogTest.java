package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Standard error is a full pipe, as with a stalled journald. The daemon must continue to work. */
@Timeout(900)
class UnreadLogTest {
    private static final Pattern DROPPED = Pattern.compile("(?m)^muster_log_lines_dropped_total ([0-9.E]+)$");
    private static final String GAP = " log lines were dropped here, because nobody read the log";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess start() {
        return DaemonProcess.Setup.in(
                        directory,
                        "metrics = \"127.0.0.1:0\"",
                        "log-level = \"debug\"",
                        DaemonProcess.Setup.nodes("node[0-3]"))
                .start()
                .expect("WARN muster: \\d+" + GAP);
    }

    /** Logs until all buffers are full and the daemon drops lines. */
    private static void fill(DaemonProcess daemon) throws IOException, InterruptedException {
        daemon.output().hold();
        ObjectNode line = JsonNodeFactory.instance.objectNode().put("text", "x".repeat(2000));
        try (FluxClient client = daemon.connect()) {
            while (dropped(daemon) == 0) {
                for (int i = 0; i < 500; i++) {
                    client.rpc("log.append", line);
                }
            }
        }
    }

    private static long dropped(DaemonProcess daemon) throws IOException, InterruptedException {
        String metrics = daemon.get("/metrics");
        Matcher counted = DROPPED.matcher(metrics);
        assertThat(counted.find()).as(metrics).isTrue();
        return (long) Double.parseDouble(counted.group(1));
    }

    @Test
    void anUnreadLogBlocksNothingAndReportsTheNumberOfDroppedLines() throws Exception {
        try (DaemonProcess daemon = start()) {
            fill(daemon);
            try (FluxClient client = daemon.connect()) {
                client.rpc("resource.drain", RecordingAdmin.drain(1, "while nobody reads"));
                assertThat(client.rpc("resource.status", null).toString()).contains("while nobody reads");
            }
            assertThat(daemon.get("/healthz")).contains("\"ok\":true");
            assertThat(daemon.get("/readyz")).contains("\"ok\":true");
            daemon.signal("HUP");
            long dropped = dropped(daemon);
            daemon.output().release();
            String gap = daemon.output().await(GAP);
            assertThat(gap).contains(" WARN muster: ");
            daemon.ask("resource.status");
            daemon.stop();
            assertThat(said(daemon)).isGreaterThanOrEqualTo(dropped);
        }
    }

    private static long said(DaemonProcess daemon) {
        Pattern count = Pattern.compile(" muster: (\\d+)" + GAP);
        return daemon.output().lines().stream()
                .map(count::matcher)
                .filter(Matcher::find)
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    @Test
    void aDaemonWithAnUnreadLogStopsInOrder() throws Exception {
        DaemonProcess daemon = start();
        fill(daemon);
        try (FluxClient client = daemon.connect()) {
            client.rpc("resource.drain", RecordingAdmin.drain(1, "before the end"));
        }
        daemon.signal("TERM");
        assertThat(daemon.awaitExit()).isEqualTo(DaemonProcess.TERMINATED);
        assertThat(daemon.stateDir().resolve("snapshot.json"))
                .as("the last snapshot")
                .content()
                .contains("before the end");
    }
}
