package io.muster.it.system;

import static io.muster.it.Wire.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Jars;
import io.muster.it.harness.Output;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** {@code muster top} in a real terminal of tmux. */
@Timeout(600)
@Needs("tmux")
@Tag("once")
class TopTest {
    private static final String HOLDS = "[holds]\nchecks = [\"nhc\"]\nactions = [\"reseat\"]\n";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess.Setup setup;
    private DaemonProcess daemon;

    @BeforeEach
    void start() throws IOException {
        setup = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-15]"), HOLDS);
        daemon = setup.start();
        String jars = Jars.classPath();
        Path script = Files.writeString(
                directory.resolve("run"),
                "trap : INT\necho before\nenv LANG=C.UTF-8 " + Tool.jdk("java") + " -cp " + jars
                        + " io.muster.cli.Muster top --uri=local://" + directory.resolve("nobody")
                        + ",local://" + daemon.socket()
                        + "\necho ended $?\nstty -a | grep -o '.\\?icanon'\nstty -a | grep -o '.\\?echo '\nread wait\n");
        tmux("new-session", "-d", "-x", "100", "-y", "20", "sh " + script);
        awaitScreen("16 hosts: 16 available");
    }

    @AfterEach
    void stop() {
        tmux("kill-server");
        daemon.close();
    }

    private String tmux(String... words) {
        List<String> command =
                new ArrayList<>(List.of("tmux", "-S", directory.resolve("tmux").toString(), "-f", "/dev/null"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().remove("TMUX");
        return Tool.run(builder);
    }

    private String screen() {
        return tmux("capture-pane", "-p");
    }

    private void awaitScreen(String... texts) {
        await().atMost(Output.PATIENCE).untilAsserted(() -> assertThat(screen()).contains(texts));
    }

    private void press(String... keys) {
        for (String key : keys) {
            tmux("send-keys", key);
        }
    }

    private void drain(String targets, String reason) throws IOException {
        try (FluxClient client = daemon.connect()) {
            var unused = client.rpc(
                    "resource.drain",
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("targets", targets)
                            .put("reason", reason));
        }
    }

    @Test
    void changesAppearAndRowsCanBeFilteredAndOpened() throws IOException {
        awaitScreen("No host is out.", "q end");
        drain("node[3-4]", "bad dimm");
        awaitScreen("14 available, 2 drained", "bad dimm", "node[3-4]");
        drain("node9", "fan 3");
        awaitScreen("fan", "node9");
        press("/", "d", "i", "m");
        awaitScreen("filter: dim_");
        await().atMost(Output.PATIENCE)
                .untilAsserted(() -> assertThat(screen()).contains("node[3-4]").doesNotContain("node9"));
        press("Enter", "Enter");
        awaitScreen("node3 (rank 3): drained", "hold", "bad dimm");
        press("Escape", "h", "n", "o", "d", "e", "9", "Enter");
        awaitScreen("node9 (rank 9)");
        press("q");
        awaitScreen("before", "ended 0", " icanon", " echo");
        assertThat(screen()).doesNotContain("hosts:").doesNotContain("-icanon");
    }

    @Test
    void theSecondLineShowsPlannedHoldsChecksAndHowFarTheWorkIs() throws IOException {
        tmux("resize-window", "-x", "200", "-y", "20");
        daemon = daemon.expect("does not report any more");
        try (FluxClient client = daemon.connect();
                FluxClient reporter = daemon.connect()) {
            ask(client, "resource.drain", "{'targets':'node1','reason':'cooling','from':" + inTenDays() + "}");
            awaitScreen("node1 will be drained in 9d: cooling (admin)");
            ask(client, "resource.drain", "{'targets':'node[2-4]','reason':'dimm','check':'nhc'}");
            ask(client, "resource.check-result", "{'host':'node2','check':'nhc','attempt':1,'result':'failed'}");
            awaitScreen("cooling (admin); 3 hosts wait for the check nhc: 1 failed");
            ask(client, "resource.drain", "{'targets':'node[5-6]','action':'reseat','check':'nhc','holder':'fans'}");
            awaitScreen("2 hosts wait for reseat: busy; 3 hosts wait for the check nhc");
            ResponseStream stream =
                    reporter.stream("resource.report", json("{'reporter':'b','ranks':'0-15','online':'0-15'}"));
            assertThat(stream.next().path("ranks").asText()).isEqualTo("0-15");
            await().atMost(Output.PATIENCE).ignoreException(RpcException.class).untilAsserted(() -> {
                ask(reporter, "resource.usage", "{'allocated':'6'}");
                assertThat(screen()).contains("2 hosts wait for reseat: 1 busy, 1 offered;");
            });
            ask(client, "resource.work-claim", "{'host':'node5','attempt':2,'lease':7200}");
            String by = " claimed by " + System.getProperty("user.name") + " (ends in ";
            awaitScreen("2 hosts wait for reseat: 1 busy, 1" + by);
            ask(client, "resource.work-result", "{'host':'node5','attempt':2,'result':'done'}");
            awaitScreen("1 host waits for reseat: busy; 4 hosts wait for the check nhc: 1 failed");
        }
    }

    private static double inTenDays() {
        return System.currentTimeMillis() / 1000 + 10 * 86_400;
    }

    private static void ask(FluxClient client, String topic, String request) throws IOException {
        var unused = client.rpc(topic, json(request));
    }

    @Test
    void navigationKeysMoveTheListAndTypeNothingIntoTheFilter() throws IOException {
        for (int i = 0; i < 16; i++) {
            drain("node" + i, "Lüfter " + i);
        }
        tmux("resize-window", "-x", "100", "-y", "10");
        awaitScreen("16 drained", "node10");
        await().atMost(Output.PATIENCE).untilAsserted(() -> assertThat(screen()).doesNotContain("node9"));
        press("NPage", "Down");
        awaitScreen("node8");
        press("End");
        awaitScreen("node0");
        press("PPage", "Enter");
        awaitScreen("node6 (rank 6)");
        press("Escape", "/", "DC", "F5", "ü", "f", "t", "e", "r", "Space", "1", "2");
        awaitScreen("filter: üfter 12_", "node12");
        press("BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace");
        awaitScreen("filter: _");
        press("Escape", "Home");
        awaitScreen("node15");
    }

    @Test
    void rowsAreSortedAndColumnsGiveWayToTheReason() throws IOException {
        drain("node9", "EDAC: correctable memory errors, ticket 4711");
        drain("node3", "fan");
        tmux("resize-window", "-x", "60", "-y", "20");
        awaitScreen("1 of 2, newest first   Enter why   / filter   s sort   ? ke+", "EDAC: correctable m");
        await().atMost(Output.PATIENCE).untilAsserted(() -> assertThat(rows()).containsExactly("node3", "node9"));
        assertThat(screen()).contains("HOLDER", "SINCE").doesNotContain(" BY ");
        press("s", "s");
        awaitScreen("1 of 2, by host");
        press("j");
        awaitScreen("2 of 2, by host");
        press("?");
        awaitScreen("sort by newest, state, host");
        press("?", "k", "s", "Enter");
        awaitScreen("node3 (rank 3): drained", "liveness    online", "event ", "reason=\"fan\"");
        press("Escape", "G", "Enter");
        awaitScreen("node9 (rank 9): drained", "ticket 4711");
    }

    /** Returns the hosts of the rows. */
    private List<String> rows() {
        return screen().lines()
                .filter(line -> line.stripLeading().startsWith("drained "))
                .map(line -> line.strip().substring(line.strip().lastIndexOf(' ') + 1))
                .toList();
    }

    @Test
    void aTinyTerminalShowsTheBeginningOfEachLine() throws IOException {
        drain("node[3-4]", "bad dimm");
        tmux("resize-window", "-x", "24", "-y", "6");
        await().atMost(Output.PATIENCE)
                .untilAsserted(() -> assertThat(screen().lines().findFirst())
                        .hasValueSatisfying(line -> assertThat(line).startsWith("16 hosts: 14 available")));
        assertThat(screen()).contains("STATE").contains("drained");
        press("q");
        awaitScreen("ended 0");
    }

    @Test
    void theViewIsKeptWithoutAConnectionAndContinuesWhenTheDaemonIsBack() throws IOException {
        drain("node[3-4]", "bad dimm");
        awaitScreen("14 available, 2 drained", "bad dimm");
        assertThat(screen()).doesNotContain("old");
        daemon.stop();
        awaitScreen("! not connected, this is ", " old; connecting again", "14 available, 2 drained", "bad dimm");
        press("/", "f", "a", "n");
        awaitScreen("filter: fan_", "No row has this text.");
        press("Escape");
        daemon = setup.start();
        await().atMost(Output.PATIENCE).untilAsserted(() -> assertThat(screen()).doesNotContain("not connected"));
        drain("node9", "fan 3");
        awaitScreen("13 available, 3 drained", "bad dimm", "fan 3");
        daemon.stop();
        awaitScreen("! not connected");
        press("q");
        awaitScreen("before", "ended 0", " icanon", " echo");
    }

    @Test
    void keysWorkWhileTheDaemonDoesNotAnswer() {
        daemon.signal("STOP");
        awaitScreen("! the daemon does not answer, this is ", "16 hosts: 16 available");
        press("q");
        awaitScreen("ended 0");
        daemon.signal("CONT");
        assertThat(screen()).doesNotContain("-icanon").doesNotContain("-echo");
    }

    @Test
    void anInterruptRestoresTheTerminal() {
        press("C-c");
        awaitScreen("before", "ended 130", " icanon", " echo");
        assertThat(screen()).doesNotContain("-icanon").doesNotContain("-echo");
    }
}
