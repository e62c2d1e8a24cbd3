package io.muster.protocol.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.protocol.admin.ChangeAnswer.Ended;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangeAnswerTest {
    @Test
    void onlyWhatIsKnownIsWritten() {
        ChangeAnswer answer = new ChangeAnswer(true, "n[1-3]", 7, List.of(new Ended("admin", "1-2", "n[1-2]")));
        assertThat(answer.toJson())
                .hasToString("{\"changed\":true,\"hosts\":\"n[1-3]\",\"seq\":7,"
                        + "\"ended\":[{\"holder\":\"admin\",\"idset\":\"1-2\",\"nodelist\":\"n[1-2]\"}]}");
        ChangeAnswer unchanged = new ChangeAnswer(false, "", 0, List.of());
        assertThat(unchanged.toJson()).hasToString("{\"changed\":false,\"hosts\":\"\"}");
    }
}
