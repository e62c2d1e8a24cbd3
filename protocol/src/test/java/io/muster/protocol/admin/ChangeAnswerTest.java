package io.muster.protocol.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.protocol.admin.ChangeAnswer.Ended;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangeAnswerTest {
    @Test
    void answersAreReadAsTheyAreWritten() {
        ChangeAnswer answer = new ChangeAnswer(true, "n[1-3]", 7, List.of(new Ended("admin", "1-2", "n[1-2]")));
        assertThat(answer.toJson())
                .hasToString("{\"changed\":true,\"hosts\":\"n[1-3]\",\"seq\":7,"
                        + "\"ended\":[{\"holder\":\"admin\",\"idset\":\"1-2\",\"nodelist\":\"n[1-2]\"}]}");
        assertThat(ChangeAnswer.parse(answer.toJson())).isEqualTo(answer);
        ChangeAnswer unchanged = new ChangeAnswer(false, "", 0, List.of());
        assertThat(unchanged.toJson()).hasToString("{\"changed\":false,\"hosts\":\"\"}");
        assertThat(ChangeAnswer.parse(unchanged.toJson())).isEqualTo(unchanged);
    }

    /** The responses of flux-core have no payload. */
    @Test
    void noPayloadMeansAChange() {
        assertThat(ChangeAnswer.parse(JsonNodeFactory.instance.objectNode()))
                .isEqualTo(new ChangeAnswer(true, null, 0, List.of()));
    }
}
