package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.Rig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Searches of {@code resource.find} that end before they have visited everything, and the graphs that searches use. */
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
    void aSearchOfADisconnectedClientEnds() {
        Stage.Caller other = stage.join(Stage.owner());
        stage.answersHeld = true;
        other.send("resource.find", THREE_TERMS, 0);
        other.session.close();
        stage.answersHeld = false;
        stage.heldAnswers.forEach(Runnable::run);
        stage.rig.settle();
        assertThat(stage.counted).containsExactly("resource.find 125");
    }

    /** Searches caches the graph of the last search, of the last notes and of the last state. */
    @Test
    void everySearchUsesTheStateAfterEarlierChanges() {
        assertThat(ranks("state=drained")).isEmpty();
        change("resource.drain", "{\"targets\":\"1\",\"reason\":\"fan\"}");
        assertThat(ranks("state=drained")).isEqualTo("1");
        change("resource.annotate", "{\"targets\":\"2\",\"tag\":{\"a\":\"\"}}");
        assertThat(ranks("state=drained or tag.a")).isEqualTo("1-2");
        change("resource.property-add", "{\"properties\":{\"p\":\"3\"}}");
        assertThat(ranks("state=drained or tag.a or property.p")).isEqualTo("1-3");
        change("resource.annotate", "{\"targets\":\"2\",\"tag\":{\"a\":null}}");
        change("resource.undrain", "{\"targets\":\"1\"}");
        assertThat(ranks("state=drained or tag.a or property.p")).isEqualTo("3");
    }

    private void change(String topic, String payload) {
        assertThat(owner.ask(topic, payload)).doesNotStartWith("E");
    }

    private String ranks(String expression) {
        String answer = owner.ask("resource.find", "{\"expr\":\"node and (" + expression + ")\"}");
        return answer.replaceFirst(".*\"ranks\":\"([^\"]*)\".*", "$1");
    }
}
