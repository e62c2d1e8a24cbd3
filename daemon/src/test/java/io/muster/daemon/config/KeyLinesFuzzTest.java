package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import java.util.ArrayList;
import java.util.List;

final class KeyLinesFuzzTest {
    private static final ObjectMapper TOML = new TomlMapper();

    @FuzzTest(maxDuration = "30s")
    void scansAnyTextAndFindsEveryTopLevelKeyThatJacksonFinds(FuzzedDataProvider data) {
        String text = data.consumeRemainingAsString();
        KeyLines found = KeyLines.scan(text);
        int last = 1 + (int) text.chars().filter(c -> c == '\n').count();
        assertThat(found.lines().values()).allSatisfy(line -> assertThat(line).isBetween(1, last));
        if (text.indexOf('\\') < 0) {
            keysOf(text).forEach(name -> assertThat(found.lines()).containsKey(List.of(name)));
        }
    }

    private static List<String> keysOf(String text) {
        try {
            List<String> names = new ArrayList<>();
            TOML.readTree(text).fieldNames().forEachRemaining(names::add);
            return names;
        } catch (JsonProcessingException refused) {
            return List.of();
        }
    }
}
