package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import org.junit.jupiter.api.Test;

/** The verbs that print events as they happen. */
class FollowTest extends VerbTest {
    FollowTest() {
        super("""
                [[resource.config]]
                hosts = "node[0-3]"
                cores = "0-3"
                """);
    }

    @Test
    void theEventlogIsPrintedInTheFormatsOfFlux() {
        succeeds("drain", "1", "bad", "dimm");
        succeeds("undrain", "1");
        assertThat(out("eventlog", "-i", "1", "-T", "offset").lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("       0.000000 restart ranks=\"0-3\""),
                        line -> assertThat(line)
                                .containsPattern(
                                        "^       [0-9.]{8} drain idset=\"1\" nodelist=\"node1\" reason=\"bad dimm\""),
                        line -> assertThat(line).containsPattern("^       [0-9.]{8} undrain idset=\"1\""));
        assertThat(out("eventlog").lines().findFirst().orElse("")).matches("\\d{10}\\.\\d{6} resource-define .*");
        assertThat(out("eventlog", "-H")).startsWith("[").contains("] drain idset=\"1\"");
        assertThat(out("eventlog", "-f", "json", "-i", "1", "--color", "never").lines())
                .allMatch(line -> line.startsWith("{\"timestamp\":"))
                .hasSize(3);
    }

    @Test
    void eventsAreFilteredByTheHostsOfAProperty() {
        succeeds("property", "add", "batch", "2");
        succeeds("drain", "1-3", "x");
        succeeds("undrain", "3");
        String events = out("eventlog", "-i", "@batch", "-T", "offset");
        assertThat(events.lines().map(line -> line.strip().split(" ")[1]))
                .containsExactly("restart", "property-add", "drain");
        assertThat(out("watch", "--since", "all", "-i", "@batch", "-c", "3").lines())
                .hasSize(3)
                .allMatch(line ->
                        line.contains("\"restart\"") || line.contains("property-add") || line.contains("\"drain\""));
        assertThat(refused(Exit.NO_TARGET, "eventlog", "-i", "@debug").err())
                .contains("no host has the property debug");
    }

    @Test
    void aWatchContinuesAfterASequenceNumber() {
        succeeds("drain", "1", "x");
        succeeds("drain", "2", "y");
        String first = out("watch", "--since", "all", "--type", "drain", "-c", "1");
        assertThat(first).matches("\\{\"seq\":[0-9]+,\"timestamp\":.*\"reason\":\"x\".*\n");
        String seq = first.replaceFirst("\\D*(\\d+)[\\s\\S]*", "$1");
        assertThat(out("watch", "--since", "seq:" + seq, "-c", "1")).contains("\"reason\":\"y\"");
        assertThat(refused(Exit.ERROR, "watch", "--since", "seq:99").err())
                .contains("since is 99, but the last event of this journal is ");
        assertThat(refused(Exit.USAGE, "watch", "--since", "seq:-1").err())
                .contains("\"seq:-1\" is not a sequence number");
        assertThat(refused(Exit.USAGE, "watch", "--since", "seq:x").err())
                .contains("\"seq:x\" is not a sequence number");
    }

    @Test
    void aWatchPrintsATruncateEventForAGapRegardlessOfItsFilter() throws Exception {
        daemon.close();
        daemon = RunningDaemon.start(directory, """
                [resource]
                journal-max = 1
                [[resource.config]]
                hosts = "node[0-3]"
                cores = "0-3"
                """);
        succeeds("drain", "1", "x");
        succeeds("drain", "2", "y");
        assertThat(out("watch", "--since", "seq:1", "--type", "drain", "-c", "2")
                        .lines())
                .satisfiesExactly(
                        gap -> assertThat(gap).matches(".*\"name\":\"truncate\",\"context\":\\{\"first\":[0-9]+}}"),
                        event -> assertThat(event).contains("\"reason\":\"y\""));
    }

    @Test
    void theEventlogFollowsUntilTheAwaitedEventOrTheTimeout() {
        succeeds("drain", "1", "x");
        succeeds("drain", "2", "y");
        succeeds("drain", "3", "z");
        assertThat(out("eventlog", "--follow", "--wait", "drain").lines()).anyMatch(line -> line.contains("\"x\""));
        assertThat(out("eventlog", "-w", "drain", "-m", "idset=2", "-m", "overwrite=0"))
                .contains("reason=\"y\"")
                .doesNotContain("reason=\"z\"");
        Result over = muster("eventlog", "-F", "-t", "500ms", "-i", "3");
        assertThat(over.exit()).isEqualTo(Exit.TIMED_OUT);
        assertThat(over.out()).contains("restart ", "reason=\"z\"").hasLineCount(2);
        assertThat(over.err()).isEqualTo("muster eventlog: --timeout is over\n");
        assertThat(muster("watch", "--timeout", "2").exit()).isEqualTo(Exit.TIMED_OUT);
    }

    @Test
    void anInvalidOptionValueIsAUsageError() {
        assertThat(refused(Exit.USAGE, "eventlog", "-f", "xml").err()).contains("xml is not one of text and json");
        assertThat(refused(Exit.USAGE, "eventlog", "-T", "utc").err())
                .contains("utc is not one of raw, iso, offset, human");
        assertThat(refused(Exit.USAGE, "eventlog", "-w", "drain", "-m", "idset").err())
                .contains("idset is not KEY=VALUE");
        assertThat(refused(Exit.USAGE, "eventlog", "-F", "-t", "soon").err()).contains("\"soon\" is not a duration");
    }
}
