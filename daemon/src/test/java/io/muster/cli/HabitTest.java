package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines that users type from habit with flux resource and other tools, and their meaning here. */
class HabitTest extends VerbTest {
    HabitTest() {
        super("""
                [[resource.config]]
                hosts = "node[0-7]"
                cores = "0-3"
                [[resource.config]]
                hosts = "node[4-7]"
                properties = ["gpu"]
                [queues.batch]
                requires = ["^gpu"]
                [queues.gpu]
                requires = ["gpu"]
                [queues.night]
                parent = "batch"
                [queues.everything]
                """);
    }

    @Test
    void wordsAfterTheFirstOfAReasonMayBeginWithADash() {
        succeeds("drain", "1", "bad", "fan", "-Kalan", "--", "-u");
        assertThat(out("drain", "-no", "reason")).isEqualTo("bad fan -Kalan -u\n");
        assertThat(out("drain", "2", "fan", "-5V", "--dry-run")).contains("reason=\"fan -5V\"");
        assertThat(out("undrain", "1", "new", "fan", "-Kalan", "--dry-run")).contains("reason=\"new fan -Kalan\"");
        succeeds("drain", "2", "fan", "--holder=ops", "broke");
        assertThat(out("drain", "-no", "holder,reason", "-i", "2")).isEqualTo("ops fan broke\n");
    }

    @Test
    void anUnknownOptionBeforeTheReasonIsRefused() {
        assertThat(refused(Exit.USAGE, "drain", "1", "--dryrun", "x").err())
                .startsWith("muster drain: Unknown option: '--dryrun'");
        assertThat(out("drain", "-n")).isEmpty();
    }

    @Test
    void knownOptionsAreAcceptedAfterTheReason() {
        succeeds("drain", "1", "x");
        succeeds("drain", "1-2", "y", "-ff");
        assertThat(out("drain", "-no", "reason,nodelist")).isEqualTo("y node[1-2]\n");
    }

    @Test
    void targetsMayBeGivenByPropertyOrWithAll() {
        succeeds("drain", "@gpu,node0", "firmware");
        assertThat(out("drain", "-no", "nodelist")).isEqualTo("node[0,4-7]\n");
        assertThat(out("status", "-no", "state,nnodes", "@gpu")).isEqualTo("drained 4\n");
        assertThat(out("info", "@gpu", "node[0-1]")).isEqualTo("6 Nodes, 24 Cores, 0 GPUs\n");
        succeeds("undrain", "-u", "all");
        assertThat(out("drain", "-n")).isEmpty();
        assertThat(refused(Exit.NO_TARGET, "drain", "@nope", "x").err())
                .isEqualTo("muster drain: no host has the property nope; there is gpu\n  nothing was changed\n");
    }

    @Test
    void anAtSignNamesAPropertyAndNotAnArgumentFile(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("words"), "node1");
        assertThat(refused(Exit.NO_TARGET, "status", "-n", "@" + file).err())
                .startsWith("muster status: no host has the property " + file);
    }

    @Test
    void hostsOfAPropertyThatAreExcludedAreSkippedAndExcludedHostsByNameAreRefused() {
        succeeds("exclude", "node[6-7]");
        succeeds("drain", "@gpu", "x");
        assertThat(out("drain", "-no", "nodelist")).isEqualTo("node[4-5]\n");
        assertThat(refused(Exit.CONFLICT, "drain", "node[3,6]", "x").err()).isEqualTo("""
                        muster drain: node6 (rank 6) is excluded
                          nothing was changed; include the hosts first with `muster include`, or leave them out
                        """);
        assertThat(muster("exclude", "@gpu").err()).isEqualTo("ended the hold admin on node[4-5]\n");
        assertThat(refused(Exit.NO_TARGET, "drain", "@gpu", "x").err())
                .contains("@gpu finds no host, or all of them are excluded or lost");
        succeeds("include", "@gpu");
        assertThat(out("status", "-no", "state,nnodes")).isEqualTo("available 8\n");
    }

    @Test
    void severalPropertiesAreAddedAndRemovedInOneCommand() {
        succeeds("property", "add", "debug,fast", "node[0-1]");
        assertThat(out("property", "list", "-no", "property,nodelist"))
                .isEqualTo("debug node[0-1]\nfast  node[0-1]\ngpu   node[4-7]\n");
        for (String change : new String[] {"add", "remove"}) {
            assertThat(refused(Exit.NO_TARGET, "property", change, "debug", "node[7-8]")
                            .err())
                    .isEqualTo("muster property " + change
                            + ": host node8 is not in the resource set\n  nothing was changed\n");
        }
        succeeds("property", "remove", "debug,fast", "@fast");
        assertThat(out("property", "list", "-no", "property")).isEqualTo("gpu\n");
    }

    @Test
    void aFilterIgnoresUnknownHostsUnlessAllAreUnknownAndTargetsRefuseThem() {
        assertThat(out("status", "-i", "node[1,900]", "-no", "nodelist")).isEqualTo("node1\n");
        assertThat(out("status", "-i", "1,900", "-no", "nodelist")).isEqualTo("node1\n");
        assertThat(refused(Exit.NO_TARGET, "status", "-i", "node900").err()).contains("host node900 is not in");
        assertThat(refused(Exit.NO_TARGET, "status", "node[1,900]").err()).contains("host node900 is not in");
    }

    @Test
    void aMalformedHostlistIsAUsageError() {
        assertThat(refused(Exit.USAGE, "drain", "node[1", "x").err())
                .contains("'[' is never closed")
                .endsWith("  nothing was changed\n");
        assertThat(refused(Exit.USAGE, "status", "node[1").err()).contains("'[' is never closed");
        assertThat(refused(Exit.USAGE, "history", "node[1").err()).contains("'[' is never closed");
        assertThat(refused(Exit.USAGE, "watch", "-i", "node[1").err()).contains("'[' is never closed");
    }

    @Test
    void infoAndListFilterByStateAndUnknownStatesAreRefused() {
        succeeds("drain", "0-1", "x");
        assertThat(out("info", "-s", "up,down")).startsWith("8 Nodes");
        assertThat(out("info", "--state=down")).startsWith("2 Nodes");
        assertThat(refused(Exit.USAGE, "info", "-s", "donw").err()).contains("there is no state donw");
        assertThat(refused(Exit.USAGE, "report", "-s", "drian").err()).contains("there is no state drian");
        assertThat(out("list", "-no", "state", "-q", "gpu")).isEqualTo("free\n");
        assertThat(out("list", "-no", "state", "-q", "gpu", "--no-skip-empty"))
                .isEqualTo("     free\nallocated\n     down\n");
        assertThat(out("list", "-no", "state,nodelist", "--skip-empty")).isEqualTo("free node[2-7]\ndown node[0-1]\n");
    }

    /** The formats built into flux resource. */
    @Test
    void theBuiltInFormatsOfFluxAreAccepted() {
        succeeds("drain", "1", "bad", "dimm");
        String status = "{state:>12} {color_up}{up:>2}{color_off} {nnodes:>6} +:{reason:<3.3} {nodelist}";
        assertThat(out("status", "-o", status)).isEqualTo("""
                               STATE UP NNODES REASON   NODELIST
                           available  ✔      7          node[0,2-7]
                             drained  ✗      1 bad dimm node1
                        """);
        String drain = "{timestamp!d:%b%d %R::<12} {state:<8.8} {ranks:<8.8+} +:{reason:<30.30} {nodelist}";
        assertThat(out("drain", "-o", drain))
                .startsWith("TIME         STATE    RANKS    REASON                         NODELIST\n")
                .endsWith(" drained  1        bad dimm                       node1\n");
        String list =
                "{state:>10} ?+:{queue:<5} ?:{propertiesx:<10.10+} {nnodes:>6} +:{ncores:>6} ?+:{ngpus:>5} {rlist}";
        assertThat(out("list", "-o", list)).isEqualTo("""
                             STATE QUEUE            NNODES NCORES NGPUS LIST
                              free batch,everything      3     12     0 rank[0,2-3]/core[0-3]
                              free gpu,everything        4     16     0 rank[4-7]/core[0-3]
                         allocated                       0      0     0
                              down batch,everything      1      4     0 rank1/core[0-3]
                        """);
        assertThat(out("list", "-o", "rlist", "-n", "-s", "down")).isEqualTo("down  1 4 0 rank1/core[0-3]\n");
        assertThat(out("status", "-no", "sort:-nnodes {up.ascii} ?:{holder}|")).isEqualTo("y |\nn admin|\n");
    }

    @Test
    void getPrintsTheRestrictedOrWholeRWithoutExcludedHosts() {
        succeeds("drain", "1", "x");
        succeeds("exclude", "0");
        assertThat(out("R", "get", "-s", "up", "-q", "batch")).isEqualTo("""
                {"version":1,"execution":{"R_lite":[{"rank":"2-3","children":{"core":"0-3"}}],"starttime":0.0,\
                "expiration":0.0,"nodelist":["node[2-3]"]}}
                """);
        assertThat(out("R", "get")).contains("\"nodelist\":[\"node[1-7]\"],\"properties\":{\"gpu\":\"4-7\"}");
    }

    @Test
    void queuesComeFromTheConfiguration() {
        assertThat(out("list", "-no", "state,queue,nodelist", "--skip-empty"))
                .isEqualTo("free batch,everything node[0-3]\nfree gpu,everything   node[4-7]\n");
        assertThat(out("list", "-q", "night", "-no", "{queue} {nodelist}")).isEqualTo("night node[0-3]\n");
        assertThat(out("status", "-q", "gpu,batch", "-no", "nnodes")).isEqualTo("8\n");
        assertThat(out("info", "-q", "everything", "-p", "gpu")).startsWith("4 Nodes");
        assertThat(refused(Exit.NO_TARGET, "status", "-q", "day").err())
                .isEqualTo("muster status: there is no queue day; there are batch, gpu, night, everything\n");
    }

    @Test
    void formatsColumnsAndSubcommandsAreListed() {
        assertThat(out("status", "-o", "help"))
                .startsWith("formats:\n  default = state,up,nnodes,by,reason,nodelist\n  long = ")
                .contains("\ncolumns:\n  state\n")
                .endsWith("  nodelist\n");
        assertThat(refused(Exit.USAGE, "property").err())
                .startsWith("muster property: a verb is missing: expected one of list, add, remove\n");
        assertThat(refused(Exit.USAGE, "watch", "--count", "soon").err()).contains("'soon' is not a number\n");
        assertThat(refused(Exit.USAGE, "status", "--timeout", "soon").err()).contains("\"soon\" is not a duration");
    }

    @Test
    void aHostWithoutHistoryPrintsASentenceAndNoTable() {
        Result result = muster("history", "node5");
        assertThat(result.exit()).isZero();
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("muster history: node5: neither drained, excluded nor offline since ");
    }

    /** Events after the end of the period do not change the output for the period. */
    @Test
    void historyUntilATimeIgnoresLaterEvents() throws IOException {
        succeeds("drain", "node1", "dimm");
        succeeds("undrain", "node1");
        JsonNode whole = new JsonMapper()
                .readTree(out("history", "--json", "node1"))
                .path("intervals")
                .path(0);
        Instant from = Instant.parse(whole.path("from").asText());
        Duration length = Duration.between(from, Instant.parse(whole.path("to").asText()));
        String until = from.plus(length.dividedBy(2)).toString();

        assertThat(out("history", "--tz=UTC", "--until", until, "node1"))
                .containsPattern("\n\\S+ \\S+ UTC after \\S+ \\S+ UTC +\\S+ drained admin ");
        JsonNode part = new JsonMapper()
                .readTree(out("history", "--json", "--until", until, "node1"))
                .path("intervals")
                .path(0);
        assertThat(part.path("to").isNull()).isTrue();
        assertThat(part.path("seconds").asDouble())
                .isLessThanOrEqualTo(whole.path("seconds").asDouble());
        assertThat(out("history", "node1")).doesNotContain(" after ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"help darin", "darin --help", "darin -h node1", "property lst"})
    void anUnknownVerbIsRefusedEvenWithTheHelpOption(String line) {
        assertThat(refused(Exit.USAGE, line.split(" ", -1)).err()).contains(": there is no verb ");
    }

    @Test
    void historyAcceptsHostsRanksAndPropertiesAndRefusesUnknownTargets() {
        succeeds("drain", "node1", "dimm");
        for (String target : new String[] {"1", "all", "node[1-2]", "0-2"}) {
            assertThat(out("history", target)).as(target).contains("dimm").contains("node1");
        }
        assertThat(out("history")).as("of all hosts").contains("dimm").contains("node1");
        for (String target : new String[] {"r999n00", "683", "@rack017", "node[1,900]"}) {
            Result refused = refused(Exit.NO_TARGET, "history", target);
            assertThat(refused.out()).as(target).isEmpty();
            assertThat(refused.err()).as(target).startsWith("muster history: ").doesNotContain("neither drained");
        }
        Result early = muster("history", "node1", "--since", "2020-01-01");
        assertThat(early.out()).contains("complete since ");
        assertThat(early.exit()).isZero();
        succeeds("drain", "node5", "fan");
        assertThat(out("history", "@gpu")).contains("fan", "node5").doesNotContain("node1");
    }

    @Test
    void historyFindsAHostThatIsNoLongerInTheResources() throws IOException {
        succeeds("drain", "node7", "gone soon");
        daemon.reconfigure("[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n");
        assertThat(out("history", "node7")).contains("gone soon", "node7");
    }

    @Test
    void historyOverDamagedEventsExitsWithIncomplete(@TempDir Path other) throws Exception {
        try (RunningDaemon once =
                RunningDaemon.start(other, "[[resource.config]]\nhosts = \"n[0-3]\"\ncores = \"0\"\n")) {
            Shell shell = new Shell().with("MUSTER_URI", once.uri());
            assertThat(shell.run("drain", "n1", "xyzzy").exit()).isZero();
            assertThat(shell.run("drain", "n2", "dimm").exit()).isZero();
            Path state = once.stateDir();
            Path segment = state.resolve("journal/0000000000000001.log");
            String text = Files.readString(segment);
            Files.writeString(segment, text.replace("xyzzy", "xyzzx"));
            for (String[] words :
                    new String[][] {{"history", "n2"}, {"history", "n2", "--state-dir", state.toString()}, {"report"}
                    }) {
                Result incomplete = shell.run(words);
                assertThat(incomplete.exit()).as(incomplete.err()).isEqualTo(Exit.INCOMPLETE);
                assertThat(incomplete.out()).contains("dimm");
                assertThat(incomplete.err()).contains("incomplete before ", "the checksum does not match");
            }
        }
    }

    @Test
    void statusPrintsSixteenThousandDrainedNodesInOneLine(@TempDir Path other) throws Exception {
        String resources = "[[resource.config]]\nhosts = \"n[0-16383]\"\ncores = \"0\"\n";
        try (RunningDaemon large = RunningDaemon.start(other, resources)) {
            Shell shell = new Shell()
                    .with("MUSTER_URI", large.uri())
                    .with("NO_COLOR", "1")
                    .onTerminal(60);
            assertThat(shell.typing("y\n").run("drain", "all", "power work").exit())
                    .isZero();
            assertThat(shell.run("status").out())
                    .matches(
                            "  STATE UP NNODES BY +REASON     NODELIST\ndrained ✗   16384 \\S+ power work n\\[0-16383]\n");
            assertThat(shell.run("undrain", "n[1,3,5,7,9,11,13,15,17,19,21,23,25]")
                            .exit())
                    .isZero();
            assertThat(shell.run("status").out()).isEqualTo("""
                        STATE UP NNODES REASON     NODELIST
                    available ✔      13            n[1,3,5,7],...[9 more hosts]
                      drained ✗   16371 power work n[0,2],...[16,369 more hosts]
                    """);
        }
    }
}
