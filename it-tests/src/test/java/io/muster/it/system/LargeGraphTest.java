package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** An R with a graph for Fluxion, in a heap that is too small for a JSON tree of the graph. */
@Timeout(600)
class LargeGraphTest {
    /** The warning of a daemon whose last snapshot, of tens of megabytes, takes longer than ten seconds. */
    private static final String SLOW_DISK = "the last snapshot could not be written";

    private static final int CORES = 96;
    private static final int HOSTS = 800;

    /** Less than nine times the text of R, with room for what happens at the same time; a tree of its nodes takes more than ten times. */
    private static final String HEAP = "-Xmx170m";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private static void write(Path file, String unit) throws IOException {
        StringBuilder edges = new StringBuilder();
        try (Writer out = Files.newBufferedWriter(file)) {
            out.write("{\"version\": 1, \"execution\": {\"R_lite\": [{\"rank\": \"0-" + (HOSTS - 1)
                    + "\", \"children\": {\"core\": \"0-" + (CORES - 1) + "\"}}], \"nodelist\": [\"n[0-" + (HOSTS - 1)
                    + "]\"]}, \"scheduling\": {\"graph\": {\"nodes\": ["
                    + vertex(0, "cluster", 0, -1, "/cluster0", unit));
            int id = 1;
            for (int rank = 0; rank < HOSTS; rank++) {
                int host = id;
                String path = "/cluster0/n" + rank;
                out.write(
                        ", " + vertex(id, "node", rank, rank, path, unit).replace("\"name\": \"node", "\"name\": \"n"));
                edge(edges, 0, id++);
                for (int core = 0; core < CORES; core++) {
                    out.write(", " + vertex(id, "core", core, rank, path + "/core" + core, unit));
                    edge(edges, host, id++);
                }
            }
            out.write("], \"edges\": [" + edges.substring(2) + "]}}}");
        }
    }

    private static String vertex(int id, String type, int index, int rank, String path, String unit) {
        return "{\"id\": \"" + id + "\", \"metadata\": {\"type\": \"" + type + "\", \"basename\": \"" + type
                + "\", \"name\": \"" + type + index + "\", \"id\": " + index + ", \"uniq_id\": " + id + ", \"rank\": "
                + rank
                + ", \"exclusive\": false, \"unit\": \"" + unit + "\", \"size\": 1, \"paths\": {\"containment\": \""
                + path
                + "\"}}}";
    }

    private static void edge(StringBuilder edges, int source, int target) {
        edges.append(", {\"source\": \"")
                .append(source)
                .append("\", \"target\": \"")
                .append(target)
                .append("\"}");
    }

    private static void acquires(DaemonProcess daemon, String up) throws IOException {
        try (FluxClient client = daemon.connect();
                ResponseStream stream = client.stream("resource.acquire", null)) {
            ObjectNode first = stream.next();
            assertThat(first.path("up").asText()).isEqualTo(up);
            assertThat(first.at("/resources/scheduling/graph/nodes")).hasSize(1 + HOSTS * (1 + CORES));
        }
    }

    @Test
    void aLargeGraphIsLoadedServedStoredAndReloadedInASmallHeap() throws Exception {
        Path r = directory.resolve("R.json");
        write(r, "");
        assertThat(Files.size(r)).isGreaterThan(20_000_000);
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(directory, "[resource]", "path = \"" + r + "\"")
                .jvm("-XX:+UseSerialGC", "-Xms16m", HEAP);
        try (DaemonProcess daemon = setup.start().expect(SLOW_DISK)) {
            acquires(daemon, "0-" + (HOSTS - 1));
            assertThat(daemon.ask("resource.get").at("/R/scheduling/graph/edges"))
                    .hasSize(HOSTS * (1 + CORES));
            daemon.signal("HUP", "configuration reloaded");
            try (FluxClient client = daemon.connect()) {
                client.rpc(
                        "resource.drain", JsonNodeFactory.instance.objectNode().put("targets", "0"));
            }
            daemon.stop();
        }
        try (DaemonProcess daemon = setup.start()) {
            acquires(daemon, "1-" + (HOSTS - 1));
            write(r, "x");
            daemon.signal("HUP", "configuration reloaded");
            daemon.kill();
        }
        try (DaemonProcess daemon = setup.start().expect(SLOW_DISK)) {
            assertThat(daemon.ask("resource.get")
                            .at("/R/scheduling/graph/nodes/7/metadata/unit")
                            .asText())
                    .isEqualTo("x");
            acquires(daemon, "1-" + (HOSTS - 1));
        }
    }
}
