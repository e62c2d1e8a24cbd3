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
import static io.muster.inventory.state.States.undrain;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.HoldChanges.Mode;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of replacing R: every setting of a host follows the host. */
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
                "0-4|n[1-3,2-3]|0-5|n[3,2-3,1,9,2]|n[1,3,2-3]|``|n9",
                "0-3|n[08-11]|0-3|n[8-11]|``|n[08-09]|n[8-9]",
                "1,3,5-7|n[1-5]|0-4|n[1-5]|n[1-5]|``|``",
                "0-2|n[1-3]-ib|0-2|n3-ib,n2-ib,n1-ib|n1-ib,n3-ib|``|``",
            })
    void aRemapListsMovedVanishedAndAddedHosts(
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
                new DefinitionChanges.ChangeProperties(true, map("debug", "0-1")));
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
    void aNewHostDoesNotGetTheSettingsOfThePreviousHostOfItsRank() {
        four.after(
                drain("3", "dimm"),
                report("torpid", "2"),
                new DefinitionChanges.ChangeProperties(true, map("debug", "2-3")));
        InventoryState state = redefined("0-3", "host[0-2,9]");
        assertThat(state.holds().held()).hasToString("");
        assertThat(state.view().up()).hasToString("0-1");
        assertThat(Objects.requireNonNull(state.liveness().of(3)).cause()).isEqualTo("defined");
        assertThat(state.resources().properties()).hasToString("{batch=3, debug=2}");
        assertThat(state.departed()).containsOnlyKeys("host3");
    }

    @Test
    void aReturningHostGetsItsSettingsBackButIsNotLost() {
        four.after(
                drain("3", "dimm"),
                hold("3", "ops", 500),
                exclude("2"),
                shrink("1"),
                new DefinitionChanges.ChangeProperties(true, map("debug", "2-3")),
                new DefinitionChanges.ChangeProperties(false, map("batch", "3")));
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
    void ranksOfOneHostKeepSeparateHolds() {
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
    void allHoldsOfAHostWithTwoRanksAreKeptWhenTheHostLeaves() {
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
    void anExclusionByTheConfigurationFollowsItsHostUntilTheConfigurationChanges() {
        four.after(config("3"), exclude("2"));
        redefined("0-3", "host[3,2,1,0]");
        assertThat(four.state().membership().ranks(Membership.Kind.CONFIG)).hasToString("0");
        four.after(config("2"));
        assertThat(four.state().members()).hasToString("0,2-3");
        four.after(config(""));
        assertThat(four.state().members()).hasToString("0,2-3");
        four.after(include("1"));
        assertThat(four.state().members()).hasToString("0-3");
    }

    @Test
    void theConfigurationExcludesHostsAtTheirCurrentRanks() {
        redefined("0-4", "host[9,3,2,1,0]");
        four.after(config("0-1,3"));
        assertThat(four.state().membership().ranks(Membership.Kind.CONFIG)).hasToString("1,3-4");
        redefined("5-6", "host[1,8]");
        four.after(config("0-1"));
        assertThat(four.state().membership().ranks(Membership.Kind.CONFIG)).hasToString("5");
    }

    @Test
    void theConfigurationExcludesOneOfSeveralRanksOfAHost() {
        ResourceSet configured = resources("0-3", "a,a,b,b");
        States state = States.empty().after(define(configured));
        Command second = new MembershipChanges.ExcludeByConfig(configured, Idset.of(1, 2));
        assertThat(state.after(second).state().membership().excluded()).hasToString("1-2");
        state.after(define(resources("0-2", "b,a,c")), second);
        assertThat(state.state().membership().excluded()).hasToString("0");
    }

    /**
     * A host that the configuration excludes must never be offered, and an exclusion by an older configuration must not
     * persist.
     */
    @Test
    void aNewRAndTheExclusionsByItsConfigurationAreDefinedTogether() {
        four.after(config("3"), define(resources("0-2", "host[0-2]")));
        assertThat(four.state().departed()).isEmpty();
        Command back = new DefinitionChanges.Define(
                resources("0-3", "host[3,2,1,0]"), "reload", Liveness.Status.ONLINE, config("2-3"));
        assertThat(States.words(four.run(back)))
                .matches("(?s)resource-define \\{.*\\}\nexclude \\{'idset':'0-1','nodelist':'host\\[3,2\\]',"
                        + "'kind':'config','reason':'resource.exclude'\\}");
        assertThat(four.state().members()).hasToString("2-3");
        Command same = new DefinitionChanges.Define(
                four.state().definition().base(), "reload", Liveness.Status.ONLINE, config("2"));
        assertThat(States.words(four.run(same)))
                .isEqualTo("include {'idset':'0','nodelist':'host3','kind':'config',"
                        + "'reason':'no longer in resource.exclude'}");
        assertThat(four.run(same).events()).isEmpty();
    }

    private String outcome(Command command) {
        return States.words(four.run(command));
    }

    @Test
    void aDepartedHostCanBeUndrainedAndIncludedByName() {
        four.after(drain("1-3", "dimm"), hold("3", "ops", 0), exclude("2"));
        redefined("0-1", "host[0-1]");
        assertThat(four.state().departed()).containsOnlyKeys("host2", "host3");
        assertThat(outcome(undrain("host[1,3]")))
                .isEqualTo("undrain {'idset':'1','nodelist':'host[1,3]','departed':'host3','overwrite':0,"
                        + "'holder':'admin'}");
        assertThat(four.state().holds().held()).hasToString("");
        assertThat(outcome(undrain("host3")))
                .isEqualTo("HELD_BY_OTHER host3 (departed) held by ops, set by alice(1001): " + "name the holder");
        assertThat(outcome(undrain("host3", Mode.UPDATE))).isEmpty();
        assertThat(outcome(undrain("host3", Mode.FORCE_OVERWRITE)))
                .isEqualTo("undrain {'idset':'','nodelist':'host3','departed':'host3','overwrite':2,'holder':'*'}");
        assertThat(four.state().departed()).containsOnlyKeys("host2");
        assertThat(outcome(undrain("host2"))).isEqualTo("EXISTS host2 (departed) not drained");
        assertThat(outcome(undrain("host3"))).isEqualTo("INVALID invalid targets: invalid hosts: host3");
        assertThat(outcome(new MembershipChanges.Include("host[0,2]", "back from repair")))
                .isEqualTo("include {'idset':'','nodelist':'host2','departed':'host2','kind':'admin',"
                        + "'reason':'back from repair'}");
        assertThat(four.state().departed()).isEmpty();
        assertThat(redefined("0-3", "host[0-3]").members()).hasToString("0-3");
        assertThat(four.state().holds().held()).hasToString("");
    }

    @Test
    void onlyTheAuthorMayEndAHoldOfADepartedHostWithoutForce() {
        four.after(hold("3", "ops", 0));
        redefined("0-2", "host[0-2]");
        Command undrain = new HoldChanges.Undrain("host3", null, Mode.NONE, "ops");
        assertThat(States.words(four.run(undrain, States.BOB)))
                .isEqualTo("HELD_BY_OTHER host3 (departed) held by ops, set by alice(1001): "
                        + "only the user who set it may change it without force");
        assertThat(outcome(undrain)).contains("'departed':'host3'");
    }

    /** The settings of a departed host can only be removed: the host has no rank that could be drained or get a property. */
    @Test
    void commandsThatSetOrReportSomethingRefuseDepartedHosts() {
        four.after(drain("3", "dimm"), new DefinitionChanges.ChangeProperties(true, map("debug", "3")));
        redefined("0-2", "host[0-2]");
        for (Command command : List.of(
                drain("host[2-3]", "again", Mode.FORCE_OVERWRITE),
                exclude("host3"),
                shrink("host3"),
                report("offline", "host3"),
                new DefinitionChanges.ChangeProperties(true, map("debug", "host3")),
                new DefinitionChanges.ChangeProperties(false, map("debug", "host3")))) {
            assertThat(outcome(command)).isEqualTo("INVALID invalid targets: invalid hosts: host3");
        }
        assertThat(outcome(undrain("host[2-3]"))).isEqualTo("EXISTS rank 2 not drained: host2");
        assertThat(outcome(undrain("host[3-4]"))).isEqualTo("INVALID invalid targets: invalid hosts: host[3-4]");
        four.after(undrain("host3"));
        assertThat(four.state().departed()).containsOnlyKeys("host3");
        assertThat(redefined("0-3", "host[0-3]").resources().properties()).hasToString("{batch=3, debug=3}");
    }

    @ParameterizedTest
    @CsvSource({
        // start, expiration of the new R, resulting expiration if an admin had set 5000
        "0.0, 0.0, 5000",
        "4999.0, 0.0, 5000",
        "5000.0, 0.0, 0",
        "9000.0, 0.0, 0",
        "0.0, 7000.0, 7000",
        "9000.0, 9500.0, 9500",
    })
    void anExpirationByAnAdminLastsUntilANewROverridesIt(String start, String expiration, double outcome) {
        four.after(new DefinitionChanges.SetExpiration(5000));
        String r = resources("0-3", "host[3,2,1,0]")
                .toString()
                .replace("\"starttime\":0.0", "\"starttime\":" + start)
                .replace("\"expiration\":0.0", "\"expiration\":" + expiration);
        four.after(define(ResourceSet.parse(r)));
        assertThat(four.state().view().expiration()).isEqualTo(outcome);
        InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(four.state())));
        assertThat(read.view().expiration()).isEqualTo(outcome);
    }

    @Test
    void changesOfAPropertyByAnAdminSurviveANewRAndCancelOut() {
        four.after(
                new DefinitionChanges.ChangeProperties(true, map("batch", "0")),
                new DefinitionChanges.ChangeProperties(false, map("batch", "3")));
        redefined("0-2", "host[0-2]");
        assertThat(four.state().resources().properties()).hasToString("{batch=0}");
        redefined("0-3", "host[0-3]");
        assertThat(four.state().resources().properties()).hasToString("{batch=0}");
        four.after(new DefinitionChanges.ChangeProperties(true, map("batch", "3")));
        assertThat(four.state().resources().properties()).hasToString("{batch=0,3}");
        assertThat(four.state().definition().removed()).isEmpty();
    }

    @Test
    void anExpiredHoldOfADepartedHostIsNotInForce() {
        four.after(hold("3", "ops", 200), define(resources("0-2", "host[0-2]")));
        Departed left = four.state().departed().get("host3");
        assertThat(left).isNotNull();
        assertThat(left.isHeldAt(199)).isTrue();
        assertThat(left.isHeldAt(200)).isFalse();
        assertThat(new Departed(null, List.of(), List.of("x"), List.of()).isHeldAt(0))
                .isFalse();
    }
}
