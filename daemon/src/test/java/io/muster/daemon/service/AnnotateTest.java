package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.Rig;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code resource.annotate} on the wire. */
final class AnnotateTest {
    private final Stage stage = new Stage(Rig.ofFour());
    private final Stage.Caller owner = stage.join(Stage.owner());

    @AfterEach
    void close() {
        stage.close();
    }

    private String annotate(String json) {
        return owner.ask("resource.annotate", json.replace('\'', '"'));
    }

    @Test
    void theAnswerHasTheChangedVerticesAndTheSeqAndARepetitionIsOneChange() {
        long seq = stage.rig.inventory.seq();
        String id = ",'id':'" + new UUID(0, 7) + "'}";
        String request =
                "{'targets':'1','paths':['/cluster0/node[2-3]/core1','/cluster0'],'tag':{'firmware':'7.1'}" + id;
        String answer =
                "{'changed':true,'hosts':'node[1-3]','seq':S,'vertices':{'':'1','core1':'2-3'},'paths':['/cluster0']}"
                        .replace('\'', '"')
                        .replace("S", Long.toString(seq + 1));
        assertThat(annotate(request)).isEqualTo(answer);
        assertThat(annotate(request)).as("the repetition").isEqualTo(answer);
        assertThat(stage.rig.inventory.seq()).isEqualTo(seq + 1);
        assertThat(annotate("{'targets':'1','tag':{'firmware':'7.1'}}"))
                .isEqualTo("{\"changed\":false,\"hosts\":\"\",\"unchanged\":\"node1\"}");
        assertThat(stage.rig.inventory.state().notes().below("core1").keys()).hasToString("2-3");
    }

    @Test
    void aDryRunShowsTheEventAndChangesNothing() {
        long seq = stage.rig.inventory.seq();
        assertThat(annotate("{'paths':['/cluster0/node2/core1'],'mark':{'state':'failing'},'dry-run':true}"))
                .contains("\"name\":\"annotate\"", "\"vertices\":{\"core1\":\"2\"}", "\"updates\":[]");
        assertThat(annotate("{'paths':['/cluster0/node9'],'mark':{'state':'failing'},'dry-run':true}"))
                .contains("no vertex has the path /cluster0/node9: /cluster0 has no node9");
        assertThat(stage.rig.inventory.seq()).isEqualTo(seq);
    }

    @Test
    void aBadRequestIsRefusedWithASentence() {
        assertThat(annotate("{'paths':['/cluster0/node2/gpu7'],'tag':{'a':''}}"))
                .contains("no vertex has the path /cluster0/node2/gpu7: /cluster0/node2 has no gpu7");
        assertThat(annotate("{'paths':'/cluster0','tag':{'a':''}}"))
                .contains("resource.annotate: /paths must be an array of strings");
        assertThat(annotate("{'targets':'0','tag':{'a':1}}"))
                .contains("resource.annotate: /tag must be an object of tags to strings or null, but a is neither");
        assertThat(annotate("{'targets':'0','data':{'a':[]}}"))
                .contains("resource.annotate: /data must be an object of keys to objects or null, but a is neither");
        assertThat(annotate("{'targets':'0','data':{'a':{'b':['x\\u001b']}}}"))
                .contains("resource.annotate: /data/a/b/0 has the character U+001B, which no string may have");
        assertThat(annotate("{'targets':'0','data':{'a':{'b\\n':1}}}")).contains("the key has the character U+000A");
        assertThat(annotate("{'targets':'0','mark':{}}")).contains("/mark/state must be a string");
        assertThat(annotate("{'targets':'0','mark':{'state':'on fire'}}"))
                .contains("is not one of up, down, degraded, failing, unknown and null");
        assertThat(annotate("{'targets':'0','tag':{'a':'" + "x".repeat(1 << 20) + "'}}"))
                .contains("may have at most 1048576");
    }

    @Test
    void aSchedulerIsSentTheSameFirstResponseAndNothingAfterwards() {
        Stage.Caller scheduler = stage.join(Stage.scheduler());
        String before = scheduler.stream("resource.acquire");
        scheduler.received();
        assertThat(annotate("{'targets':'0-3','mark':{'state':'down','reason':'all of them'}}"))
                .contains("true");
        assertThat(scheduler.received()).isEmpty();
        scheduler.send("resource.acquire-cancel", "{\"matchtag\":1}", 0);
        assertThat(scheduler.stream("resource.acquire")).isEqualTo(before).contains("\"up\":\"0-3\"");
    }
}
