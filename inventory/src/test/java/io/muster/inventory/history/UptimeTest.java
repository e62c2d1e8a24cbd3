package io.muster.inventory.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.PlanChanges;
import io.muster.inventory.state.ReportChanges;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UptimeTest {
    private static final Principal ADA = new Principal(1001, "ada", 7, 1001);

    private final List<Entry> entries = new ArrayList<>();
    private InventoryState state = InventoryState.empty();

    private void at(double time, Command command) {
        for (Event event : command.decide(state, time, ADA).events()) {
            Entry entry = new Entry(entries.size() + 1L, time, ADA, event);
            entries.add(entry);
            state = entry.applyTo(state);
        }
    }

    /** R of ranks from 0, each with the host that stands at its place. */
    private static Command define(String... hosts) {
        String list = String.join("\",\"", hosts);
        return new DefinitionChanges.Define(
                ResourceSet.parse(
                        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"" + Idset.range(0, hosts.length - 1)
                                + "\",\"children\":{\"core\":\"0\"}}],\"starttime\":0.0,\"expiration\":0.0,\"nodelist\":[\""
                                + list + "\"]}}"),
                "configuration",
                Liveness.Status.ONLINE);
    }

    private static Command drain(String host, String holder, String holdClass) {
        return new HoldChanges.Drain(host, "x", HoldChanges.Mode.UPDATE, holder, 0, 0, 0, Purpose.of(holdClass, ""));
    }

    private static Command undrain(String host, String holder) {
        return new HoldChanges.Undrain(host, "x", HoldChanges.Mode.UPDATE, holder);
    }

    private static Command report(LivenessChange change, String host) {
        return new LivenessChanges.SetLiveness(change, host, "x");
    }

    private ObjectNode sum(double since, double until, Uptime.@Nullable By by, int bars) {
        Uptime uptime = new Uptime(
                new Period(since, until), new Uptime.Rows(by, host -> List.of(host.substring(0, 1)), 0, bars));
        Tracker tracker = new Tracker(uptime);
        entries.forEach(tracker::add);
        uptime.finish();
        return uptime.toJson();
    }

    /** Returns the states that took time and what is not 0. */
    private static String text(JsonNode row) {
        StringBuilder text = new StringBuilder();
        row.path("seconds").properties().forEach(each -> {
            if (each.getValue().asDouble() > 0) {
                text.append(each.getKey())
                        .append(' ')
                        .append(each.getValue().asInt())
                        .append(' ');
            }
        });
        for (String key : List.of(
                "outages", "open", "earlier", "mtbf_seconds", "mttr_seconds", "longest_seconds", "planned_times")) {
            text.append(
                    row.path(key).asInt() == 0
                            ? ""
                            : key.replace("_seconds", "") + " " + row.path(key).asInt() + " ");
        }
        return text.toString().strip();
    }

    @Test
    void anOutageLastsWhileAHostIsOutForWhateverReason() {
        at(0, define("n0", "n1"));
        at(10, report(LivenessChange.OFFLINE, "n0"));
        at(20, drain("n0", "admin", "hardware"));
        at(30, report(LivenessChange.ONLINE, "n0"));
        at(40, undrain("n0", "admin"));
        at(50, report(LivenessChange.TORPID, "n0"));
        assertThat(text(sum(0, 60, null, 0).path("total")))
                .isEqualTo("available 80 torpid 10 offline 10 drained 20 outages 2 open 1 mtbf 40 mttr 20 longest 30");
        assertThat(text(sum(15, 35, Uptime.By.HOST, 0).path("rows").path(0)))
                .isEqualTo("offline 5 drained 15 outages 1 open 1 earlier 1 mttr 20 longest 20");
    }

    @Test
    void plannedMaintenanceIsNoOutageUnlessAnotherHoldIsNotPlanned() {
        at(0, define("n0"));
        at(10, drain("n0", "ops", "maintenance"));
        at(20, report(LivenessChange.OFFLINE, "n0"));
        at(30, drain("n0", "nhc", "hardware"));
        at(40, undrain("n0", "nhc"));
        at(50, report(LivenessChange.ONLINE, "n0"));
        at(60, undrain("n0", "ops"));
        JsonNode found = sum(0, 70, Uptime.By.CLASS, 0);
        assertThat(text(found.path("total")))
                .isEqualTo("available 20 planned 40 drained 10 outages 1 mtbf 20 mttr 10 longest 10 planned_times 2");
        assertThat(found.path("rows").path(0).path("class").asText()).isEqualTo("hardware");
        assertThat(text(found.path("rows").path(0))).isEqualTo("drained 10 outages 1 mttr 10 longest 10");
        assertThat(found.path("rows").path(0).path("mtbf_seconds").isNull()).isTrue();
        assertThat(text(found.path("rows").path(1))).isEqualTo("planned 40 planned_times 2");
    }

    @Test
    void aPlannedHoldThatBeginsIsPlannedWhateverItsClass() {
        at(0, define("n0"));
        at(5, new HoldChanges.Drain("n0", "x", HoldChanges.Mode.UPDATE, "ops", 10, 20, 0, Purpose.NONE));
        assertThat(text(sum(0, 8, null, 0).path("total"))).isEqualTo("available 8");
        at(10, new PlanChanges.MeetDeadlines());
        at(20, new PlanChanges.MeetDeadlines());
        assertThat(text(sum(0, 30, null, 0).path("total"))).isEqualTo("available 20 planned 10 planned_times 1");
    }

    @Test
    void aMaintenanceEndsWithItsHoldAlsoIfItIsUnknownThenWhetherTheHostIsUp() {
        at(0, define("n0"));
        at(0, new ReportChanges.Register("bridge", Idset.of(0), Idset.of(0), Idset.EMPTY));
        at(5, new DefinitionChanges.Restart());
        at(10, drain("n0", "ops", "maintenance"));
        at(20, undrain("n0", "ops"));
        at(30, drain("n0", "ops", "maintenance"));
        assertThat(text(sum(0, 40, null, 0).path("total")))
                .isEqualTo("available 5 unknown 15 planned 20 planned_times 2");
        assertThat(text(sum(0, 40, Uptime.By.CLASS, 0).path("rows").path(0))).isEqualTo("planned 20 planned_times 2");
    }

    @Test
    void aLostReporterNeitherBeginsNorEndsAnOutage() {
        at(0, define("n0", "n1"));
        at(0, new ReportChanges.Register("bridge", Idset.range(0, 1), Idset.range(0, 1), Idset.EMPTY));
        at(10, report(LivenessChange.OFFLINE, "n0"));
        at(20, new DefinitionChanges.Restart());
        at(30, new ReportChanges.Register("bridge", Idset.of(0), Idset.EMPTY, Idset.EMPTY));
        at(40, report(LivenessChange.ONLINE, "n0"));
        assertThat(text(sum(0, 50, Uptime.By.HOST, 0).path("rows").path(0)))
                .isEqualTo("available 20 offline 20 unknown 10 outages 1 mtbf 20 mttr 20 longest 20");
        assertThat(text(sum(0, 50, Uptime.By.HOST, 0).path("rows").path(1)))
                .as("a new report that does not name the host")
                .isEqualTo("available 40 unknown 10");
    }

    @Test
    void aHostKeepsItsTimeWhenRanksChangeAndHasNoneWhileItIsNotInR() {
        at(0, define("a0", "a1"));
        at(10, drain("a1", "admin", ""));
        at(20, define("b0", "a1", "a0"));
        at(30, define("b0"));
        at(40, define("a1", "b0"));
        assertThat(sum(0, 50, Uptime.By.HOST, 0).path("rows"))
                .extracting(row -> row.path("host").asText() + " " + text(row))
                .containsExactly(
                        "a1 available 10 drained 30 outages 2 open 1 mtbf 5 mttr 15 longest 20",
                        "a0 available 30",
                        "b0 available 30");
        assertThat(sum(0, 50, Uptime.By.RACK, 0).path("rows"))
                .extracting(row -> row.path("rack").asText() + row.path("nnodes") + " " + text(row))
                .containsExactly(
                        "a2 available 40 drained 30 outages 2 open 1 mtbf 20 mttr 15 longest 20", "b1 available 30");
    }

    @Test
    void aHostWithSeveralRanksIsAsBadAsItsWorstRank() {
        at(0, define("n0", "n0", "n1"));
        at(10, new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "1", "x"));
        at(20, new MembershipChanges.Exclude("0", "x"));
        at(30, new LivenessChanges.SetLiveness(LivenessChange.ONLINE, "1", "x"));
        assertThat(text(sum(0, 40, Uptime.By.HOST, 0).path("rows").path(0)))
                .isEqualTo("available 10 offline 10 excluded 20 outages 1 mtbf 10 mttr 10 longest 10");
    }

    @Test
    void barsDivideThePeriodAndAPeriodWithoutTimeHasNone() {
        at(0, define("n0", "n1"));
        at(15, drain("n0", "admin", ""));
        at(35, undrain("n0", "admin"));
        assertThat(sum(0, 40, null, 4).path("bars"))
                .extracting(UptimeTest::text)
                .containsExactly(
                        "available 20", "available 15 drained 5", "available 10 drained 10", "available 15 drained 5");
        assertThat(text(sum(50, 40, Uptime.By.HOST, 4).path("total"))).isEmpty();
        assertThat(sum(50, 40, Uptime.By.HOST, 4).path("bars")).isEmpty();
    }

    @Test
    void timeWithoutEventsIsNotRecordedUntilAStateIsKnown() {
        at(0, define("n0", "n1"));
        at(10, report(LivenessChange.OFFLINE, "n0"));
        Uptime uptime = new Uptime(new Period(0, 50), new Uptime.Rows(null, List::of, 0, 0));
        Tracker tracker = new Tracker(uptime);
        entries.forEach(tracker::add);
        int known = entries.size();
        tracker.missing();
        at(20, report(LivenessChange.ONLINE, "n0"));
        entries.subList(known, entries.size()).forEach(tracker::add);
        at(25, report(LivenessChange.OFFLINE, "n0"));
        tracker.add(state, 30);
        uptime.finish();
        assertThat(text(uptime.toJson().path("total")))
                .isEqualTo("available 40 offline 20 unrecorded 40 outages 1 open 1 mtbf 40 mttr 20 longest 20");
    }
}
