package io.muster.inventory.state;

import static io.muster.inventory.state.States.config;
import static io.muster.inventory.state.States.define;
import static io.muster.inventory.state.States.drain;
import static io.muster.inventory.state.States.exclude;
import static io.muster.inventory.state.States.hold;
import static io.muster.inventory.state.States.include;
import static io.muster.inventory.state.States.map;
import static io.muster.inventory.state.States.report;
import static io.muster.inventory.state.States.resources;
import static io.muster.inventory.state.States.shrink;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.rset.ResourceSet;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Another R in place of the one at hand: everything follows its host. */
class RedefineTest {
    private final States four = States.four();

    private InventoryState redefined(String ranks, String hosts) {
        return four.after(define(resources(ranks, hosts))).state();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // old ranks | old hosts | new ranks | new hosts | moved | vanished | added
                "0-3|host[0-3]|0-3|host[0-3]|``|``|``",
                "0-3|host[0-3]|0-2|host[0-2]|``|host3|``",
                "0-3|host[0-3]|0-4|host[0-4]|``|``|host4",
                "0-3|host[0-3]|0-3|host[3,2,1,0]|host[0-3]|``|``",
                "0-3|host[0-3]|0-3|host[1-3,0]|host[0-3]|``|``",
                "0-3|host[0-3]|4-7|host[0-3]|host[0-3]|``|``",
                "0-3|host[0-3]|0-3|host[0-2,9]|``|host3|host9",
                "0-3|host[0-3]|0,2-3|host[0,2-3]|``|host1|``",
                "0-3|host[0-3]|0-2|host[0,2-3]|host[2-3]|host1|``",
                "0-3|host[0-3]|0-1|a,b|``|host[0-3]|a,b",
                "0-3|a,a,b,b|0-3|b,b,a,a|a,a,b,b|``|``",
                "0-3|a,a,b,b|0-2|a,b,b|b,b|a|``",
                "0-2|a,b,b|0-3|a,a,b,b|b,b|``|a",
                "0-1|a,a|5|a|a|a|``",
                "5|a|0-1|a,a|a|``|a",
                "0-1|a,b|0-1|b,b|b|a|b",
            })
    void whereHostsWent(
            String ranks, String hosts, String newRanks, String newHosts, String moved, String gone, String added) {
        InventoryState state =
                States.empty().after(define(resources(ranks, hosts))).state();
        Remap remap = state.remapTo(resources(newRanks, newHosts));
        assertThat(remap.moved()).hasToString(moved);
        assertThat(remap.vanished()).hasToString(gone);
        assertThat(remap.added()).hasToString(added);
        assertThat(remap.isIdentity()).isEqualTo((moved + gone + added).isEmpty());
        assertThat(remap.from().hosts()).isEqualTo(state.resources().hosts());
        assertThat(remap.to().hosts()).hasToString(newHosts);
    }

    @Test
    void everyAxisFollowsItsHost() {
        four.after(
                drain("0", "dimm"),
                report("torpid", "1"),
                exclude("2"),
                shrink("3"),
                new Command.Properties(true, map("debug", "0-1")));
        InventoryState state = redefined("0-3", "host[3,2,1,0]");
        assertThat(state.holds().held()).hasToString("3");
        assertThat(state.liveness().torpid()).hasToString("2");
        assertThat(state.liveness().online()).hasToString("0-1,3");
        assertThat(state.membership().excluded()).hasToString("1");
        assertThat(state.view().lost()).hasToString("0");
        assertThat(state.resources().properties()).hasToString("{batch=3, debug=2-3}");
        assertThat(state.departed()).isEmpty();
    }

    @Test
    void aHostThatTakesARankTakesNothingElse() {
        four.after(drain("3", "dimm"), report("torpid", "2"), new Command.Properties(true, map("debug", "2-3")));
        InventoryState state = redefined("0-3", "host[0-2,9]");
        assertThat(state.holds().held()).hasToString("");
        assertThat(state.view().up()).hasToString("0-1");
        assertThat(Objects.requireNonNull(state.liveness().of(3)).cause()).isEqualTo("defined");
        assertThat(state.resources().properties()).hasToString("{batch=3, debug=2}");
        assertThat(state.departed()).containsOnlyKeys("host3");
    }

    @Test
    void aHostComesBackAsItLeftButNotLost() {
        four.after(
                drain("3", "dimm"),
                hold("3", "ops", 500),
                exclude("2"),
                shrink("1"),
                new Command.Properties(true, map("debug", "2-3")),
                new Command.Properties(false, map("batch", "3")));
        InventoryState away = redefined("0", "host0");
        assertThat(away.departed()).containsOnlyKeys("host2", "host3");
        assertThat(away.holds().nextDeadline()).isZero();
        assertThat(away.members()).hasToString("0");

        InventoryState back = redefined("0-3", "host[3,2,1,0]");
        assertThat(back.departed()).isEmpty();
        assertThat(back.holds().held()).hasToString("0");
        assertThat(Objects.requireNonNull(back.holds().on(0)).holds()).hasSize(2);
        assertThat(back.holds().nextDeadline()).isEqualTo(500);
        assertThat(back.membership().excluded()).hasToString("1");
        assertThat(back.view().lost()).hasToString("");
        assertThat(back.resources().properties()).hasToString("{batch=3, debug=0-1}");
        assertThat(back.liveness().online()).hasToString("3");
    }

    @Test
    void ranksOfOneHostStayApart() {
        States two = States.empty().after(define(resources("0-1", "a,a")), drain("0", "first"), hold("1", "ops", 0));
        InventoryState swapped = two.after(define(resources("0-2", "b,a,a"))).state();
        assertThat(Objects.requireNonNull(swapped.holds().on(1)).holds())
                .extracting(Hold::holder)
                .containsExactly("admin");
        assertThat(Objects.requireNonNull(swapped.holds().on(2)).holds())
                .extracting(Hold::holder)
                .containsExactly("ops");

        InventoryState one = two.after(define(resources("0", "a"))).state();
        assertThat(one.holds().held()).hasToString("0");
        assertThat(Objects.requireNonNull(one.departed().get("a")).holds())
                .extracting(set -> Objects.requireNonNull(set).oldest().holder())
                .isEqualTo("ops");

        InventoryState both = two.after(define(resources("0-1", "a,a"))).state();
        assertThat(Objects.requireNonNull(both.holds().on(0)).holds())
                .extracting(Hold::holder)
                .containsExactly("admin");
        assertThat(Objects.requireNonNull(both.holds().on(1)).holds())
                .extracting(Hold::holder)
                .containsExactly("ops");
    }

    @Test
    void ofAHostThatLeftAltogetherEveryHoldIsKept() {
        States two = States.empty().after(define(resources("0-1", "a,a")), drain("0", "x"), drain("1", "y"));
        two.after(hold("1", "ops", 0), define(resources("0", "b")));
        assertThat(Objects.requireNonNull(
                                Objects.requireNonNull(two.state().departed().get("a"))
                                        .holds())
                        .holds())
                .extracting(Hold::reason)
                .containsExactly("x", "held");
        assertThat(two.after(define(resources("7", "a"))).state().holds().held())
                .hasToString("7");
    }

    @Test
    void whatTheConfigurationExcludesFollowsItsHostUntilItSaysOtherwise() {
        four.after(config("3"), exclude("2"));
        redefined("0-3", "host[3,2,1,0]");
        assertThat(four.state().membership().ranks(Membership.Kind.CONFIG)).hasToString("0");
        four.after(config("1"));
        assertThat(four.state().members()).hasToString("0,2-3");
        four.after(config(""));
        assertThat(four.state().members()).hasToString("0,2-3");
        four.after(include("1"));
        assertThat(four.state().members()).hasToString("0-3");
    }

    @ParameterizedTest
    @CsvSource({
        // start, expiration of the new R, what comes of an admin's 5000
        "0.0, 0.0, 5000",
        "4999.0, 0.0, 5000",
        "5000.0, 0.0, 0",
        "9000.0, 0.0, 0",
        "0.0, 7000.0, 7000",
        "9000.0, 9500.0, 9500",
    })
    void anAdminsExpirationLastsUntilROverrulesIt(String start, String expiration, double outcome) {
        four.after(new Command.SetExpiration(5000));
        String r = resources("0-3", "host[3,2,1,0]")
                .toString()
                .replace("\"starttime\":0.0", "\"starttime\":" + start)
                .replace("\"expiration\":0.0", "\"expiration\":" + expiration);
        four.after(define(ResourceSet.parse(r)));
        assertThat(four.state().view().expiration()).isEqualTo(outcome);
        InventoryState read = Snapshot.parse(States.tree(Snapshot.toBytes(four.state())));
        assertThat(read.view().expiration()).isEqualTo(outcome);
    }

    @Test
    void aPropertyThatRTakesOverIsNotTheAdminsAnyLongerThanItSays() {
        four.after(new Command.Properties(true, map("batch", "0")), new Command.Properties(false, map("batch", "3")));
        redefined("0-2", "host[0-2]");
        assertThat(four.state().resources().properties()).hasToString("{batch=0}");
        redefined("0-3", "host[0-3]");
        assertThat(four.state().resources().properties()).hasToString("{batch=0}");
        four.after(new Command.Properties(true, map("batch", "3")));
        assertThat(four.state().resources().properties()).hasToString("{batch=0,3}");
        assertThat(four.state().definition().removed()).isEmpty();
    }
}
