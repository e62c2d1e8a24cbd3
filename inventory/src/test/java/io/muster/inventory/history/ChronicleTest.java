package io.muster.inventory.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.HostSearch;
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
    void aSecondDrainAddsOrReplacesTheReasonOrBeginsANewInterval() {
        event("drain", "n1");
        event("drain", "n1", "reason", "filled in");
        assertThat(told()).containsExactly("100.. drained admin filled in  [n1]");
        event("drain", "n1", "reason", "kept out");
        event("drain", "n1", "reason", "replaced", "overwrite", "1");
        assertThat(told()).containsExactly("100.. drained admin replaced  [n1]");
        event("drain", "n1", "reason", "anew", "overwrite", "2");
        assertThat(told()).containsExactly("100..140 drained admin replaced  [n1]", "140.. drained admin anew  [n1]");
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
    void excludingEndsTheHolds() {
        event("drain", "n1", "reason", "bad");
        event("exclude", "n1", "reason", "spare");
        event("include", "n1");
        assertThat(told()).containsExactly("100..110 drained admin bad spare [n1]", "110..120 excluded  spare  [n1]");
    }

    @Test
    void anExclusionThatKeepsHoldsEndsNone() {
        event("drain", "n1", "reason", "bad", "holder", "ops");
        event("exclude", "n1", "kind", "admin", "keeps-holds", "true");
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
        assertThat(told()).containsExactly("50..100 offline  defined  [n1]", "50.. offline  defined  [n2]");
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
}
