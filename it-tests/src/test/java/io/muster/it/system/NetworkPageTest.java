package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.HttpListener;
import io.muster.it.harness.Output;
import io.muster.it.harness.Tool;
import io.muster.testing.Needs;
import io.muster.testing.Ports;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The script and the tasks of {@code docs/network.md}, unchanged. */
@Timeout(600)
@Tag("once")
class NetworkPageTest {
    private static final Path PAGE =
            Path.of("..", "docs", "network.md").toAbsolutePath().normalize();
    private static final int SCRIPT_LINES = 20;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private final HttpListener listener = new HttpListener(Ports.free());

    private static String block(String language) throws IOException {
        Matcher block = Pattern.compile("(?s)```" + language + "\n(.*?)```").matcher(Files.readString(PAGE));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    private DaemonProcess daemon() {
        return DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-3]"), listener.config())
                .start()
                .expect(HttpListener.NOT_YET, "denied topic=resource.drain user=token:cron");
    }

    private static String state(DaemonProcess daemon) throws IOException {
        return daemon.ask("resource.state").toString();
    }

    private ProcessBuilder script(Path token, String... arguments) {
        ProcessBuilder command = new ProcessBuilder(
                        "/usr/bin/python3", directory.resolve("hold.py").toString())
                .redirectErrorStream(true);
        command.command().addAll(List.of(arguments));
        command.environment().put("MUSTER_URL", listener.url());
        command.environment().put("MUSTER_TOKEN", token.toString());
        return command;
    }

    private static String refused(ProcessBuilder command) throws Exception {
        Process process = command.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(1);
        return output;
    }

    @Test
    @Needs("python3")
    void theScriptDrainsAndUndrainsHosts() throws Exception {
        String text = block("python");
        assertThat(text.lines()).hasSizeLessThanOrEqualTo(SCRIPT_LINES + 2);
        Files.writeString(directory.resolve("hold.py"), text);
        try (DaemonProcess daemon = daemon()) {
            Path token = listener.token(daemon, "cron", "hold", "maintenance");
            await().atMost(Output.PATIENCE)
                    .untilAsserted(() -> Tool.run(script(token, "drain", "maintenance", "node[1-2]", "new", "kernel")));
            assertThat(state(daemon)).contains("new kernel").contains("token:cron");
            assertThat(refused(script(token, "drain", "maintenance", "node1", "again")))
                    .contains("already drained - ");
            assertThat(refused(script(token, "drain", "other", "node3", "x"))).contains("maintenance");
            Tool.run(script(token, "undrain", "maintenance", "node[1-2]", "done"));
            assertThat(state(daemon)).doesNotContain("new kernel");
        }
    }

    @Test
    @Needs("ansible-playbook")
    void theTasksDrainAndUndrainHosts() throws Exception {
        Path book = Files.writeString(directory.resolve("update.yml"), block("yaml"));
        try (DaemonProcess daemon = daemon()) {
            Path token = listener.token(daemon, "ansible", "hold", "maintenance");
            await().atMost(Output.PATIENCE).untilAsserted(() -> play(book, token, "--skip-tags=undrain"));
            assertThat(state(daemon)).contains("\"update\"").contains("token:ansible");
            play(book, token, "--skip-tags=undrain");
            play(book, token, "--tags=undrain");
            assertThat(state(daemon)).doesNotContain("\"update\"");
        }
    }

    private void play(Path book, Path token, String part) throws IOException {
        ProcessBuilder command = new ProcessBuilder(
                        "ansible-playbook",
                        "--inventory=node1,node2,",
                        "--extra-vars=muster_url=" + listener.url() + " muster_token="
                                + Files.readString(token).strip(),
                        part,
                        book.toString())
                .redirectErrorStream(true);
        command.environment().put("ANSIBLE_HOME", directory.resolve("ansible").toString());
        command.environment().put("ANSIBLE_LOCALHOST_WARNING", "false");
        command.environment().put("LC_ALL", "C.UTF-8");
        assertThat(Tool.run(command)).contains("node1", "node2").contains("failed=0");
    }
}
