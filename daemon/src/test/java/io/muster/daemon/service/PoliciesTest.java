package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.HandDriven;
import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Brake;
import io.muster.inventory.state.NoteChanges;
import io.muster.inventory.state.Policy;
import io.muster.protocol.wire.Header;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Policies on a whole daemon, by a clock that the test drives. */
class PoliciesTest {
    private static final int HOSTS = 16_384;
    private static final int REPORTS = 16;

    private final Rig rig = Rig.on(new FaultyDisk(new MemoryDisk()), new HandDriven(Rig.START));
    private final Stage stage = new Stage(rig);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private Stage.Caller scheduler;
    private Stage.Caller bridge;

    @BeforeEach
    void start() {
        ((Logger) LoggerFactory.getLogger("brake")).addAppender(log);
        log.start();
        rig.define(Rig.nodes("node[0-" + (HOSTS - 1) + "]"));
        rig.inventory.brakes().configure(List.of(new Brake("auto", 1, 0, 600)));
        rig.expiry
                .policies()
                .configure(
                        List.of(policy(Policy.When.OFFLINE), policy(Policy.When.RETURNED), policy(Policy.When.TORPID)));
        scheduler = stage.join(Stage.scheduler());
        bridge = stage.join(Stage.owner());
        scheduler.send("resource.acquire", null, Header.STREAMING);
        rig.settle();
        scheduler.responses.clear();
    }

    @AfterEach
    void close() {
        ((Logger) LoggerFactory.getLogger("brake")).detachAppender(log);
        stage.close();
    }

    private static Policy policy(Policy.When when) {
        return new Policy(when, 600, "all", "auto", when.word(), Purpose.NONE);
    }

    private void report(String what, int first, int last) {
        bridge.send("resource." + what, "{\"targets\":\"" + Idset.range(first, last) + "\"}", 0);
    }

    /**
     * Reports all hosts, as a bridge does when the network of the cluster is lost, or is back. The reports arrive while the disk
     * is writing another change, so one write makes all of them durable.
     */
    private void reportAll(String what) {
        rig.holdDisk();
        rig.send("before", new NoteChanges.Annotate("0", List.of(), NoteEdit.tag("network", what)));
        rig.core.runReady();
        rig.awaitForce();
        int each = HOSTS / REPORTS;
        IntStream.range(0, REPORTS).forEach(i -> report(what, i * each, (i + 1) * each - 1));
        rig.core.runReady();
        rig.release();
        rig.settle();
    }

    private void pass(int minutes) {
        for (int i = 0; i < minutes * 6; i++) {
            rig.advance(Duration.ofSeconds(10));
        }
    }

    @Test
    void allHostsAreLostInOneSecondAndReturnAndEverythingIsAsBefore() {
        reportAll("offline");
        pass(20);
        reportAll("online");
        pass(60);
        assertThat(rig.state().holds().held().isEmpty()).isTrue();
        assertThat(rig.state().view().up().size()).isEqualTo(HOSTS);
        assertThat(scheduler.responses)
                .extracting(Stage::text)
                .containsExactly("{\"down\":\"0-16383\"}", "{\"up\":\"0-16383\"}");
        assertThat(log.list)
                .extracting(each -> each.getFormattedMessage())
                .filteredOn(line -> !line.contains("were not logged")) // of earlier tests
                .singleElement()
                .asString()
                .contains("16384 more are absent or came back in that time", "when at most 163 are");
    }

    @Test
    void thePoliciesGoOnByThemselvesForTheHostThatStaysAway() {
        reportAll("offline");
        pass(20);
        report("online", 0, HOSTS - 2);
        pass(9);
        assertThat(rig.state().holds().held().isEmpty()).isTrue();
        pass(2);
        assertThat(rig.state().holds().held().toString()).isEqualTo("16383");
        report("online", HOSTS - 1, HOSTS - 1);
        pass(60);
        assertThat(rig.state().holds().held().toString())
                .as("until somebody undrains it")
                .isEqualTo("16383");
    }

    @Test
    void nothingIsPlacedByADaemonThatDoesNotLeadOrByAClockThatIsDoubted() {
        report("offline", 3, 3);
        rig.settle();
        rig.inventory.refuse(new Answer.Failed(Answer.Failed.Kind.ELSEWHERE, "another daemon leads"), false);
        pass(20);
        assertThat(rig.state().holds().held().isEmpty()).isTrue();
        rig.inventory.refuse(null, false);
        rig.expiry.start();
        rig.advance(Duration.ofSeconds(1));
        assertThat(rig.state().holds().held().toString()).isEqualTo("3");
    }

    @Test
    void aHostThatIsIncludedOrGetsAPropertyIsDrainedAlthoughNothingElseChanges() {
        rig.expiry
                .policies()
                .configure(List.of(
                        policy(Policy.When.OFFLINE),
                        new Policy(Policy.When.TORPID, 600, "@gpu", "auto", "torpid", Purpose.NONE)));
        bridge.send("resource.property-add", "{\"properties\":{\"gpu\":\"0\"}}", 0);
        bridge.send("resource.exclude", "{\"targets\":\"3\"}", 0);
        report("offline", 3, 3);
        report("torpid", 5, 5);
        pass(20);
        assertThat(rig.state().holds().held().isEmpty()).isTrue();
        bridge.send("resource.include", "{\"targets\":\"3\"}", 0);
        rig.advance(Duration.ofSeconds(1));
        assertThat(rig.state().holds().held().toString()).isEqualTo("3");
        bridge.send("resource.property-add", "{\"properties\":{\"gpu\":\"5\"}}", 0);
        rig.advance(Duration.ofSeconds(1));
        assertThat(rig.state().holds().held().toString()).isEqualTo("3,5");
    }
}
