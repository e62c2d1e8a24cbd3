package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AlertChangesTest {
    private final States four = States.four();

    private static Command fire(String host, String fingerprint, double until) {
        return new AlertChanges.Fire(host, "alerts", fingerprint, "hot", until);
    }

    private String words(Command command) {
        return States.words(four.run(command));
    }

    private String holders(int rank) {
        var set = four.state().holds().on(rank);
        return set == null
                ? ""
                : String.join(" ", set.holds().stream().map(h -> h.holder()).toList());
    }

    @Test
    void eachAlertHasAHoldOfItsOwn() {
        assertThat(words(fire("host1", "a1", 500)))
                .isEqualTo("drain {'idset':'1','nodelist':'host1','reason':'hot','overwrite':0,"
                        + "'holder':'alerts:a1','until':500}");
        four.after(fire("host1", "b2", 500));
        assertThat(holders(1)).isEqualTo("alerts:a1 alerts:b2");
        assertThat(words(new AlertChanges.Resolve("alerts", "a1", "over")))
                .isEqualTo(
                        "undrain {'idset':'1','nodelist':'host1','reason':'over','overwrite':0,'holder':'alerts:a1'}");
        assertThat(holders(1)).isEqualTo("alerts:b2");
    }

    @Test
    void aRepeatedAlertExtendsItsHoldOnlyByMoreThanAMinute() {
        four.after(fire("host1", "a1", 500));
        assertThat(words(fire("host1", "a1", 530))).isEmpty();
        assertThat(words(fire("host1", "a1", 400))).isEmpty();
        assertThat(words(fire("host1", "a1", 700))).contains("'until':700");
        assertThat(four.state().holds().nextDeadline()).isEqualTo(700);
    }

    @Test
    void theEndOfAnUnknownAlertChangesNothing() {
        four.after(fire("host1", "a1", 500));
        four.after(new HoldChanges.Drain("2", "by hand", HoldChanges.Mode.NONE, "alerts", 0));
        assertThat(words(new AlertChanges.Resolve("alerts", "b2", "over"))).isEmpty();
        assertThat(words(new AlertChanges.Resolve("other", "a1", "over"))).isEmpty();
        assertThat(holders(1) + "," + holders(2)).isEqualTo("alerts:a1,alerts");
    }

    @Test
    void anUnknownHostIsRefusedAndAnExcludedHostIsIgnored() {
        assertThat(words(fire("host9", "a1", 500))).isEqualTo("INVALID there is no host host9");
        assertThat(words(fire("1", "a1", 500))).as("a rank is no host").isEqualTo("INVALID there is no host 1");
        assertThat(words(fire("host[0-1]", "a1", 500))).startsWith("INVALID there is no host");
        four.after(new MembershipChanges.Exclude("1", null));
        assertThat(words(fire("host1", "a1", 500))).isEmpty();
    }

    @Test
    void resolvingAnAlertEndsTheHoldOfADepartedHost() {
        four.after(fire("host3", "a3", 500));
        four.after(new DefinitionChanges.Define(
                States.resources("0-2", "host[0-2]"),
                "configuration",
                io.muster.inventory.axis.Liveness.Status.ONLINE));
        assertThat(four.state().departed()).containsKey("host3");
        assertThat(words(new AlertChanges.Resolve("alerts", "a3", "over"))).contains("'departed':'host3'");
        assertThat(four.state().departed()).doesNotContainKey("host3");
    }
}
