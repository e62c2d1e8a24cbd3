package io.muster.inventory.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.HostSearch;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChronicleTest {
    private static final HostSearch ALL = new HostSearch(Set.of());
    private final Chronicle chronicle = new Chronicle(Set.of(), true);
    private double time = 100;

    private void event(String name, String nodelist, String... context) {
        ObjectNode event =
                new JsonMapper().createObjectNode().put("timestamp", time).put("name", name);
        ObjectNode inside = event.putObject("context").put("nodelist", nodelist).put("user", "ada");
        for (int i = 0; i < context.length; i += 2) {
            inside.put(context[i], context[i + 1]);
        }
        chronicle.add(PastEvent.of(event, ALL));
        time += 10;
    }

    private static InventoryState defined() {
        ResourceSet resources =
                ResourceSet.parse("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0\",\"children\":"
                        + "{\"core\":\"0\"}}],\"starttime\":0.0,\"expiration\":0.0,\"nodelist\":[\"n1\"]}}");
        Event define = new DefinitionChanges.Defined("configuration", resources, Liveness.Status.ONLINE);
        return InventoryState.empty().apply(define, 1, Principal.DAEMON);
    }

    private static InventoryState drain(InventoryState state, double now, String user, String reason) {
        Principal by = new Principal(1, user, 0);
        Command drain = new HoldChanges.Drain("0", reason, HoldChanges.Mode.OVERWRITE, Hold.SHARED, 0);
        return state.apply(drain.decide(state, now, by).events().get(0), now, by);
    }

    private List<String> told() {
        List<String> lines = new ArrayList<>();
        chronicle.intervals().forEach(entry -> {
            Outage i = entry.getKey();
            String span = (long) i.from() + ".." + (i.isOpen() ? "" : Long.toString((long) i.to()));
            lines.add(String.join(
                    " ",
                    span,
                    i.kind().word(),
                    i.holder(),
                    i.reason(),
                    i.comment(),
                    entry.getValue().toString()));
        });
        return lines;
    }

    @Test
    void hostsWithTheSameIntervalAreListedTogether() {
        event("drain", "n[1-3]", "reason", "bad");
        event("undrain", "n[1-2]", "reason", "fixed");
        assertThat(told())
                .containsExactly("100..110 drained admin bad fixed [n1, n2]", "100.. drained admin bad  [n3]");
    }

    @Test
    void holdersHaveSeparateIntervalsAndAForcedUndrainEndsAll() {
        event("drain", "n1", "reason", "a");
        event("drain", "n1", "reason", "b", "holder", "ops");
        event("undrain", "n1", "holder", "*");
        assertThat(told()).containsExactly("100..120 drained admin a  [n1]", "110..120 drained ops b  [n1]");
    }

    @Test
    void aDrainThatChangesTheReasonBeginsANewInterval() {
        event("drain", "n1");
        event("drain", "n1", "reason", "filled in");
        event("drain", "n1", "reason", "kept out");
        event("drain", "n1", "reason", "replaced", "overwrite", "1");
        event("drain", "n1", "reason", "replaced", "overwrite", "1");
        event("drain", "n1", "reason", "anew", "overwrite", "2");
        assertThat(told())
                .containsExactly(
                        "100..110 drained admin   [n1]",
                        "110..130 drained admin filled in  [n1]",
                        "130..150 drained admin replaced  [n1]",
                        "150.. drained admin anew  [n1]");
    }

    @Test
    void aDrainByAnotherUserLeavesThePastToTheFirstUser() {
        event("drain", "n1", "reason", "dimm");
        event("drain", "n1", "reason", "dimm", "overwrite", "1", "user", "bob");
        assertThat(told()).containsExactly("100..110 drained admin dimm  [n1]", "110.. drained admin dimm  [n1]");
        assertThat(chronicle.intervals())
                .extracting(interval ->
                        interval.getKey().by() + "," + interval.getKey().endedBy())
                .containsExactly("ada,bob", "bob,");
    }

    @Test
    void aStateDoesNotNameTheLastAuthorForTheTimeBefore() {
        InventoryState state = defined();
        state = drain(state, 10, "ada", "dimm");
        state = drain(state, 20, "bob", "fan");
        chronicle.add(state, 30);
        chronicle.add(state, 40);
        assertThat(told()).containsExactly("10..20 drained admin   [n1]", "20.. drained admin fan  [n1]");
        assertThat(chronicle.intervals())
                .extracting(interval -> interval.getKey().by())
                .containsExactly("", "bob");
    }

    @Test
    void anIntervalWithoutAKnownBeginningBeginsAtZero() {
        event("undrain", "n1", "reason", "fixed");
        event("online", "n1");
        event("include", "n1");
        assertThat(told()).containsExactly("0..100 drained admin  fixed [n1]");
        assertThat(chronicle.first()).isEqualTo(100);
    }

    @Test
    void anExclusionEndsNoHold() {
        event("drain", "n1", "reason", "bad", "holder", "ops");
        event("exclude", "n1", "kind", "admin");
        assertThat(told()).containsExactly("100.. drained ops bad  [n1]", "110.. excluded    [n1]");
    }

    @Test
    void everyChangeOfLivenessEndsThePreviousInterval() {
        event("torpid", "n1");
        event("offline", "n1", "cause", "psu");
        event("online", "n1");
        event("torpid", "n2");
        event("lively", "n2");
        assertThat(told())
                .containsExactly("100..110 torpid    [n1]", "110..120 offline  psu  [n1]", "130..140 torpid    [n2]");
    }

    private void define(double at, String initial, String hosts) {
        ObjectNode define =
                new JsonMapper().createObjectNode().put("timestamp", at).put("name", "resource-define");
        ObjectNode context = define.putObject("context").put("initial", initial);
        context.putObject("R").putObject("execution").putArray("nodelist").add(hosts);
        chronicle.add(PastEvent.of(define, ALL));
    }

    @Test
    void anIncludeByTheConfigurationEndsOnlyItsOwnExclusions() {
        event("exclude", "n1", "kind", "config", "reason", "resource.exclude");
        event("exclude", "n1", "kind", "admin", "reason", "spare");
        event("shrink", "n2", "kind", "lost", "reason", "gone");
        event("include", "n[1-2]", "kind", "config", "reason", "no longer in resource.exclude");
        assertThat(told())
                .containsExactly(
                        "100..130 excluded  resource.exclude no longer in resource.exclude [n1]",
                        "110.. excluded  spare  [n1]",
                        "120.. lost  gone  [n2]");
        event("include", "n[1-2]", "kind", "admin");
        assertThat(told())
                .containsExactly(
                        "100..130 excluded  resource.exclude no longer in resource.exclude [n1]",
                        "110..140 excluded  spare  [n1]",
                        "120..140 lost  gone  [n2]");
    }

    @Test
    void onlyIntervalsBegunByAdminsContinueWhenAHostLeavesR() {
        define(50, "online", "n[1-3]");
        event("offline", "n1", "cause", "psu");
        event("drain", "n1", "reason", "psu");
        event("exclude", "n2", "kind", "config", "reason", "resource.exclude");
        define(135, "online", "n3");
        define(145, "online", "n[1-3]");
        define(155, "online", "n[1-3]");
        assertThat(told())
                .containsExactly(
                        "100..135 offline  psu  [n1]",
                        "110.. drained admin psu  [n1]",
                        "120..135 excluded  resource.exclude  [n2]");
    }

    @Test
    void hostsDefinedAsOfflineAreOfflineUntilTheyComeOnline() {
        define(50, "offline", "n[1-2]");
        event("online", "n1");
        assertThat(told())
                .containsExactly(
                        "50..100 offline  assumed, no report since R was defined  [n1]",
                        "50.. offline  assumed, no report since R was defined  [n2]");
    }

    @Test
    void totalsCountOnlyTheTimeWithinThePeriod() {
        event("drain", "n[1-2]", "reason", "bad");
        event("undrain", "n1");
        event("drain", "n1", "reason", "again");
        Totals totals = new Totals(Totals.By.REASON, new Period(105, 130));
        chronicle.intervals().forEach(entry -> totals.add(entry.getKey(), entry.getValue()));

        assertThat(totals.toJson())
                .hasToString("{\"by\":\"reason\",\"since\":\"1970-01-01T00:01:45Z\",\"until\":\"1970-01-01T00:02:10Z\","
                        + "\"totals\":[{\"reason\":\"bad\",\"nnodes\":2,\"times\":2,\"open\":1,\"total_seconds\":30.0,"
                        + "\"mean_seconds\":15.0,\"longest_seconds\":25.0},{\"reason\":\"again\",\"nnodes\":1,\"times\":1,"
                        + "\"open\":1,\"total_seconds\":10.0,\"mean_seconds\":10.0,\"longest_seconds\":10.0}]}");
    }

    @Test
    void changesOnAPageAreByItsUserAndCountForThatUser() {
        event("drain", "n1", "reason", "x", "user", "token:web-ada-0123abcd");
        event("drain", "n2", "reason", "y");
        assertThat(chronicle.intervals())
                .extracting(entry -> entry.getKey().by())
                .containsExactly("ada (page)", "ada");
        Totals totals = new Totals(Totals.By.USER, new Period(100, 200));
        chronicle.intervals().forEach(entry -> totals.add(entry.getKey(), entry.getValue()));
        assertThat(totals.sums()).extracting(Totals.Sum::key).containsExactly("ada");
    }
}
