package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the verbs that change something say before and afterwards, and what they say about a line that is wrong. */
class OutcomeTest extends VerbTest {
    private static final String BY = System.getProperty("user.name");

    OutcomeTest() {
        super("""
                [[resource.config]]
                hosts = "node[0-9]"
                cores = "0-3"
                [[resource.config]]
                hosts = "node[8-9]"
                properties = ["gpu"]
                [[graph]]
                type = "rack"
                count = 5
                hosts = "node[0-9]"
                """);
    }

    private Result onTerminal(String typed, String... arguments) {
        return new Shell()
                .with("MUSTER_URI", daemon.uri())
                .with("NO_COLOR", "1")
                .onTerminal(80)
                .typing(typed)
                .run(arguments);
    }

    /** Returns a text with all ages as 0s. */
    private static String ageless(String text) {
        return text.replaceAll(", [0-9]+s\\)", ", 0s)");
    }

    @Test
    void anUndrainSaysWhichHostsStayOutAndWhichAreAvailableAgain() {
        succeeds("drain", "--holder", "ops", "node9", "fw");
        succeeds("drain", "node[5-9]", "dimm");
        succeeds("offline", "node7", "power");
        String stays = "node7 stays offline: power (0s)\nnode9 stays drained: ops: fw (" + BY + ", 0s)\n";
        assertThat(ageless(out("undrain", "--dry-run", "node[5-9]")))
                .isEqualTo("""
                would undrain node[5-9] (ranks 5-9) holder=admin by BY
                STAYSnode[5-6,8] are available again
                no scheduler is connected
                """.replace("BY", BY).replace("STAYS", stays));
        assertThat(ageless(muster("undrain", "node[7,9]").err())).isEqualTo(stays);
        succeeds("undrain", "node8");
        assertThat(onTerminal("", "undrain", "node6")).isEqualTo(new Result(Exit.OK, "", "node6 is available again\n"));
        assertThat(out("undrain", "node5", "--json")).contains("\"available\":\"node5\"");
        succeeds("exclude", "node5", "for", "tests");
        assertThat(ageless(muster("undrain", "-u", "node5").err()))
                .isEqualTo("node5 stays excluded: for tests (" + BY + ", 0s)\n");
    }

    @Test
    void aDryRunUsesNoNumbersAndSignsOfTheProtocol() {
        succeeds("drain", "--holder", "ops", "node9", "fw");
        assertThat(out("undrain", "--dry-run", "-ff", "node9")).isEqualTo("""
                would undrain node9 (rank 9) for all holders by BY
                node9 is available again
                no scheduler is connected
                """.replace("BY", BY));
        assertThat(out("drain", "--dry-run", "-f", "node9", "new"))
                .startsWith("would drain node9 (rank 9) reason=\"new\" holder=admin by " + BY + "\n");
    }

    @ParameterizedTest
    @CsvSource({
        "drain node1 node2 bad, node2 is a target",
        "drain node1 node2 node3 2 dimms, node2 node3 2 are targets",
        "drain 1 @gpu broken, @gpu is a target",
        "offline node1 node2 no answer, node2 is a target",
    })
    void aReasonThatBeginsWithTargetsIsRefused(String line, String sentence) {
        String[] words = line.split(" ");
        assertThat(refused(Exit.USAGE, words).err())
                .startsWith("muster " + words[0] + ": " + sentence + ", not a reason: separate targets by commas; ");
    }

    @Test
    void aReasonThatBeginsWithANumberOrIsQuotedOrIsMeantIsAccepted() {
        succeeds("drain", "node1", "2", "dimms", "are", "bad");
        succeeds("drain", "node2", "node3 pulled its cable");
        succeeds("drain", "node3", "--", "node4", "is", "next");
        succeeds("drain", "node4", "node12", "never", "was");
        succeeds("drain", "node5", "bad", "node6");
        assertThat(out("drain", "-no", "reason")).isEqualTo("""
                        bad node6
                        node12 never was
                        node4 is next
                        node3 pulled its cable
                        2 dimms are bad
                        """);
    }

    @Test
    void aRefusalNamesOnlyTheHoldsInTheWay() {
        succeeds("drain", "node1", "dimm");
        succeeds("drain", "--holder", "ops", "node[1-2]", "fw");
        assertThat(ageless(refused(Exit.CONFLICT, "drain", "node[1-2]", "x").err()))
                .startsWith("muster drain: node1 (rank 1) already drained - admin: dimm (" + BY + ", 0s)\n");
        assertThat(ageless(refused(Exit.CONFLICT, "drain", "--holder", "ops", "node1", "x")
                        .err()))
                .startsWith("muster drain: node1 (rank 1) already drained - ops: fw (" + BY + ", 0s)\n");
        assertThat(ageless(refused(Exit.CONFLICT, "undrain", "node[1-2]").err()))
                .startsWith("muster undrain: node2 (rank 2) not drained by holder admin, but by others - ops: fw (" + BY
                        + ", 0s)\n");
    }

    @Test
    void aShrinkIsConfirmedOnATerminalBecauseItIsForGood() {
        String question =
                "This removes 1 of 10 hosts for good: node4. No scheduler gets them back until it acquires the"
                        + " next R. Continue? [y/N] ";
        assertThat(onTerminal("\n", "shrink", "node4"))
                .isEqualTo(
                        new Result(Exit.ERROR, "", question + "muster shrink: not confirmed\n  nothing was changed\n"));
        assertThat(out("status", "-no", "state,nnodes")).isEqualTo("available 10\n");
        assertThat(onTerminal("y\n", "shrink", "node4")).isEqualTo(new Result(Exit.OK, "", question));
        assertThat(onTerminal("", "shrink", "node4").err())
                .isEqualTo("nothing was changed: every target is lost already\n");
        succeeds("shrink", "node5");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "drain 1-5,node7 x",
                "status 1-5,node7",
                "history node7,1-5",
                "impact 1-5,node7",
                "list 1-5,node7",
                "undrain 1-5,node7",
                "property add x node7,1-5"
            })
    void aListThatMixesRanksAndHostsIsAUsageError(String line) {
        assertThat(refused(Exit.USAGE, line.split(" ")).err())
                .contains("ranks and hosts cannot be mixed: no host is named 1-5; name only ranks, or only hosts\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "drain node[1- x",
                "status node[1-",
                "why node[1-",
                "history node[1-",
                "impact node[1-",
                "list node[1-",
                "find node[",
                "status -s bogus",
                "status @{rack",
                "drain --for soon node1",
                "history --since soon",
                "report --by color",
                "R encode -r 1-",
                "expiration set soon",
                "watch -i node[1-"
            })
    void aMalformedArgumentIsAUsageError(String line) {
        refused(Exit.USAGE, line.split(" "));
    }

    @ParameterizedTest
    @CsvSource({"drain", "status", "list", "impact", "undrain", "history", "why"})
    void aRackThatIsTakenForAPropertyIsHinted(String verb) {
        assertThat(refused(Exit.NO_TARGET, verb, "@rack3").err())
                .startsWith("muster " + verb + ": no host has the property rack3")
                .contains("there is gpu\n", "'@{rack3}' stands for 2 hosts\n");
    }

    @Test
    void onlyDrainedHostsAreCompletedForUndrain() {
        succeeds("drain", "node[1,3]", "x");
        succeeds("exclude", "node4");
        assertThat(out("completion", "words").lines().filter(line -> line.matches("(drained|excluded) .*")))
                .containsExactly("drained node1", "drained node3", "excluded node4");
        assertThat(out("completion", "bash"))
                .containsPattern("'undrain'\\) spec=.* kinds='drained ")
                .containsPattern("'include'\\) spec=.* kinds='excluded ");
    }

    @Test
    void withoutAVerbTheVerbsAreListedInGroups() {
        Result none = refused(Exit.USAGE);
        assertThat(none.err())
                .startsWith("""
                muster: a verb is missing
                Most used:
                  status      Show which hosts are out, and why
                  why         Explain the state of a host
                """)
                .contains("\nLook:\n", "\nChange:\n", "\nPast:\n", "\nSchedulers:\n", "\nSet up:\n", "\nData:\n");
        assertThat(out("--help")).contains(Muster.verbs());
        assertThat(Muster.verbs().lines()).allMatch(line -> line.length() <= 55);
        assertThat(Muster.verbs()
                        .lines()
                        .filter(line -> line.startsWith("  "))
                        .map(line -> line.strip().split(" ")[0]))
                .containsExactlyInAnyOrderElementsOf(Muster.parser(new Shell().console(System.out, System.err))
                        .getSubcommands()
                        .keySet());
    }
}
