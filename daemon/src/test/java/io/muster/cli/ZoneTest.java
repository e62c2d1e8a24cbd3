package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times in the zone of the user, as every verb prints and reads them. */
@Timeout(300)
class ZoneTest {
    /** A pattern for a time of this century with its zone. */
    private static final String LOCAL = "20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d CES?T";

    private static final String EXACT = "20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d+)? CES?T";

    @TempDir
    private Path directory;

    private RunningDaemon daemon;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n");
    }

    @AfterEach
    void stop() throws Exception {
        daemon.close();
    }

    private Shell.Result in(String zone, String... arguments) {
        return new Shell().with("TZ", zone).with("MUSTER_URI", daemon.uri()).run(arguments);
    }

    private String berlin(String... arguments) {
        Shell.Result result = in("Europe/Berlin", arguments);
        assertThat(result.err()).isEmpty();
        assertThat(result.exit()).isZero();
        return result.out();
    }

    @Test
    void printedTimesHaveTheirZoneAndTimesInJsonAreInUtc() {
        berlin("drain", "--until", "2027-07-06 16:00", "node1", "bad", "dimm");
        berlin("expiration", "set", "2033-12-01 8am");

        assertThat(berlin("expiration", "get")).startsWith("2033-12-01 08:00:00 CET (in ");
        assertThat(berlin("expiration", "get", "--json")).contains("\"2033-12-01T07:00:00Z\"");
        assertThat(berlin("why", "node1"))
                .contains("until 2027-07-06 16:00:00 CEST\n", "until=2027-07-06 16:00:00 CEST by ")
                .containsPattern("\n  event       " + LOCAL + " \\(");
        assertThat(berlin("why", "node1", "--json")).contains("\"until\":\"2027-07-06T14:00:00Z\"");
        assertThat(berlin("drain", "-o", "long")).containsPattern("\n" + LOCAL + " drained admin");
        assertThat(berlin("drain", "-o", "timestamp,reason")).containsPattern("\n" + LOCAL + " bad dimm");
        assertThat(berlin("drain", "--dry-run", "--until", "2027-07-06 16:00", "node2", "x"))
                .contains("until=2027-07-06 16:00:00 CEST");
        assertThat(berlin("watch", "-H", "--since", "all", "-c", "1")).containsPattern("^" + EXACT + " ");
        assertThat(berlin("history", "node1"))
                .containsPattern("\n" + LOCAL + " +- ")
                .containsPattern("\ncomplete since " + LOCAL + "\n$");
        assertThat(berlin("history", "node1", "--json")).containsPattern("\"from\":\"20[^\"]*Z\"");
        assertThat(in("Europe/Berlin", "history", "node3").err())
                .containsPattern("neither drained, excluded nor offline since " + LOCAL);
        assertThat(berlin("report")).containsPattern("\ncomplete since " + LOCAL + "\n$");
        assertThat(in("Europe/Berlin", "journal", "dump", "-H", "--state-dir=" + daemon.stateDir())
                        .out())
                .containsPattern("^1 " + EXACT + " ");
        assertThat(berlin("eventlog", "-T", "iso")).containsPattern("^20\\d\\d-\\d\\d-\\d\\dT[0-9:.]+\\+0[12]00 ");
    }

    /** Programs parse these outputs in the form that flux prints. */
    @Test
    void formatsWithFieldsAndTheEventlogKeepTheTimeFormatsOfFlux() {
        berlin("drain", "node1", "bad", "dimm");

        assertThat(berlin("drain", "-n", "-o", "{timestamp}")).containsPattern("^20\\d\\d-\\d\\d-\\d\\dT[0-9:]+Z\n$");
        assertThat(berlin("drain", "-n", "-o", "{timestamp!d:%Z}")).matches("CES?T\n");
        assertThat(berlin("eventlog")).containsPattern("^\\d{10}\\.\\d{6} ");
    }

    @Test
    void theTzOptionSetsTheZone() {
        in("Asia/Tokyo", "expiration", "set", "--tz", "Europe/Berlin", "2033-12-01 8am");

        assertThat(in("Europe/Berlin", "expiration", "get", "--tz", "America/New_York")
                        .out())
                .startsWith("2033-12-01 02:00:00 EST (in ");
        assertThat(in("Europe/Berlin", "expiration", "get", "--tz", "Asia/Kathmandu")
                        .out())
                .startsWith("2033-12-01 12:45:00 +05:45 (in ");
        assertThat(in("Europe/Berlin", "expiration", "get", "--tz", "-03:00").out())
                .startsWith("2033-12-01 04:00:00 -03:00 (in ");
        assertThat(in("Europe/Berlin", "expiration", "get", "--tz", "UTC").out())
                .startsWith("2033-12-01 07:00:00 UTC (in ");
    }

    @ParameterizedTest
    @CsvSource({
        "berlin, ; did you mean Europe/Berlin?",
        "Europe/Berlni, ; did you mean Europe/Berlin?",
        "europe/berlin, ; did you mean Europe/Berlin?",
        "Louisville, ; did you mean America/Kentucky/Louisville or America/Louisville?",
        "UTC+5, ''",
        "Middle-earth/Bree, ''"
    })
    void anUnknownZoneIsRefusedWithTheNearestNames(String zone, String advice) {
        Shell.Result result = in("UTC", "history", "--tz", zone, "node1");
        assertThat(result.exit()).isEqualTo(Exit.USAGE);
        assertThat(result.err()).contains("there is no zone " + zone + advice + "\n");
    }

    @ParameterizedTest
    @CsvSource({
        "UTC, UTC",
        "'', UTC",
        ":Europe/Berlin, CET",
        "/usr/share/zoneinfo/Europe/Berlin, CET",
        "Asia/Kolkata, IST",
        "Europe/Dublin, GMT",
        "Europe/London, GMT",
        "America/Sao_Paulo, -03:00",
        "Australia/Sydney, AEDT",
    })
    void theTzVariableSetsTheZone(String zone, String name) {
        in("UTC", "expiration", "set", "2033-12-01");

        Shell.Result result = in(zone, "expiration", "get");
        assertThat(result.out()).contains(":00 " + name + " (in ");
        assertThat(result.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"Nowhere", "'CET-1CEST,M3.5.0,M10.5.0/3'", "UTC+5"})
    void anUnknownZoneInTheTzVariableIsReportedAndMeansUtc(String zone) {
        Shell.Result set = in(zone, "expiration", "set", "2033-12-01");
        assertThat(set.err())
                .isEqualTo("muster: TZ=" + zone
                        + " is not the name of a time zone, so times are in UTC; set TZ to a name such"
                        + " as Europe/Berlin, or use --tz\n");
        assertThat(in("UTC", "expiration", "get").out()).startsWith("2033-12-01 00:00:00 UTC (in ");
        assertThat(in(zone, "status").err()).isEmpty();
        assertThat(in(zone, "drain", "--until", "4h", "node1", "x").err()).isEmpty();
    }

    @Test
    void aLocalTimeThatDoesNotExistIsRefused() {
        Shell.Result result = in("Europe/Berlin", "drain", "--until", "2027-03-28 02:30", "node1", "x");
        assertThat(result.exit()).isEqualTo(Exit.USAGE);
        assertThat(result.err())
                .isEqualTo("muster drain: \"2027-03-28 02:30\": the local time 2027-03-28 02:30 does not exist in"
                        + " Europe/Berlin\n  give \"2027-03-28 03:30:00 CEST\" or \"2027-03-28 01:30:00 CET\"\n");
    }

    @Test
    void aPeriodThatEndsBeforeItBeginsIsRefused() {
        Shell.Result result =
                in("Europe/Berlin", "history", "node1", "--since", "2026-11-02", "--until", "2026-10-24 noon");
        assertThat(result.exit()).isEqualTo(Exit.USAGE);
        assertThat(result.err())
                .isEqualTo("muster history: the period ends before it begins: --until is 2026-10-24 12:00:00 CEST, and"
                        + " --since is 2026-11-02 00:00:00 CET: give an end that is later\n");
    }

    @Test
    void aPeriodInTheFutureIsRefused() {
        Shell.Result result = in("Europe/Berlin", "report", "--availability", "--since", "2099-01-01");
        assertThat(result.exit()).isEqualTo(Exit.USAGE);
        assertThat(result.err()).startsWith("muster report: --since: 2099-01-01 is in the future\n");
    }

    @Test
    void anEmptyPeriodIsRefused() {
        for (List<String> words : List.of(List.of("history", "node1"), List.of("report"))) {
            List<String> command = new ArrayList<>(words);
            command.addAll(List.of("--since", "today", "--until", "today"));
            Shell.Result result = in("Europe/Berlin", command.toArray(String[]::new));
            assertThat(result.exit()).isEqualTo(Exit.USAGE);
            assertThat(result.err())
                    .startsWith("muster " + words.get(0) + ": the period has no length: --until is ")
                    .endsWith(": give an end that is later\n");
        }
    }
}
