package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines whose meaning differs from the probable intention of the user. */
class TrapTest extends VerbTest {
    private static final String TEN_NODES = """
            [[resource.config]]
            hosts = "node[0-9]"
            cores = "0-3"
            [[resource.config]]
            hosts = "node[8-9]"
            properties = ["gpu"]
            """;

    TrapTest() {
        super(TEN_NODES);
    }

    private Result onTerminal(String typed, String... arguments) {
        return new Shell()
                .with("MUSTER_URI", daemon.uri())
                .with("NO_COLOR", "1")
                .onTerminal(80)
                .typing(typed)
                .run(arguments);
    }

    private Result piped(String input, String... arguments) {
        return new Shell().with("MUSTER_URI", daemon.uri()).typing(input).run(arguments);
    }

    @ParameterizedTest
    @CsvSource({
        "drain node1 node2 node3, node2 node3 are targets",
        "drain node1 node2, node2 is a target",
        "drain 1 2 3, 2 3 are targets",
        "drain -u node1 node2 node3, node2 node3 are targets",
        "drain node1 node[2-4] 5 @gpu, node[2-4] 5 @gpu are targets",
        "drain all 5, 5 is a target",
        "undrain node1 node2, node2 is a target",
        "exclude node1 node2, node2 is a target",
        "include node1 node2, node2 is a target",
        "shrink node1 node2, node2 is a target",
        "offline node1 node2, node2 is a target",
    })
    void aReasonThatConsistsOfTargetsIsRefused(String line, String sentence) {
        String[] words = line.split(" ");
        assertThat(refused(Exit.USAGE, words).err())
                .startsWith("muster " + words[0] + ": " + sentence + ", not a reason: separate targets by commas; ");
        assertThat(out("status", "-no", "state,nnodes")).isEqualTo("available 10\n");
    }

    @Test
    void aReasonThatConsistsOfTargetsIsAcceptedAfterTwoDashes() {
        assertThat(refused(Exit.USAGE, "drain", "node1", "node2", "3").err()).contains("put -- before it");
        succeeds("drain", "node1", "--", "node2", "3");
        assertThat(out("drain", "-no", "nodelist,reason")).isEqualTo("node1 node2 3\n");
    }

    @Test
    void aReasonThatOnlyMentionsTargetsIsAccepted() {
        succeeds("drain", "node1", "the", "node2", "broke", "it");
        succeeds("drain", "node3", "node12");
        succeeds("drain", "node4", "4711");
        succeeds("drain", "node5", "all");
        assertThat(out("drain", "-no", "reason")).isEqualTo("all\n4711\nnode12\nthe node2 broke it\n");
    }

    @Test
    void aChangeOfManyHostsIsConfirmedOnATerminal() {
        String question = "This changes 3 of 10 hosts (30 %): node[0-2]. Continue? [y/N] ";
        assertThat(onTerminal("\n", "drain", "0-2", "x"))
                .isEqualTo(
                        new Result(Exit.ERROR, "", question + "muster drain: not confirmed\n  nothing was changed\n"));
        assertThat(onTerminal("", "exclude", "0-2").exit()).isEqualTo(Exit.ERROR);
        assertThat(onTerminal("no\n", "offline", "0-2").exit()).isEqualTo(Exit.ERROR);
        assertThat(onTerminal("no\n", "property", "add", "fast", "all").exit()).isEqualTo(Exit.ERROR);
        assertThat(out("status", "-no", "state,nnodes")).isEqualTo("available 10\n");
        assertThat(onTerminal("y\n", "drain", "0-2", "x")).isEqualTo(new Result(Exit.OK, "", question));
        assertThat(onTerminal("", "drain", "3-4", "x")).isEqualTo(new Result(Exit.OK, "", ""));
        assertThat(onTerminal("", "undrain", "--dry-run", "0-4").exit()).isZero();
        succeeds("undrain", "all", "-u");
    }

    /** Another R gives the ranks to other hosts while the user reads the question. */
    @ParameterizedTest
    @ValueSource(strings = {"drain 0-2 x", "shrink 0-2", "exclude 0-2", "offline 0-2", "property add fast 0-2"})
    void aChangeOfRanksThatAreOtherHostsWhenTheUserAnswersIsRefused(String line) {
        InputStream answer = new InputStream() {
            private final byte[] typed = "y\n".getBytes(StandardCharsets.UTF_8);
            private int at;

            @Override
            public int read() throws IOException {
                if (at == 0) {
                    daemon.reconfigure("[[resource.config]]\nhosts = \"node[5-9,0-4]\"\ncores = \"0-3\"\n");
                }
                return at < typed.length ? typed[at++] : -1;
            }

            @Override
            public int read(byte[] into, int from, int most) throws IOException {
                int next = most == 0 ? 0 : read();
                if (most > 0 && next >= 0) {
                    into[from] = (byte) next;
                }
                return most == 0 ? 0 : next < 0 ? -1 : 1;
            }
        };
        Result result = new Shell()
                .with("MUSTER_URI", daemon.uri())
                .with("NO_COLOR", "1")
                .onTerminal(80)
                .reading(answer)
                .run(line.split(" "));
        assertThat(result.exit()).isEqualTo(Exit.CONFLICT);
        assertThat(result.err())
                .startsWith(
                        line.startsWith("shrink") ? "This removes 3 of 10 hosts" : "This changes 3 of 10 hosts (30 %)")
                .contains(
                        "nothing was changed: the targets are not the hosts that were confirmed any more: now node[5-7], no"
                                + " longer node[0-2]");
        assertThat(out("status", "-no", "state,nnodes")).isEqualTo("available 10\n");
    }

    /** The change affects hosts in R and a host that left R, so it must be confirmed, too. */
    @Test
    void aChangeOfManyHostsIsConfirmedEvenIfOneOfThemLeftR() throws Exception {
        succeeds("drain", "0-9", "x");
        daemon.reconfigure("[[resource.config]]\nhosts = \"node[0-8]\"\ncores = \"0-3\"\n");
        assertThat(onTerminal("no\n", "undrain", "node[0-4,9]"))
                .isEqualTo(new Result(
                        Exit.ERROR,
                        "",
                        "This changes 6 of 9 hosts (67 %): node[0-4,9]. Continue? [y/N] muster undrain: not confirmed\n  nothing was"
                                + " changed\n"));
        assertThat(onTerminal("", "undrain", "node9").exit()).isZero();
    }

    @Test
    void includeDoesNotReadStandardInput() {
        for (String verb : List.of("status", "eventlog", "watch", "drain")) {
            assertThat(piped("node1\n", verb, "--include", "-"))
                    .extracting(
                            Result::exit,
                            result -> result.err().lines().findFirst().orElse(""))
                    .containsExactly(
                            Exit.USAGE,
                            "muster " + verb + ": Invalid value for option '--include': standard input is not"
                                    + " read here: name the targets, for instance with \"$(paste -sd, FILE)\"");
        }
    }

    @Test
    void confirmShareSetsTheShareThatNeedsAConfirmation() throws Exception {
        daemon.reconfigure("confirm-share = 0.9\n" + TEN_NODES);
        assertThat(onTerminal("", "drain", "0-8", "x").exit()).isZero();
        daemon.reconfigure("confirm-share = 0\n" + TEN_NODES);
        assertThat(onTerminal("", "undrain", "0").exit()).isZero();
        assertThat(onTerminal("", "undrain", "1-2").exit()).isEqualTo(Exit.ERROR);
    }

    @Test
    void aChangeWithoutEffectIsReported() {
        assertThat(muster("property", "remove", "nosuch", "all"))
                .isEqualTo(new Result(Exit.OK, "", "nothing was changed: no target has nosuch\n"));
        assertThat(muster("property", "add", "gpu", "9").err())
                .isEqualTo("nothing was changed: every target has gpu already\n");
        assertThat(muster("include", "9").err()).isEqualTo("nothing was changed: no target is excluded or lost\n");
        assertThat(out("property", "remove", "nosuch", "all", "--json"))
                .isEqualTo(
                        "{\"schema_version\":1,\"done\":true,\"changed\":false,\"hosts\":\"\",\"seq\":null,\"unchanged\":\"node[0-9]\"}\n");
        succeeds("property", "remove", "gpu", "all");
        succeeds("exclude", "9");
        assertThat(muster("exclude", "9").err()).isEqualTo("nothing was changed: every target is excluded already\n");
    }

    @Test
    void anExclusionReportsTheHoldsThatItEnds() {
        succeeds("drain", "1-2", "bad dimm");
        succeeds("drain", "--holder", "ops", "2-3", "firmware");
        assertThat(out("exclude", "--dry-run", "1-3"))
                .startsWith("would undrain node[1-2] (ranks 1-2) reason=\"excluded\" holder=admin by ")
                .contains("would exclude node[1-3] (ranks 1-3) by ");
        assertThat(muster("exclude", "1-3")).isEqualTo(new Result(Exit.OK, "", "ended the hold admin on node[1-2]\n"));
        assertThat(out("status", "-no", "state,nodelist")).isEqualTo("available node[0,4-9]\n excluded node[1-3]\n");
        assertThat(out("why", "2")).contains(": excluded\n", "hold        ops: firmware by ");
        assertThat(muster("include", "1-3").err()).startsWith("node[2-3] stay drained: ops: firmware (");
        assertThat(out("drain", "-no", "holder,nodelist")).isEqualTo("ops node[2-3]\n");
        assertThat(out("history", "node2")).contains("bad dimm -> excluded").contains("firmware");
    }

    @Test
    void theRefusalOfANamedHoldNamesTheOptionsForThatHold() {
        succeeds("drain", "--holder", "ops", "1", "firmware");
        assertThat(refused(Exit.CONFLICT, "undrain", "1").err())
                .contains("--holder NAME -f")
                .doesNotContain("-ff");
        assertThat(out("undrain", "--help")).containsPattern("--holder NAME, end that one\\s+hold");
        succeeds("undrain", "--holder", "ops", "-f", "1");
        assertThat(out("drain", "-n")).isEmpty();
    }

    @Test
    void targetsAreReadFromStandardInput() {
        assertThat(piped("node1\nnode2\n node5\n", "drain", "-", "bad", "dimm")).isEqualTo(new Result(Exit.OK, "", ""));
        assertThat(out("drain", "-no", "nodelist")).isEqualTo("node[1-2,5]\n");
        assertThat(piped("node[1-2]", "status", "-no", "state,nodelist", "-").out())
                .isEqualTo("drained node[1-2]\n");
        assertThat(piped("1 2", "info", "-").out()).startsWith("2 Nodes");
        assertThat(piped("node1 node2", "why", "-").out()).contains("node1 (rank 1)", "node2 (rank 2)");
        assertThat(piped("node1\nnode2", "history", "-").out()).contains("node[1-2]");
        assertThat(piped("node[1-2]\n", "undrain", "-").exit()).isZero();
        assertThat(piped("1\n2\n", "exclude", "-").exit()).isZero();
        assertThat(piped("1\n2\n", "include", "-").exit()).isZero();
        assertThat(piped("1\n2\n", "offline", "-").exit()).isZero();
        assertThat(piped("@gpu\n0", "property", "add", "fast", "-").exit()).isZero();
        assertThat(piped("@fast", "property", "list", "-no", "property,nodelist", "-")
                        .out())
                .isEqualTo("fast node[0,8-9]\ngpu  node[8-9]\n");
        assertThat(piped(" \n", "drain", "-", "x"))
                .isEqualTo(new Result(Exit.USAGE, "", "muster drain: standard input names no targets\n"));
    }

    @Test
    void checkPrintsNotesAboutAccountsAndPropertiesThatDoNotExist() throws IOException {
        Path file = Files.writeString(directory.resolve("odd.toml"), TEN_NODES + """
                [[grant]]
                who = ["root", "no-such-user", "%no-such-group"]
                rights = ["change"]
                [[grant]]
                who = ["no-such-scheduler"]
                rights = ["acquire"]
                [[grant]]
                who = ["role:admin", "no-such-admin"]
                rights = ["change"]
                [queues.fast]
                requires = ["gpu"]
                [queues.faster]
                requires = ["gpus"]
                [queues.none]
                requires = ["gpu", "^gpu"]
                """);
        Result result = muster("check", file.toString());
        assertThat(result.exit()).isZero();
        assertThat(result.err()).isEqualTo("""
                        access: "no-such-user" has no account on this host, and gets no right
                        access: "%no-such-group" has no account on this host, and gets no right
                        access: "no-such-scheduler" has no account on this host, and gets no right
                        access: "no-such-admin" has no account on this host, and gets no right
                        queues.faster: requires gpus, which no host has
                        queues.none: no host has all that the queue requires: gpu, ^gpu
                        """);
    }
}
