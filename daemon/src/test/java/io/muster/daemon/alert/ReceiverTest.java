package io.muster.daemon.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.AlertSettings;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Fsd;
import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.Brake;
import io.muster.protocol.rpc.Errno;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReceiverTest {
    private static final Principal TOKEN = Principal.ofName("token:am");
    private static final double NOW = Rig.START.getEpochSecond();
    private static final double HOUR = 3600;

    private final Rig rig = Rig.ofFour();
    private final List<String> outcomes = new ArrayList<>();
    private final Receiver receiver = receiver("instance", "", "{alertname}: {summary}");

    @AfterEach
    void close() {
        rig.close();
    }

    private Receiver receiver(String label, String category, String reason) {
        AlertSettings settings = new AlertSettings("alerts", label, category, reason, new Fsd(HOUR));
        rig.inventory.brakes().configure(List.of(new Brake("alerts:*", 0, 2, HOUR)));
        return new Receiver(rig.inventory, rig.core, outcome -> outcomes.add(outcome.word()), settings);
    }

    private static String alert(String fingerprint, String status, String host) {
        return "{'fingerprint':'" + fingerprint + "','status':'" + status + "','labels':{'alertname':'Fan','instance':'"
                + host + "'},'annotations':{'summary':'too\\nhot'},'startsAt':'2023-11-14T22:13:20Z',"
                + "'endsAt':'0001-01-01T00:00:00Z'}";
    }

    private static ObjectNode message(String rest, String... alerts) {
        try {
            return (ObjectNode) new JsonMapper()
                    .readTree(("{'version':'4'" + rest + ",'status':'resolved','alerts':[" + String.join(",", alerts)
                                    + "]}")
                            .replace('\'', '"'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Receiver.Report receive(Receiver by, ObjectNode message) {
        List<Receiver.Report> reports = new ArrayList<>();
        by.receive(AlertMessage.parse(message), TOKEN, reports::add);
        while (reports.isEmpty()) {
            rig.core.runNext();
        }
        rig.settle();
        assertThat(reports).hasSize(1);
        return reports.get(0);
    }

    private Receiver.Report receive(String... alerts) {
        return receive(receiver, message("", alerts));
    }

    private @Nullable Hold hold(int rank, String holder) {
        HoldSet set = rig.inventory.state().holds().on(rank);
        return set == null ? null : set.of(holder);
    }

    @Test
    void anAlertDrainsItsHostUntilItIsResolved() {
        assertThat(receive(alert("a1", "firing", "node1:9100")).refusal()).isNull();
        Hold hold = Objects.requireNonNull(hold(1, "alerts:a1"));
        assertThat(hold.reason()).isEqualTo("Fan: too hot");
        assertThat(hold.until()).isEqualTo(NOW + HOUR);
        assertThat(hold.by()).isEqualTo(TOKEN);

        receive(alert("b2", "firing", "node1.example.org:9100"));
        receive(alert("a1", "resolved", "node1:9100"));
        assertThat(hold(1, "alerts:a1")).isNull();
        assertThat(hold(1, "alerts:b2")).isNotNull();
        receive(alert("a1", "resolved", "node1:9100"));
        assertThat(outcomes).containsExactly("held", "held", "ended", "unchanged");
    }

    @Test
    void aConfigurationReloadedDuringAMessageAppliesFromTheNextMessage(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(
                directory.resolve("muster.toml"),
                "[alerts]\nholder = \"others\"\n[[resource.config]]\nhosts = \"n0\"\ncores = \"0\"\n");
        Config next = Config.load(file, new Environment(Map.of(), 1, directory, "testhost", 2));
        AlertSettings first = new AlertSettings("alerts", "instance", "", "x", new Fsd(HOUR));
        Receiver[] self = new Receiver[1];
        self[0] = new Receiver(rig.inventory, rig.core, outcome -> self[0].configure(next), first);
        receive(self[0], message("", alert("a1", "firing", "node1"), alert("a2", "firing", "node2")));
        assertThat(hold(2, "alerts:a2")).isNotNull();
        assertThat(hold(2, "others:a2")).isNull();
    }

    @Test
    void aHoldLastsForTheGraceTimeAfterTheEndOfTheAlert() {
        String end = alert("a1", "firing", "node1").replace("0001-01-01T00:00:00Z", "2023-11-15T00:13:20+01:00");
        receive(end);
        assertThat(Objects.requireNonNull(hold(1, "alerts:a1")).until()).isEqualTo(NOW + HOUR + HOUR);
    }

    @Test
    void aTruncatedMessageEndsNoHold() {
        receive(alert("a1", "firing", "node1"));
        ObjectNode cut =
                message(",'truncatedAlerts':1", alert("a1", "resolved", "node1"), alert("a2", "firing", "node2"));
        assertThat(receive(receiver, cut).refusal()).isNull();
        assertThat(hold(1, "alerts:a1")).isNotNull();
        assertThat(hold(2, "alerts:a2")).isNotNull();
        receive(receiver, message(",'truncatedAlerts':0", alert("a1", "resolved", "node1")));
        assertThat(hold(1, "alerts:a1")).isNull();
    }

    @Test
    void alertsForUnknownHostsOrBeyondTheBrakeAreRefusedAndTheOthersApplied() {
        Receiver.Report report = receive(
                alert("a0", "firing", "node0"),
                alert("a9", "firing", "login1"),
                alert("a1", "firing", "node1"),
                alert("a2", "firing", "node2"),
                alert("a3", "firing", "0"));
        assertThat(report.refusal()).hasMessage(report.detail());
        assertThat(outcomes).containsExactly("held", "unknown", "held", "brake", "unknown");
        assertThat(report.detail())
                .isEqualTo(
                        "there is no host login1; nothing was drained: the brake on alerts:* permits 2 hosts in 60m, 2 are"
                                + " used, and this is 1 more, of which 0 would fit: look why so many are to be drained; a user of"
                                + " the daemon's host may drain them now, and the program when there is room again; there is no"
                                + " host 0");
        assertThat(report.toJson().toString())
                .contains("{\"fingerprint\":\"a0\",\"result\":\"held\"}")
                .contains("{\"fingerprint\":\"a9\",\"result\":\"unknown\",\"detail\":\"there is no host login1\"}");
    }

    @Test
    void anEndInTheFarFutureIsCutToAFewTimesTheGrace() {
        receive(alert("a1", "firing", "node1").replace("0001-01-01", "9000-01-01"));
        assertThat(Objects.requireNonNull(hold(1, "alerts:a1")).until()).isEqualTo(NOW + 4 * HOUR);
    }

    @Test
    void anAlertmanagerHasALimitedNumberOfHoldsOnAHost() {
        for (int i = 0; i < 64; i++) {
            receive(alert("a" + i, "firing", "node1"));
        }
        Receiver.Report report = receive(alert("b1", "firing", "node1"), alert("a1", "firing", "node1"));
        assertThat(report.refusal()).hasMessage(report.detail());
        assertThat(report.detail())
                .isEqualTo(
                        "node1 (rank 1): token:am has 64 holds there already, and one user may have no more on a host:"
                                + " end some of them first");
        assertThat(outcomes).endsWith("held", "limit", "unchanged");
    }

    @Test
    void anAlertWithoutTheHostLabelIsReportedByItsFingerprint() {
        Receiver other = receiver("node", "", "x");
        assertThat(receive(other, message("", alert("a1", "firing", "node1"))).detail())
                .isEqualTo("there is no host in the label node of a1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = true, textBlock = """
            hardware | {alertname} on {instance} | hardware: Fan on node1
            hardware | {nothing}                 | hardware
            ''       | {nothing}                 | a1
            ''       | {summary} {{alertname}}   | too hot {Fan}
            ''       | $1 \\ {alertname}         | $1 \\ Fan
            """)
    void theReasonIsBuiltFromLabelsAndAnnotations(String category, String template, String reason) {
        receive(receiver("instance", category, template), message("", alert("a1", "firing", "node1")));
        assertThat(Objects.requireNonNull(hold(1, "alerts:a1")).reason()).isEqualTo(reason);
    }

    @Test
    void aLongReasonIsCutAndControlCharactersAreReplaced() {
        Receiver other = receiver("instance", "", "{summary}");
        String alert = alert("a1", "firing", "node1").replace("too\\nhot", "\\u001b[31m" + "x".repeat(2000));
        receive(other, message("", alert));
        assertThat(Objects.requireNonNull(hold(1, "alerts:a1")).reason())
                .startsWith("?[31mxxx")
                .hasSize(503)
                .endsWith("x...");
    }

    @Test
    void aDiskThatRefusesWritesResultsInStatus503() {
        rig.disk.fault((kind, name) -> {
            throw FaultyDisk.broken();
        });
        Receiver.Report report = receive(alert("a1", "firing", "node1"));
        assertThat(Objects.requireNonNull(report.refusal()).errno()).isEqualTo(Errno.EAGAIN);
        assertThat(outcomes).containsExactly("failed");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                                       | /version must be a string
            {"version":"3","alerts":[]}                              | /version must be "4", the version of the webhook
            {"version":"4"}                                          | /alerts must be an array
            {"version":"4","alerts":[1]}                             | /alerts/0 must be an object
            {"version":"4","alerts":[],"truncatedAlerts":-1}         | /truncatedAlerts must be an integer from 0
            {"version":"4","alerts":[{"fingerprint":"../x"}]}        | /alerts/0/fingerprint must be 1 to 31 hexadecimal digits
            {"version":"4","alerts":[{"fingerprint":"a"}]}           | /alerts/0/labels must be an object
            {"version":"4","alerts":[{"fingerprint":"a","labels":{"a":1}}]} | /alerts/0/labels/a must be a string
            {"version":"4","alerts":[{"fingerprint":"a","labels":{},"status":"x"}]} | /alerts/0/status must be one of firing, resolved
            {"version":"4","alerts":[{"fingerprint":"a","labels":{},"status":"firing","endsAt":"x"}]} | /alerts/0/endsAt must be a time by RFC 3339
            """)
    void anInvalidMessageIsRefusedEntirely(String text, String sentence) throws IOException {
        ObjectNode json = (ObjectNode) new JsonMapper().readTree(text);
        assertThatThrownBy(() -> AlertMessage.parse(json)).hasMessageContaining("alerts: " + sentence);
    }

    @Test
    void aMessageHasALimitedNumberOfAlerts() {
        String[] many = new String[AlertMessage.MOST + 1];
        java.util.Arrays.fill(many, alert("a1", "firing", "node1"));
        assertThatThrownBy(() -> AlertMessage.parse(message("", many)))
                .hasMessageContaining("/alerts has 1001 alerts, but may have at most 1000");
        assertThat(receive(java.util.Arrays.copyOf(many, AlertMessage.MOST)).refusal())
                .isNull();
    }
}
