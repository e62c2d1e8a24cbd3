package io.muster.inventory.state;

import static io.muster.inventory.state.States.drain;
import static io.muster.inventory.state.States.exclude;
import static io.muster.inventory.state.States.include;
import static io.muster.inventory.state.States.report;
import static io.muster.inventory.state.States.shrink;
import static io.muster.inventory.state.States.undrain;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The limits of one request, which keep the core thread free for the next request. There are 40,000 hosts. */
class RequestLimitsTest {
    private static final int NODES = 40_000;
    private static final String ALL = "0-" + (NODES - 1);
    private static final String SCATTERED =
            "INVALID the request concerns 20000 separate ranges of ranks, but one request may"
                    + " concern at most 16384: name fewer targets in each request";

    private final States states = States.empty()
            .after(new DefinitionChanges.Define(
                    ResourceSet.of(
                            Hostlist.parse("node[" + ALL + "]"),
                            Idset.range(0, NODES - 1),
                            Idset.range(0, 3),
                            Idset.EMPTY,
                            Map.of()),
                    "configuration",
                    Liveness.Status.ONLINE));

    private static String everySecond(int count) {
        Idset.Builder ranks = Idset.builder();
        for (int i = 0; i < count; i++) {
            ranks.add(2 * i);
        }
        return ranks.build().toString();
    }

    private InventoryState with(Event event) {
        return states.state().apply(event, 100, States.ALICE);
    }

    private static String words(InventoryState state, Command command) {
        return States.words(command.decide(state, 200, States.ALICE));
    }

    private String words(Command command) {
        return words(states.state(), command);
    }

    @Test
    void theNumberOfRangesInARequestIsLimited() {
        String most = everySecond(1 << 14);
        states.after(drain(most), undrain(most), report("offline", most), report("online", most));
        states.after(shrink(most), include(most), exclude(most), include(most));
        String more = everySecond(20_000);
        assertThat(words(drain(more))).isEqualTo(SCATTERED);
        assertThat(words(report("offline", more))).isEqualTo(SCATTERED);
        assertThat(words(new LivenessChanges.ForceDown(Idset.parse(more)))).isEqualTo(SCATTERED);
        assertThat(words(shrink(more))).isEqualTo(SCATTERED);
        assertThat(words(exclude(more))).isEqualTo(SCATTERED);
        assertThat(words(undrain(more))).isEqualTo(SCATTERED);
    }

    @Test
    void aShortRequestThatConcernsManyRangesIsRefused() {
        Event.Targets scattered = new Event.Targets(Idset.parse(everySecond(20_000)), "node0");
        InventoryState held =
                with(new HoldChanges.Drained(scattered, "x", HoldChanges.Overwrite.NOTHING, Hold.SHARED, 0));
        assertThat(words(held, drain(ALL))).isEqualTo(SCATTERED);
        assertThat(words(held, drain(ALL, "y", HoldChanges.Mode.FORCE_OVERWRITE)))
                .isEqualTo(SCATTERED);
        assertThat(words(held, undrain(ALL, HoldChanges.Mode.OVERWRITE))).isEqualTo(SCATTERED);
        assertThat(words(held, exclude(ALL))).isEqualTo(SCATTERED);
        assertThat(words(held, drain("1"))).startsWith("drain {");
        assertThat(words(held, undrain("0,2"))).startsWith("undrain {");
        InventoryState lost = with(new MembershipChanges.Excluded(scattered, Membership.Kind.LOST, null));
        assertThat(words(lost, include(ALL))).isEqualTo(SCATTERED);
        InventoryState torpid = with(new LivenessChanges.LivenessChanged(LivenessChange.TORPID, scattered, ""));
        assertThat(words(torpid, report("lively", ALL))).isEqualTo(SCATTERED);
    }

    private static Command properties(boolean add, int from, int count, String targets) {
        SortedMap<String, String> properties = new TreeMap<>();
        for (int i = from; i < from + count; i++) {
            properties.put("p" + i, targets);
        }
        return new DefinitionChanges.ChangeProperties(add, properties);
    }

    @Test
    void aRequestNamesALimitedNumberOfProperties() {
        states.after(properties(true, 0, 1000, "0"), properties(false, 0, 1000, "0"));
        String refusal =
                "INVALID the request names 1001 properties, but one request may name at most 1000: send several"
                        + " requests";
        assertThat(words(properties(true, 0, 1001, "0"))).isEqualTo(refusal);
        assertThat(words(properties(false, 0, 1001, "0"))).isEqualTo(refusal);
    }

    @Test
    void theRangesOfAllPropertiesOfARequestCountTogether() {
        assertThat(words(properties(true, 0, 3, everySecond(5000)))).startsWith("property-add {");
        assertThat(words(properties(true, 0, 4, everySecond(5000)))).isEqualTo(SCATTERED);
    }

    @Test
    void requestsAddPropertiesUpToALimit() {
        for (int i = 0; i < 16; i++) {
            states.after(properties(true, 1000 * i, 1000, "0"));
        }
        states.after(properties(true, 16_000, 384, "0"));
        assertThat(words(properties(true, 16_383, 2, "1")))
                .isEqualTo("INVALID with 1 more, there would be 16385 properties, but requests may add properties only"
                        + " up to 16384: remove properties that nobody needs");
        states.after(properties(true, 0, 1000, "1"), properties(false, 0, 1, "0-1"), properties(true, 16_384, 1, "0"));
        assertThat(states.state().resources().properties()).hasSize(1 << 14).containsKey("p16384");
    }
}
