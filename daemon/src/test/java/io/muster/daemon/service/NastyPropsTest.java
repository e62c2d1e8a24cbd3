package io.muster.daemon.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.HandDriven;
import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Response;
import io.muster.testing.Jansson;
import io.muster.testing.Nasty;
import io.muster.testing.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** libjansson can read every answer, regardless of the strings and numbers in a request or a file, also after a restart. */
class NastyPropsTest {
    private static final String[] READS = {
        "resource.status",
        "resource.sched-status",
        "resource.get",
        "resource.state",
        "config.get",
        "attr.list",
        "resource.stats-get"
    };

    private final MemoryDisk memory = new MemoryDisk();

    @TempDir
    private Path directory;

    private Stage start() {
        return new Stage(Rig.on(new FaultyDisk(memory), new HandDriven(Rig.START)));
    }

    private static void change(Stage.Caller admin, Random random) {
        String text = Nasty.quoted(random);
        String target = random.nextInt(4) == 0 ? Nasty.quoted(random) : "\"node" + random.nextInt(4) + "\"";
        String mode = ",\"mode\":\"" + (random.nextBoolean() ? "force-overwrite" : "update") + "\"";
        String unused = switch (random.nextInt(7)) {
            case 0 -> admin.ask("resource.drain", "{\"targets\":" + target + ",\"reason\":" + text + mode + "}");
            case 1 -> admin.ask("resource.drain", "{\"targets\":" + target + ",\"holder\":" + text + mode + "}");
            case 2 -> {
                // One host stays, because there is nothing to acquire without one.
                String some = "\"node" + random.nextInt(3) + "\"";
                yield admin.ask("resource.exclude", "{\"targets\":" + some + ",\"reason\":" + text + "}");
            }
            case 3 -> admin.ask("resource.offline", "{\"targets\":" + target + ",\"cause\":" + text + "}");
            case 4 -> admin.ask("resource.property-add", "{\"properties\":{" + text + ":" + target + "}}");
            case 5 ->
                admin.ask(
                        "resource.annotate",
                        "{\"targets\":" + target + ",\"data\":{\"k\":{\"a\":" + Nasty.value(random, 2) + "}}}");
            default -> admin.ask("resource.drain", "{\"targets\":" + Nasty.value(random, 3) + "}");
        };
    }

    private void reload(Stage.Caller admin, Random random) throws IOException {
        Path file = directory.resolve("R");
        Files.writeString(
                file,
                "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-3\",\"children\":{\"core\":\"0\"}}],"
                        + "\"nodelist\":[\"node[0-3]\"],\"properties\":{" + Nasty.quoted(random) + ":\"0\"}},"
                        + "\"scheduling\":{\"x\":" + Nasty.value(random, 2) + "}}");
        String unused = admin.ask("resource.reload", "{\"path\":\"" + file + "\",\"xml\":false,\"force\":false}");
    }

    private static void readEverything(Stage stage) {
        Stage.Caller owner = stage.join(Stage.owner());
        for (String topic : READS) {
            String unused = owner.ask(topic, null);
        }
        String unused = owner.stream("resource.journal");
        assertThat(stage.join(Stage.scheduler()).stream("resource.acquire")).startsWith("{\"resources\":");
        int read = 0;
        for (Stage.Sent sent : stage.sent) {
            Response response = sent.response();
            Bytes payload = response.payload();
            if (response.errnum() == 0 && payload != null) {
                assertThat(payload.endsWithNul()).isTrue();
                byte[] json = payload.first(payload.length() - 1).text().getBytes(UTF_8);
                assertThat(Jansson.fault(json)).as(response.topic()).isNull();
                read++;
            }
        }
        assertThat(read).isGreaterThan(5);
    }

    @Seeds(share = 0.5)
    void libjanssonCanReadEveryAnswer(Random random) throws IOException {
        try (Stage stage = start()) {
            stage.rig.define(Rig.nodes("node[0-3]"));
            Stage.Caller admin = stage.join(Stage.owner());
            for (int i = 0; i < 20; i++) {
                change(admin, random);
            }
            reload(admin, random);
            readEverything(stage);
        }
        try (Stage stage = start()) {
            readEverything(stage);
        }
    }

    @Test
    void aPropertyNameThatLibjanssonCannotReadIsRefusedWithTheCharacter() {
        try (Stage stage = start()) {
            stage.rig.define(Rig.nodes("node[0-3]"));
            Stage.Caller admin = stage.join(Stage.owner());
            assertThat(admin.ask("resource.property-add", "{\"properties\":{\"a\\u001b[2J\":\"0\"}}"))
                    .isEqualTo("EINVAL property name \"a\\u001b[2J\" has the character U+001B, which no name may have");
            assertThat(admin.ask("resource.property-add", "{\"properties\":{\"a\\u0000\":\"0\"}}"))
                    .isEqualTo("EPROTO JSON payload has a string with a NUL in it");
        }
    }

    /** A peer that may let the daemon read a file, but may not read the file, must not learn the first word of the file. */
    @Test
    void theRefusalOfAnInvalidRQuotesNoTextOfTheFile() throws IOException {
        Path file = directory.resolve("secret");
        try (Stage stage = start()) {
            stage.rig.define(Rig.nodes("node[0-3]"));
            Stage.Caller admin = stage.join(Stage.admin());
            for (String text : List.of(
                    "hunter2:x:0:0",
                    "\"hunter2\"",
                    "{\"version\":\"hunter2\"}",
                    "{\"hunter2\":1,\"hunter2\":2}",
                    "[hunter2",
                    "{\"a\": hunter2")) {
                Files.writeString(file, text);
                String answer =
                        admin.ask("resource.reload", "{\"path\":\"" + file + "\",\"xml\":false,\"force\":false}");
                assertThat(answer).startsWith("EINVAL " + file + ": R: ").doesNotContain("hunter2");
            }
            Files.writeString(file, "hunter2:x:0:0");
            assertThat(admin.ask("resource.reload", "{\"path\":\"" + file + "\",\"xml\":false,\"force\":false}"))
                    .isEqualTo("EINVAL " + file + ": R: is not JSON: it cannot be read at line 1, column 1");
        }
    }
}
