package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ChangeLogTest {
    private static String line(Event event) {
        return line(entry(event));
    }

    private static String line(Entry entry) {
        return ChangeLog.line(entry, entry.toBytes());
    }

    private static Entry entry(Event event) {
        return new Entry(7, 1.7e9, Rig.ALICE, event);
    }

    private static void commit(ChangeLog changes, Entry entry) {
        changes.committed(List.of(entry), List.of(entry.toBytes()), InventoryState.empty());
    }

    private static Event drain(@Nullable String reason, double until) {
        Event.Targets targets = new Event.Targets(Idset.of(3), "host3");
        return new HoldChanges.Drained(targets, reason, HoldChanges.Overwrite.NOTHING, "admin", until);
    }

    @Test
    void aLogLineHasTheFieldsOfTheJournal() {
        assertThat(line(drain("bad dimm", 0)))
                .isEqualTo("drain idset=3 nodelist=host3 reason=\"bad dimm\" overwrite=0 holder=admin"
                        + " by=alice(1001) seq=7");
    }

    @Test
    void aLogLineNamesTheSpeakerForTheAuthor() {
        Entry entry = new Entry(7, 1.7e9, Rig.ALICE.through(Rig.BOB, true), drain(null, 0));
        assertThat(line(entry))
                .isEqualTo(
                        "drain idset=3 nodelist=host3 overwrite=0 holder=admin by=\"alice(1001) through bob(1002)\" seq=7");
    }

    @Test
    void timesAreWrittenAsIsoTimes() {
        assertThat(line(drain(null, 1_795_232_285.5))).contains(" until=2026-11-21T03:38:05.500Z ");
        assertThat(line(drain(null, 1.79524e9))).contains(" until=2026-11-21T05:46:40Z ");
        assertThat(line(new DefinitionChanges.ExpirationChanged(2e9)))
                .isEqualTo("resource-update expiration=2033-05-18T03:33:20Z by=alice(1001) seq=7");
        assertThat(line(new DefinitionChanges.ExpirationChanged(0)))
                .isEqualTo("resource-update expiration=never by=alice(1001) seq=7");
    }

    @Test
    void aSlowLogQueuesALimitedNumberOfBytesAndReportsDroppedLines() {
        List<Runnable> waiting = new ArrayList<>();
        ChangeLog changes = new ChangeLog(waiting::add);
        Entry entry = entry(drain("x".repeat((int) ChangeLog.MOST_WAITING / 4), 0));
        for (int i = 0; i < 10; i++) {
            commit(changes, entry);
        }
        assertThat(waiting).hasSize(3);

        waiting.forEach(Runnable::run);
        waiting.clear();
        Entry longer = entry(drain("x".repeat((int) ChangeLog.MOST_WAITING + 1), 0));
        commit(changes, longer);
        assertThat(waiting).as("one of any length, when none waits").hasSize(1);
        assertThat(logged(waiting))
                .containsExactly("7 changes were journaled but not logged: the log is too slow", line(longer));
    }

    private static List<String> logged(List<Runnable> tasks) {
        Logger logger = (Logger) LoggerFactory.getLogger("inventory");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        tasks.forEach(Runnable::run);
        logger.detachAppender(lines);
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void reasonsAreQuotedEscapedAndCut() {
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
        assertThat(line(new DefinitionChanges.Defined("configuration", Rig.nodes("node[0-3]"), Liveness.Status.ONLINE)))
                .isEqualTo("resource-define method=configuration initial=online by=alice(1001) seq=7");
    }

    @Test
    void propertiesAreLoggedAsJson() {
        assertThat(line(new DefinitionChanges.PropertiesChanged(true, new TreeMap<>(Map.of("gpu", Idset.of(1))))))
                .isEqualTo("property-add properties={\"gpu\":\"1\"} by=alice(1001) seq=7");
    }
}
