package io.muster.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventFilterTest {
    private static final JsonNode DRAIN = event("drain", "1-2", "node[1-2]");
    private static final JsonNode UPDATE = event("resource-update", "", "");

    private static JsonNode event(String name, String idset, String nodelist) {
        var event = new JsonMapper().createObjectNode().put("timestamp", 100.5).put("name", name);
        if (!idset.isEmpty()) {
            event.putObject("context").put("idset", idset);
        }
        if (!nodelist.isEmpty()) {
            event.withObject("/context").put("nodelist", nodelist);
        }
        return event;
    }

    @Test
    void eventsAreFilteredByTimeAndName() {
        assertThat(EventFilter.ALL.matches(DRAIN)).isTrue();
        assertThat(EventFilter.ALL.between(100, 101).matches(DRAIN)).isTrue();
        assertThat(EventFilter.ALL.between(101, 102).matches(DRAIN)).isFalse();
        assertThat(EventFilter.ALL.between(0, 100).matches(DRAIN)).isFalse();
        assertThat(EventFilter.ALL.named(List.of("drain", "undrain")).matches(DRAIN))
                .isTrue();
        assertThat(EventFilter.ALL.named(List.of("undrain")).matches(DRAIN)).isFalse();
    }

    @Test
    void targetsThatParseAsRanksAreRanksAndOthersAreHosts() {
        assertThat(EventFilter.ALL.about("2,7").matches(DRAIN)).isTrue();
        assertThat(EventFilter.ALL.about("3").matches(DRAIN)).isFalse();
        assertThat(EventFilter.ALL.about("node[2-9]").matches(DRAIN)).isTrue();
        assertThat(EventFilter.ALL.about("node3").matches(DRAIN)).isFalse();
        assertThat(EventFilter.ALL.about("node3").matches(UPDATE)).isFalse();
        assertThatThrownBy(() -> EventFilter.ALL.about("node[1")).isInstanceOf(Failure.class);
        assertThatThrownBy(() -> EventFilter.ALL.about("@batch"))
                .isInstanceOf(Failure.class)
                .hasMessage("@batch: a journal does not say which hosts have a property");
    }

    @Test
    void eventsWithRanksOnlyAreMatchedByHostIfRIsGiven() {
        ResourceSet resources = ResourceSet.parse("""
                {"version":1,"execution":{"R_lite":[{"rank":"0-7","children":{"core":"0"}}],
                "starttime":0,"expiration":0,"nodelist":["node[0-7]"]}}""");
        JsonNode online = event("online", "5", "");
        var tagged = new JsonMapper().createObjectNode().put("timestamp", 100.5).put("name", "property-add");
        tagged.putObject("context").putObject("properties").put("gpu", "0").put("batch", "4-5");
        for (JsonNode event : List.of(online, tagged)) {
            assertThat(about("node5", resources).matches(event)).isTrue();
            assertThat(EventFilter.ALL.about("5").matches(event)).isTrue();
            assertThat(about("node6", resources).matches(event)).isFalse();
            assertThat(EventFilter.ALL.about("6").matches(event)).isFalse();
            assertThat(EventFilter.ALL.about("node5").matches(event)).isFalse();
        }
        assertThat(about("gone[1-2],node2", resources).matches(DRAIN)).isTrue();
        assertThat(about("gone2", resources).matches(DRAIN)).isFalse();
    }

    @Test
    void aRestartMatchesAllOfItsRanks() {
        var restart =
                new JsonMapper().createObjectNode().put("timestamp", 100.5).put("name", "restart");
        restart.putObject("context").put("ranks", "0-7").put("online", "").put("nodelist", "node[0-7]");
        assertThat(EventFilter.ALL.about("7").matches(restart)).isTrue();
        assertThat(EventFilter.ALL.about("node7").matches(restart)).isTrue();
        assertThat(EventFilter.ALL.about("8").matches(restart)).isFalse();
    }

    /** The host may have had another rank at the time of the event. */
    @Test
    void eventsWithANodelistAreMatchedByHostAndNotByRank() {
        ResourceSet resources = ResourceSet.parse("""
                {"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0"}}],
                "starttime":0,"expiration":0,"nodelist":["node[2-3]"]}}""");
        assertThat(about("node2", resources).matches(DRAIN)).isTrue();
        assertThat(about("node3", resources).matches(DRAIN)).isFalse();
    }

    /** Returns the filter for events of a server with these resources. */
    private static EventFilter about(String hosts, ResourceSet resources) {
        Idset ranks = Idset.EMPTY;
        for (String host : Hostlist.parse(hosts).expand()) {
            ranks = ranks.union(resources.ranksOf(host));
        }
        return EventFilter.ALL.about(hosts).knowing(ranks);
    }
}
