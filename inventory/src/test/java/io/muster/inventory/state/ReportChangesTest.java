package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Report;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.status.HostState;
import io.muster.inventory.status.HostStatus;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.StateGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The liveness of ranks that a reporter reports, and of ranks whose reporter is lost. */
class ReportChangesTest {
    private static final Idset ALL = Idset.range(0, 3);
    private static final Command REGISTER =
            new ReportChanges.Register("bridge", Idset.range(1, 3), Idset.range(1, 2), Idset.EMPTY);

    private static InventoryState after(InventoryState state, double time, Command command) {
        Decision decision = command.decide(state, time, States.ALICE);
        assertThat(decision.rejection()).isNull();
        for (Event event : decision.events()) {
            state = state.apply(event, time, States.ALICE);
        }
        return state;
    }

    private static InventoryState lost() {
        InventoryState state = after(States.four().state(), 100, REGISTER);
        return after(state, 200, new ReportChanges.Lapse("bridge"));
    }

    private static List<String> words(InventoryState state, Idset allocated) {
        return StateGroup.of(state, allocated, ALL).stream()
                .map(group -> group.word() + " " + group.ranks())
                .toList();
    }

    @Test
    void theSnapshotHasTheReport() {
        InventoryState state = lost();
        InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(state)));
        assertThat(States.snapshot(read)).isEqualTo(States.snapshot(state)).contains("\"lapsed\":200");
        assertThat(read.liveness().reports().all())
                .containsExactlyElementsOf(state.liveness().reports().all());
    }

    @Test
    void theJournalHasTheReport() {
        InventoryState state = States.four().state();
        Event reported = REGISTER.decide(state, 100, States.ALICE).events().get(0);
        Entry entry = new Entry(9, 100, States.ALICE, reported);
        ObjectNode json = entry.toJson().put("seq", 9);
        assertThat(Entry.parse(json)).isEqualTo(entry);
        assertThat(json.path("context").path("reporter").asText()).isEqualTo("bridge");
    }

    @Test
    void aReportFollowsItsHostsToTheirNewRanks() {
        InventoryState state = lost();
        InventoryState next = state.redefine(
                States.resources("0-1", "host[2-3]"),
                "configuration",
                new LivenessState(Liveness.Status.OFFLINE, 300, "defined"));
        assertThat(next.liveness().reports().unknown()).hasToString("0-1");
    }

    @Test
    void aRankOfALostReporterCanBeForcedDown() {
        InventoryState state = lost();
        assertThat(state.liveness().reports().unknown().contains(3)).isTrue();
        InventoryState forced = after(state, 300, new LivenessChanges.ForceDown(Idset.of(3)));
        assertThat(forced.liveness().offline(ALL)).hasToString("3");
    }

    @Test
    void unknownRanksHaveTheirOwnGroups() {
        assertThat(words(lost(), Idset.EMPTY)).containsExactly("available 0", "unknown 1-2", "unknown 3");
        StateGroup unknown = StateGroup.of(lost(), Idset.EMPTY, ALL).get(1);
        assertThat(unknown.reason()).isEqualTo("bridge does not report");
        assertThat(unknown.since()).isEqualTo(200);
        assertThat(unknown.toJson(lost().resources(), false).toString())
                .contains("\"online\":null", "\"reporter\":\"bridge\"", "\"unknown_since\":\"1970-01-01T00:03:20Z\"");
    }

    @Test
    void allocatedAndDrainingAreSeparateStates() {
        InventoryState state = States.four().state();
        state = after(state, 100, new HoldChanges.Drain("2-3", "fan", HoldChanges.Mode.NONE, "admin", 0));
        assertThat(words(state, Idset.parse("1-2")))
                .containsExactly("available 0", "allocated 1", "draining 2", "drained 3");
        assertThat(HostState.DRAINING.word()).isEqualTo("draining");
    }

    @Test
    void anAccountOfAHostShowsUnknownLivenessAndJobs() {
        JobUsage usage = new JobUsage("bridge", Idset.range(1, 3), Idset.of(1), 190);
        HostStatus known = new HostStatus(lost(), 1, List.of(usage), List.of());
        assertThat(known.account().toString())
                .contains("\"reporter\":\"bridge\"", "\"reported\":\"online\"")
                .contains("\"allocated_reporter\":\"bridge\"");
        assertThat(known.toJson().path("liveness").asText()).isEqualTo("unknown");
        assertThat(known.toJson().path("allocated").asBoolean()).isTrue();
        HostStatus silent = new HostStatus(lost(), 0, List.of(usage), List.of());
        assertThat(silent.account().path("allocated_reporter").isNull()).isTrue();
        assertThat(silent.toJson().path("allocated").isNull()).isTrue();
    }

    @Test
    void aNewReporterTakesOverRanksOfALostReporter() {
        InventoryState state =
                after(lost(), 300, new ReportChanges.Register("other", Idset.of(3), Idset.of(3), Idset.EMPTY));
        assertThat(state.liveness().reports().unknown()).hasToString("1-2");
        assertThat(state.liveness().reports().all())
                .extracting(Report::reporter)
                .containsExactly("bridge", "other");
    }

    @Test
    void scatteredReportsAreRefusedWithAShortSentence() {
        StringBuilder scattered = new StringBuilder("0");
        for (int i = 1; i <= Targets.MOST_RANGES; i++) {
            scattered.append(',').append(2 * i);
        }
        Idset many = Idset.parse(scattered.toString());
        Decision decision = new ReportChanges.Register("bridge", many, Idset.EMPTY, Idset.EMPTY)
                .decide(States.four().state(), 1, States.ALICE);
        assertThat(decision.rejection())
                .isNotNull()
                .satisfies(refusal -> assertThat(refusal.text())
                        .isEqualTo("the report has 16385 separate ranges of ranks, but may have at most 16384"));
    }

    @Test
    void ownersAndReportersAreLimited() {
        InventoryState state = States.four().state();
        for (int i = 0; i < AcquisitionChanges.MOST; i++) {
            state = after(state, 1, new AcquisitionChanges.Claim("owner" + i, 60));
        }
        Decision owner = new AcquisitionChanges.Claim("one-more", 60).decide(state, 1, States.ALICE);
        assertThat(owner.rejection()).isNotNull();
        assertThat(new AcquisitionChanges.Claim("owner3", 90)
                        .decide(state, 1, States.ALICE)
                        .rejection())
                .isNull();
    }
}
