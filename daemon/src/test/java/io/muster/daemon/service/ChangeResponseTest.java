package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The content of the response to a change, on the wire. */
final class ChangeResponseTest {
    private final Stage stage = new Stage(Rig.ofFour());
    private final Stage.Caller owner = stage.join(Stage.owner());

    @AfterEach
    void close() {
        stage.close();
    }

    private String ask(int id, String topic, String json) {
        String withId = json.substring(0, json.length() - 1) + ",\"id\":\"" + new UUID(0, id) + "\"}";
        return owner.ask("resource." + topic, withId);
    }

    @Test
    void aRequestOfFluxWithoutAnIdIsAnsweredAsByFlux() {
        assertThat(owner.ask("resource.drain", "{\"targets\":\"1\"}")).isEqualTo("ok");
        assertThat(owner.ask("resource.undrain", "{\"targets\":\"1\"}")).isEqualTo("ok");
        assertThat(owner.ask("resource.monitor-force-down", "{\"ranks\":\"1\"}"))
                .isEqualTo("ok");
        assertThat(owner.ask("resource.expiration-update", "{\"expiration\":2000000000.0}"))
                .isEqualTo("ok");
    }

    @Test
    void aRequestOfFluxIsRefusedWithTheSentenceOfFluxAlsoIfItHasAnId() {
        ask(1, "drain", "{\"targets\":\"1\",\"reason\":\"fan\"}");
        assertThat(ask(2, "drain", "{\"targets\":\"0-1\",\"reason\":\"psu\"}"))
                .isEqualTo("EEXIST rank 1 already drained: node1");
        assertThat(ask(3, "drain", "{\"select\":\"node1\",\"reason\":\"psu\"}"))
                .contains("node1 (rank 1) already drained - admin: fan");
    }

    @Test
    void theResponseHasTheChangedHostsAndTheSeqOfTheJournal() {
        long seq = stage.rig.inventory.seq();
        assertThat(ask(1, "drain", "{\"targets\":\"1-2\"}"))
                .isEqualTo("{\"changed\":true,\"hosts\":\"node[1-2]\",\"seq\":" + (seq + 1) + "}");
        assertThat(ask(2, "drain", "{\"targets\":\"0-2\",\"mode\":\"update\"}"))
                .isEqualTo(
                        "{\"changed\":true,\"hosts\":\"node0\",\"seq\":" + (seq + 2) + ",\"unchanged\":\"node[1-2]\"}");
        assertThat(ask(3, "drain", "{\"targets\":\"0-2\",\"mode\":\"update\"}"))
                .isEqualTo("{\"changed\":false,\"hosts\":\"\",\"unchanged\":\"node[0-2]\"}");
        assertThat(ask(4, "exclude", "{\"targets\":\"2-3\"}"))
                .isEqualTo("{\"changed\":true,\"hosts\":\"node[2-3]\",\"seq\":" + (seq + 4)
                        + ",\"ended\":[{\"holder\":\"admin\",\"idset\":\"2\",\"nodelist\":\"node2\"}]}");
        assertThat(ask(5, "property-add", "{\"properties\":{\"p\":\"0\",\"q\":\"3\"}}"))
                .isEqualTo("{\"changed\":true,\"hosts\":\"node[0,3]\",\"seq\":" + (seq + 5) + "}");
        assertThat(ask(6, "expiration-update", "{\"expiration\":2000000000.0}"))
                .as("a change that is not about single hosts")
                .isEqualTo("{\"changed\":true,\"seq\":" + (seq + 6) + "}");
        assertThat(ask(7, "undrain", "{\"targets\":\"0-1\"}"))
                .as("the holds of an undrain are what was asked for, and did not end besides")
                .isEqualTo("{\"changed\":true,\"hosts\":\"node[0-1]\",\"seq\":" + (seq + 7)
                        + ",\"available\":\"node[0-1]\"}");
    }

    @Test
    void aRepeatedChangeIsAnsweredWithItsSeq() {
        long seq = stage.rig.inventory.seq();
        String exclude = "{\"targets\":\"1\"}";
        ask(1, "drain", exclude);
        String excluded = ask(2, "exclude", exclude);
        ask(3, "include", exclude);
        assertThat(ask(2, "exclude", exclude))
                .as("with the hold that it ended")
                .isEqualTo(excluded)
                .contains("\"seq\":" + (seq + 3), "\"holder\":\"admin\"");
        assertThat(ask(1, "drain", exclude))
                .isEqualTo("{\"changed\":true,\"hosts\":\"node1\",\"seq\":" + (seq + 1) + "}");
        assertThat(stage.rig.inventory.seq()).isEqualTo(seq + 4);
    }

    @Test
    void aReloadAndItsRepetitionAreAnsweredWithTheSeq(@TempDir Path directory) throws Exception {
        long seq = stage.rig.inventory.seq();
        Path file = Files.writeString(
                directory.resolve("R"), Rig.nodes("other[0-3]").toString());
        String reload = "{\"path\":\"" + file + "\",\"xml\":false,\"force\":false}";
        String answer = "{\"changed\":true,\"seq\":" + (seq + 1) + "}";
        assertThat(ask(1, "reload", reload)).isEqualTo(answer);
        assertThat(ask(1, "reload", reload)).isEqualTo(answer);
        assertThat(ask(2, "reload", reload)).isEqualTo("{\"changed\":false,\"hosts\":\"\"}");
        assertThat(owner.ask("resource.reload", reload)).isEqualTo("ok");
    }
}
