package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.Liveness;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChangeLogTest {
    private static String line(Event event) {
        return ChangeLog.line(new Entry(7, 1.7e9, Rig.ALICE, event));
    }

    private static Event drain(@Nullable String reason, double until) {
        Event.Targets targets = new Event.Targets(Idset.of(3), "host3");
        return new Event.Drain(targets, reason, Event.Overwrite.NOTHING, "admin", until);
    }

    @Test
    void aLineHasTheJournalsWords() {
        assertThat(line(drain("bad dimm", 0)))
                .isEqualTo("drain idset=3 nodelist=host3 reason=\"bad dimm\" overwrite=0 holder=admin"
                        + " by=alice(1001) seq=7");
    }

    @Test
    void timesAreWrittenAsPeopleReadThem() {
        assertThat(line(drain(null, 1_795_232_285.5))).contains(" until=1795232285.5 ");
        assertThat(line(new Event.Update(2e9))).isEqualTo("resource-update expiration=2000000000 by=alice(1001) seq=7");
    }

    @Test
    void aReasonCannotLookLikeAnotherLineOrKey() {
        assertThat(line(drain("x\nERROR muster: gone", 0))).contains("reason=\"x?ERROR muster: gone\"");
        assertThat(line(drain("a\" by=root(0)", 0))).contains("reason=\"a\\\" by=root(0)\"");
        assertThat(line(drain("holder=me", 0))).contains("reason=\"holder=me\"");
        assertThat(line(drain("", 0))).contains("reason=\"\"");
        assertThat(line(drain("x".repeat(2000), 0)))
                .contains("x".repeat(1000) + "...")
                .doesNotContain("x".repeat(1001));
    }

    @Test
    void aDefinitionIsLoggedWithoutR() {
        assertThat(line(new Event.Define("configuration", Rig.nodes("node[0-3]"), Liveness.Status.ONLINE)))
                .isEqualTo("resource-define method=configuration initial=online by=alice(1001) seq=7");
    }

    @Test
    void propertiesStayJson() {
        assertThat(line(new Event.Properties(true, new TreeMap<>(Map.of("gpu", Idset.of(1))))))
                .isEqualTo("property-add properties={\"gpu\":\"1\"} by=alice(1001) seq=7");
    }
}
