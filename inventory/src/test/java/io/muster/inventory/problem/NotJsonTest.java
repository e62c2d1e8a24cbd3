package io.muster.inventory.problem;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

class NotJsonTest {
    private static String sentence(String text) {
        try {
            return "read: "
                    + JsonMapper.builder()
                            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                            .build()
                            .readTree(text);
        } catch (JsonProcessingException e) {
            return NotJson.sentence(e);
        }
    }

    @Test
    void messagesDoNotMentionTheParserAndItsClasses() {
        assertThat(sentence("{\"a\": [1")).isEqualTo("Unexpected end-of-input: expected close marker for Array");
        assertThat(sentence("{\"a\": 1, \"a\": 2}")).isEqualTo("Duplicate field 'a'");
        assertThat(sentence("{1}")).contains("Unexpected character ('1' (code 49))");
    }
}
