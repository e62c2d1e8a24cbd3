package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Liveness;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges.Define;
import io.muster.inventory.state.MembershipChanges;
import io.muster.protocol.acquire.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A new R while schedulers have acquired the current R: the differences that wait, how long they wait, and which R is in force. */
class RedefinitionTest {
    private final Rig rig = Rig.ofFour();
    private final FakeSink sink = new FakeSink();
    private final List<String> answers = new ArrayList<>();

    @AfterEach
    void close() {
        rig.close();
    }

    private static ResourceSet withProperty(String hosts, String property) {
        return Rig.nodes(hosts).withProperty(property, Idset.of(0));
    }

    private void configure(ResourceSet resources) {
        rig.inventory
                .redefinition()
                .define(
                        found -> new Define(resources, "configuration", Liveness.Status.ONLINE),
                        answer -> answers.add(Rig.outcome(answer)));
    }

    private void load(ResourceSet resources) {
        rig.inventory
                .redefinition()
                .load(
                        present -> new Define(resources, "reload", Liveness.Status.ONLINE),
                        define -> define,
                        Rig.ALICE,
                        untold -> answers.add("untold " + untold),
                        answer -> answers.add(Rig.outcome(answer)));
    }

    /** The end of a change may begin another one, for which {@link Rig#settle} does not wait. */
    private void settle() {
        for (int i = 0; i < 4; i++) {
            rig.settle();
        }
    }

    private AcquireStream acquire() {
        AcquireStream stream = rig.acquires.acquire(sink, Rig.ALICE, null);
        settle();
        return stream;
    }

    private void assertInForce(ResourceSet resources) {
        assertThat(rig.state().definition().base()).isEqualTo(resources);
        assertThat(rig.inventory.redefinition().waiting()).isEmpty();
    }

    @Test
    void newHostsWaitUntilTheSchedulerReleases() {
        AcquireStream stream = acquire();
        sink.received();
        configure(withProperty("node[0-7]", "gpu"));
        settle();
        assertThat(answers).containsExactly("done 1");
        assertThat(sink.received()).containsExactly("{\"property-add\":{\"gpu\":\"0\"}}");
        assertThat(rig.inventory.redefinition().waiting())
                .hasSize(1)
                .first()
                .asString()
                .contains("node[4-7]");
        rig.acquires.release(stream);
        settle();
        assertInForce(withProperty("node[0-7]", "gpu"));
    }

    @Test
    void aWaitingConfigurationDoesNotReplaceAnRThatAnAdminLoaded() {
        AcquireStream stream = acquire();
        configure(Rig.nodes("node[0-7]"));
        settle();
        rig.holdDisk();
        ResourceSet loaded = withProperty("node[0-3]", "admin");
        load(loaded);
        rig.acquires.release(stream);
        rig.release();
        settle();
        assertInForce(loaded);
    }

    @Test
    void anRWithDifferencesThatTheSchedulerCannotBeSentIsNotLoaded() {
        acquire();
        load(Rig.nodes("node[0-7]"));
        settle();
        assertThat(answers).hasSize(1).first().asString().startsWith("untold ").contains("node[4-7]");
        assertInForce(Rig.nodes("node[0-3]"));
    }

    @Test
    void theLaterOfTwoConfigurationsApplies() {
        AcquireStream stream = acquire();
        configure(withProperty("node[0-7]", "first"));
        settle();
        rig.holdDisk();
        configure(withProperty("node[0-9]", "second"));
        rig.core.runReady();
        rig.acquires.release(stream);
        rig.release();
        settle();
        assertInForce(withProperty("node[0-9]", "second"));
    }

    @Test
    void aSchedulerThatAcquiresBeforeTheNewHostsAreInForceKeepsThemWaiting() {
        AcquireStream stream = acquire();
        configure(Rig.nodes("node[0-7]"));
        settle();
        rig.holdDisk();
        configure(withProperty("node[0-9]", "gpu"));
        rig.core.runReady();
        rig.acquires.release(stream);
        AcquireStream next = rig.acquires.acquire(new FakeSink(), Rig.BOB, null);
        rig.release();
        settle();
        assertThat(rig.state().definition().base()).isEqualTo(withProperty("node[0-3]", "gpu"));
        assertThat(rig.inventory.redefinition().waiting())
                .hasSize(1)
                .first()
                .asString()
                .contains("node[4-9]");
        rig.acquires.release(next);
        settle();
        assertInForce(withProperty("node[0-9]", "gpu"));
    }

    @Test
    void aSchedulerIsSentTheLastOfSeveralPendingDefinitions() {
        rig.holdDisk();
        rig.send("first", new Define(Rig.nodes("other[0-1]"), "reload", Liveness.Status.ONLINE));
        rig.acquires.acquire(sink, Rig.ALICE, null);
        rig.send("second", new Define(Rig.nodes("third[0-2]"), "reload", Liveness.Status.ONLINE));
        rig.release();
        settle();
        assertThat(sink.received()).hasSize(1).first().asString().contains("third[0-2]");
    }

    @Test
    void aRefusedWriteOfTheNewHostsIsRetriedWhenASchedulerAcquires() {
        AcquireStream stream = acquire();
        configure(Rig.nodes("node[0-7]"));
        settle();
        sink.received();
        rig.fillDisk();
        rig.acquires.release(stream);
        settle();
        rig.healDisk();
        rig.advance(Duration.ofSeconds(5));
        acquire();
        assertThat(sink.received()).hasSize(1).first().asString().contains("node[0-7]");
        assertInForce(Rig.nodes("node[0-7]"));
    }

    @Test
    void aSchedulerThatIsOfferedNoRankDoesNotKeepNewHostsWaiting() {
        AcquireStream stream = acquire();
        configure(Rig.nodes("node[0-7]"));
        settle();
        rig.submit(new MembershipChanges.Exclude("0-3", null));
        rig.fillDisk();
        rig.acquires.release(stream);
        settle();
        rig.acquires.acquire(new FakeSink(), Rig.BOB, null);
        settle();
        rig.healDisk();
        rig.advance(Duration.ofSeconds(5));
        sink.received();
        acquire();
        assertThat(sink.received()).hasSize(1).first().asString().contains("node[4-7]");
    }

    @Test
    void newHostsWaitForTheGraceOfADisconnectedOwner() {
        AcquireStream stream = rig.acquires.acquire(sink, Rig.ALICE, new Owner("flux", 60));
        settle();
        rig.acquires.release(stream);
        configure(Rig.nodes("node[0-7]"));
        settle();
        assertThat(rig.inventory.redefinition().waiting()).isNotEmpty();
        rig.advance(Duration.ofSeconds(61));
        settle();
        assertInForce(Rig.nodes("node[0-7]"));
    }

    @Test
    void eachOfSeveralRefusedDefinitionsIsAnswered() {
        acquire();
        for (int i = 0; i < 3; i++) {
            rig.inventory
                    .redefinition()
                    .whenDefined(() -> rig.inventory
                            .redefinition()
                            .load(
                                    present -> new Define(Rig.nodes("node[0-7]"), "reload", Liveness.Status.ONLINE),
                                    define -> define,
                                    Rig.ALICE,
                                    untold -> answers.add("untold " + untold),
                                    answer -> answers.add(Rig.outcome(answer))));
        }
        settle();
        assertThat(answers).hasSize(3).allMatch(answer -> answer.startsWith("untold [new hosts"));
    }
}
