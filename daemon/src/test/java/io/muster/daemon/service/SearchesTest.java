package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.Rig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When {@code resource.find} ends before it has looked at everything. */
class SearchesTest {
    private static final String THREE_TERMS = "{\"expr\":\"node or core\"}";

    private final Stage stage = new Stage(Rig.ofFour());
    private final Stage.Caller owner = stage.join(Stage.owner());

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void aSearchThatTakesTooLongIsRefusedAndTheNextOneStarts() {
        stage.secondsPerLook = 6;
        assertThat(owner.ask("resource.find", THREE_TERMS)).contains("\"count\":");
        stage.secondsPerLook = 7;
        assertThat(owner.ask("resource.find", THREE_TERMS))
                .isEqualTo(
                        "ETIMEDOUT this takes longer than 20 seconds, which is the most for searches: ask for less, with"
                                + " fewer terms");
        assertThat(owner.ask("resource.find", "{\"expr\":\"node\"}")).contains("\"count\":");
    }

    @Test
    void aSearchWhoseClientIsGoneEnds() {
        Stage.Caller other = stage.join(Stage.owner());
        stage.answersHeld = true;
        other.send("resource.find", THREE_TERMS, 0);
        other.session.close();
        stage.answersHeld = false;
        stage.heldAnswers.forEach(Runnable::run);
        stage.rig.settle();
        assertThat(stage.counted).containsExactly("resource.find 125");
    }
}
