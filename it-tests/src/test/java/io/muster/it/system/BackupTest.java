package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Jars;
import io.muster.it.harness.Output;
import io.muster.it.harness.Tool;
import io.muster.protocol.admin.StatusAnswer;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a busy daemon that keeps no history, made by the command, and daemons that start from them. */
@Timeout(600)
@Tag("once")
class BackupTest {
    private static final int BACKUPS = 3;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void aDaemonStartsFromABackupMadeUnderLoadAndHasTheChangesAnsweredBefore() throws Exception {
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                Files.createDirectory(directory.resolve("d")),
                "snapshot-every = 5",
                "history-size = 0",
                RecordingAdmin.resources());
        List<Map<Integer, Integer>> answered = new ArrayList<>();
        try (DaemonProcess daemon = setup.start()
                        .expect("history is deleted because its files are larger than muster.history-size");
                Load load = new Load(daemon)) {
            for (int i = 0; i < BACKUPS; i++) {
                long seq = daemon.ask("resource.state").path("seq").longValue();
                answered.add(Map.copyOf(load.answered));
                JsonNode report = muster(
                        "backup",
                        directory.resolve("b" + i).toString(),
                        "--state-dir",
                        setup.stateDir().toString(),
                        "--json");
                assertThat(report.path("last_seq").longValue()).isGreaterThanOrEqualTo(seq);
            }
            load.stop();
        }
        for (int i = 0; i < BACKUPS; i++) {
            DaemonProcess.Setup next = DaemonProcess.Setup.in(
                    Files.createDirectory(directory.resolve("r" + i)), RecordingAdmin.resources());
            muster(
                    "restore",
                    directory.resolve("b" + i).toString(),
                    "--state-dir",
                    next.stateDir().toString(),
                    "--json");
            try (DaemonProcess restored = next.start()) {
                Map<Integer, Integer> found = reasons(restored);
                answered.get(i)
                        .forEach((rank, number) ->
                                assertThat(found.get(rank)).as("rank %d", rank).isGreaterThanOrEqualTo(number));
            }
        }
    }

    private static Map<Integer, Integer> reasons(DaemonProcess daemon) throws IOException {
        Map<Integer, Integer> found = new ConcurrentHashMap<>();
        StatusAnswer.parse(daemon.ask("resource.status"))
                .drain()
                .forEach((reason, ranks) -> ranks.forEach(rank -> found.put(rank, Integer.parseInt(reason.reason()))));
        return found;
    }

    private static JsonNode muster(String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(Tool.jdk("java"), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(Jars.classPath());
        command.add("io.muster.cli.Muster");
        command.addAll(List.of(arguments));
        return JsonMapper.builder().build().readTree(Tool.run(command.toArray(String[]::new)));
    }

    /** Drains one rank after the other, again and again. The reason of each drain is a number that grows. */
    private static final class Load implements AutoCloseable {
        final Map<Integer, Integer> answered = new ConcurrentHashMap<>();
        private final AtomicBoolean stopping = new AtomicBoolean();
        private final AtomicReference<Exception> failure = new AtomicReference<>();
        private final FluxClient client;
        private final Thread thread = new Thread(this::run, "load");

        Load(DaemonProcess daemon) throws IOException {
            client = daemon.connect();
            thread.start();
        }

        private void run() {
            try {
                for (int i = 0; !stopping.get(); i++) {
                    client.rpc("resource.drain", RecordingAdmin.drain(i % RecordingAdmin.RANKS, Integer.toString(i)));
                    answered.put(i % RecordingAdmin.RANKS, i);
                }
            } catch (IOException | RuntimeException e) {
                failure.set(e);
            }
        }

        void stop() throws InterruptedException {
            await().atMost(Output.PATIENCE)
                    .until(() -> answered.size() == RecordingAdmin.RANKS || failure.get() != null);
            stopping.set(true);
            thread.join();
            assertThat(failure.get()).isNull();
            assertThat(answered).hasSize(RecordingAdmin.RANKS);
        }

        @Override
        public void close() throws IOException {
            stopping.set(true);
            client.close();
        }
    }
}
