package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class AdminSocketTest {
    private static final String ALERTS = "\n[alerts]\nholder = \"alerts\"\n";

    @TempDir
    private Path directory;

    @Test
    void withAnAdminSocketTheHttpSocketRefusesChanges() throws Exception {
        try (RunningDaemon daemon =
                RunningDaemon.start(directory, "admin-socket = \"a\"\n" + ApiTest.RESOURCES + ALERTS)) {
            Http http = new Http(directory.resolve("h"));
            Http.Reply refused = http.post("/v1/holds", "{\"targets\":\"node1\",\"reason\":\"x\"}");
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.detail()).contains("only the admin socket takes changes");
            Http.Reply alert = http.post("/v1/alerts", "{\"version\":\"4\",\"truncatedAlerts\":0,\"alerts\":[]}");
            assertThat(alert.status()).isEqualTo(403);
            assertThat(alert.detail()).contains("only the admin socket takes changes");
            assertThat(http.get("/v1/status").status()).isEqualTo(200);
            assertThat(daemon.metrics()).contains("muster_connections{socket=\"admin\"} 0.0");
        }
    }
}
