package io.muster.daemon.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventFilterTest {
    private static final JsonNode DRAIN = event("drain", "1-2", "node[1-2]");
    private static final JsonNode UPDATE = event("resource-update", "", "");

    private static JsonNode event(String name, String idset, String nodelist) {
        var event = new JsonMapper().createObjectNode().put("timestamp", 100.5).put("name", name);
        if (!idset.isEmpty()) {
            event.putObject("context").put("idset", idset).put("nodelist", nodelist);
        }
        return event;
    }

    @Test
    void eventsAreChosenByTimeAndName() {
        assertThat(EventFilter.ALL.matches(DRAIN)).isTrue();
        assertThat(EventFilter.ALL.between(100, 101).matches(DRAIN)).isTrue();
        assertThat(EventFilter.ALL.between(101, 102).matches(DRAIN)).isFalse();
        assertThat(EventFilter.ALL.between(0, 100).matches(DRAIN)).isFalse();
        assertThat(EventFilter.ALL.named(List.of("drain", "undrain")).matches(DRAIN))
                .isTrue();
        assertThat(EventFilter.ALL.named(List.of("undrain")).matches(DRAIN)).isFalse();
    }

    @Test
    void targetsAreRanksIfTheyReadAsRanksElseHosts() {
        assertThat(EventFilter.ALL.about("2,7").matches(DRAIN)).isTrue();
        assertThat(EventFilter.ALL.about("3").matches(DRAIN)).isFalse();
        assertThat(EventFilter.ALL.about("node[2-9]").matches(DRAIN)).isTrue();
        assertThat(EventFilter.ALL.about("node3").matches(DRAIN)).isFalse();
        assertThat(EventFilter.ALL.about("node3").matches(UPDATE)).isFalse();
        assertThatThrownBy(() -> EventFilter.ALL.about("node[1")).isInstanceOf(Failure.class);
    }
}
