package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists that are longer or wider than a terminal, and the summary. */
class SummaryTest extends VerbTest {
    private static final String RACKS = """
            [[resource.config]]
            hosts = "r[000-024]n[00-39]"
            cores = "0-3"
            [[resource.config]]
            hosts = "r[000-009]n[00-39]"
            properties = ["batch", "row1"]
            [[resource.config]]
            hosts = "r[010-024]n[00-39]"
            properties = ["row2"]
            [queues.batch]
            requires = ["batch"]
            """;

    private static final String USER = System.getProperty("user.name");

    SummaryTest() {
        super(RACKS);
    }

    private Result onTerminal(int columns, int lines, String... arguments) {
        return new Shell()
                .with("MUSTER_URI", daemon.uri())
                .with("NO_COLOR", "1")
                .with("LINES", Integer.toString(lines))
                .onTerminal(columns)
                .run(arguments);
    }

    /** Drains 25 hosts, each with a different reason. */
    private void drainMany() {
        for (int rank = 0; rank < 25; rank++) {
            succeeds("drain", Integer.toString(40 * rank), "reason " + rank);
        }
    }

    @Test
    void aTableThatIsLongerThanTheTerminalEndsWithTheNumberOfTheOtherRows() {
        drainMany();
        List<String> lines = onTerminal(80, 24, "status").out().lines().toList();
        assertThat(lines).hasSize(23).allMatch(line -> line.length() <= 80);
        assertThat(lines.get(1)).startsWith("available ✔     975");
        assertThat(lines.get(2)).contains(" " + USER + " ", " reason 24 ", " r024n00");
        assertThat(lines.get(21)).contains(" reason 5 ");
        assertThat(lines.get(22)).isEqualTo("5 more rows: muster status | less");
        assertThat(onTerminal(80, 28, "status").out().lines()).hasSize(27);
        assertThat(onTerminal(80, 24, "status", "--all").out())
                .isEqualTo(onTerminal(80, 0, "status").out());
        assertThat(onTerminal(80, 24, "status", "-s", "drained", "-o", "reason").out())
                .endsWith("\n4 more rows: muster status -s drained -o reason | less\n");
        assertThat(onTerminal(80, 24, "drain", "-i", "@{node and state=down}").out())
                .endsWith("\n4 more rows: muster drain -i '@{node and state=down}' | less\n");
        assertThat(onTerminal(80, 4, "list").out()).endsWith("\n4 more rows: muster list | less\n");
        assertThat(onTerminal(80, 5, "property", "list").out().lines()).hasSize(4);
        assertThat(onTerminal(80, 3, "property", "list").out())
                .endsWith("\n2 more rows: muster property list | less\n");
    }

    @Test
    void byGivesWayOnANarrowTerminalAndReasonsKeepTwentyColumns() {
        succeeds("drain", "--holder=fw", "r000n[00-19]", "EDAC: correctable memory errors, ticket 4711");
        succeeds("drain", "--holder=ops", "r000n00", "fan");
        for (int width : new int[] {50, 60, 80, 140, 200}) {
            String table = onTerminal(width, 24, "status").out();
            assertThat(table.lines()).as(table).allMatch(line -> line.length() <= width);
            assertThat(table.contains(" BY ")).as(table).isEqualTo(width >= 70 + USER.length());
            assertThat(table).contains(width < 80 ? " fw: EDAC: cor" : " fw: EDAC: correctabl");
        }
        assertThat(out("drain"))
                .contains(
                        " drained fw,ops EDAC: correctable memory errors, ticket 4711; fan r000n00\n",
                        " drained fw     EDAC: correctable memory errors, ticket 4711      r000n[01-19]\n");
    }

    @Test
    void expandPrintsEveryRowAndHostAndNonTerminalOutputTheWholeTable() {
        drainMany();
        assertThat(onTerminal(80, 24, "status", "--expand").out())
                .contains("r000n01,r000n02,")
                .contains("r024n39");
        assertThat(out("status").lines()).hasSize(27);
        assertThat(out("status")).doesNotContain("more hosts");
        assertThat(onTerminal(80, 24, "status", "-s", "available").out()).isEqualTo("""
                            STATE UP NNODES REASON NODELIST
                        available ✔     975        r000n[01-39],r001n[01-39],...[897 more hosts]
                        """);
    }

    @Test
    void hostlistsInSentencesAreCutOnATerminal() {
        String all = out("drain", "--dry-run", "all", "new firmware");
        assertThat(all).startsWith("would drain r000n[00-39],").contains("r024n[00-39] (ranks 0-999) reason=");
        String cut = "r000n[00-39],...[960 more hosts] (ranks 0-999) reason=\"new firmware\" holder=admin by ";
        assertThat(onTerminal(80, 24, "drain", "--dry-run", "all", "new firmware")
                        .out())
                .startsWith("would drain " + cut);
        assertThat(onTerminal(80, 24, "drain", "all", "new firmware").err())
                .startsWith("This changes 1,000 of 1,000 hosts (100 %): r000n[00-39],")
                .contains("more hosts]. Continue? [y/N]")
                .hasSizeLessThan(400);
        succeeds("drain", "all", "new firmware");
        assertThat(out("why", "0")).contains("r024n[00-39] (ranks 0-999)");
        assertThat(onTerminal(80, 24, "why", "0").out()).contains(" drain " + cut);
        assertThat(refused(Exit.CONFLICT, "drain", "all", "x").err())
                .startsWith("muster drain: r000n[00-39],")
                .contains("more hosts] (ranks 0-999) already drained - admin: new firmware (")
                .hasSizeLessThan(700);
        assertThat(refused(Exit.NO_TARGET, "drain", "x[0-1999,3000,4000]y", "x").err())
                .hasSizeLessThan(1200);
    }

    @Test
    void theHostlistOfFeasibleIsCutOnlyOnATerminal() {
        succeeds("drain", "1", "x");
        String whole = out("feasible", "--now", "slot/core");
        assertThat(whole).contains("\nhosts: r000n[00,02-39],r001n[00-39],").contains("r024n[00-39]");
        assertThat(onTerminal(60, 24, "feasible", "--now", "slot/core").out())
                .endsWith("\nhosts: r000n[00,02-39],r001n[00-39],...[920 more hosts]\n");
        assertThat(onTerminal(60, 24, "feasible", "--now", "--expand", "slot/core")
                        .out())
                .contains("\nhosts: r000n00,r000n02,")
                .endsWith(",r024n39\n");
    }

    @Test
    void theSummaryCountsQueuesAndPropertiesAndListsNewAndOldOutages() {
        succeeds("drain", "--holder", "ops", "--for", "4h", "r000n[00-09]", "firmware");
        succeeds("offline", "r010n[00-04]");
        succeeds("exclude", "r024n39", "spare");
        String text = out("summary");
        assertThat(text)
                .startsWith("""
                        up         984 of 1,000 hosts, 3,936 of 4,000 cores, 0 of 0 GPUs
                        states     984 available, 5 offline, 1 excluded, 10 drained
                        scheduler  none is connected
                        disk       accepts changes; the journal has\s""")
                .containsPattern("\nqueue    batch    390      400 1,560    1,600  0       0\n")
                .containsPattern("\nproperty row\\* \\(2\\) 984    1,000 3,936    4,000  0       0\n")
                .containsPattern("\nnew in 12h +\\S+ excluded +1 +spare    r024n39\n")
                .containsPattern("\n +\\S+ offline +5 +r010n\\[00-04\\]\n")
                .containsPattern("\n +\\S+ drained +10 in \\S+ +ops    firmware r000n\\[00-09\\]\n")
                .doesNotContain("oldest", "ending");
        assertThat(out("summary", "-q", "batch")).startsWith("up         390 of 400 hosts, ");
    }

    @Test
    void aSummaryWithoutQueuesAndPropertiesHasNoTableOfThem(@TempDir Path place) throws Exception {
        try (RunningDaemon plain =
                RunningDaemon.start(place, "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n")) {
            Result summary = new Shell().with("MUSTER_URI", plain.uri()).run("summary");
            assertThat(summary.out()).contains("4 available").doesNotContain("OF HOSTS");
        }
    }

    @Test
    void theSummaryInJsonHasTheFirstProblemsOfEachKindAndTheirNumber() throws IOException {
        drainMany();
        try (FluxClient scheduler = FluxClient.connect(daemon.uri());
                ResponseStream stream = scheduler.stream("resource.acquire", null)) {
            stream.next();
            JsonNode json = new JsonMapper().readTree(out("summary", "--json"));
            assertThat(json.path("all"))
                    .hasToString(
                            "{\"nnodes\":1000,\"nnodes_up\":975,\"ncores\":4000,\"ncores_up\":3900,\"ngpus\":0,\"ngpus_up\":0}");
            assertThat(json.path("queues").findValuesAsText("name")).containsExactly("batch");
            assertThat(json.path("properties").findValuesAsText("name")).containsExactly("row* (2)");
            assertThat(json.path("new_total").asInt()).isEqualTo(25);
            assertThat(json.path("new")).hasSize(10);
            assertThat(json.path("new").path(0).path("hosts").asText()).isEqualTo("r024n00");
            assertThat(json.path("oldest_total").asInt()).isEqualTo(25);
            assertThat(json.path("oldest")).hasSize(10);
            assertThat(json.path("oldest").path(0).path("hosts").asText()).isEqualTo("r000n00");
            assertThat(json.path("ending_total").asInt(-1)).isZero();
            assertThat(json.path("ending")).isEmpty();
            assertThat(json.path("journal_bytes").asLong()).isPositive();
            assertThat(json.path("schedulers").path(0).path("unsent_nnodes").asInt(-1))
                    .isZero();
            assertThat(out("summary"))
                    .containsPattern(
                            "\nscheduler  \\S+\\(.*, connected since \\S+ \\S+ UTC \\(\\d+s\\), has every change\n");
        }
    }

    @Test
    void anAcquisitionWhoseOwnerIsDisconnectedIsShownAsNotConnected() throws IOException {
        try (FluxClient bridge = FluxClient.connect(daemon.uri())) {
            bridge.stream("resource.acquire", new Owner("flux", 600).toJson()).next();
        }
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(out("summary"))
                        .containsPattern(
                                "\nscheduler  flux, .*, not connected: the acquisition is kept until \\S+ \\S+ UTC\n"));
        assertThat(muster("status").err())
                .matches("muster status: flux, .* is not connected; the acquisition is kept until \\S+ \\S+ UTC\n");
        succeeds("acquire", "release", "flux");
        assertThat(muster("status").err()).isEmpty();
    }

    /** RFC 28 has no update with which a scheduler could learn of more hosts. */
    @Test
    void anIncludedHostIsNotKnownToASchedulerThatAcquiredWithoutIt() throws IOException {
        succeeds("exclude", "r000n0[1-3]");
        try (FluxClient bridge = FluxClient.connect(daemon.uri())) {
            bridge.stream("resource.acquire", new Owner("flux", 600).toJson()).next();
            String sentence = "flux, \\S+\\(\\d+\\) pid \\d+ does not know r000nHOSTS until it acquires again\n";
            assertThat(muster("status").err()).isEmpty();
            assertThat(muster("include", "r000n0[1,3]").err()).matches(sentence.replace("HOSTS", "\\[01,03]"));
            assertThat(muster("include", "r000n02").err()).matches(sentence.replace("HOSTS", "02"));
            assertThat(muster("status").err()).matches("muster status: " + sentence.replace("HOSTS", "\\[01-03]"));
            assertThat(out("summary")).contains("has every change, does not know 3 hosts until it acquires again\n");
            assertThat(new JsonMapper()
                            .readTree(out("status", "--json"))
                            .path("schedulers")
                            .findValuesAsText("unknown"))
                    .containsExactly("r000n[01-03]");
        }
        succeeds("acquire", "release", "flux");
        assertThat(muster("include", "r000n02").err())
                .isEqualTo("nothing was changed: no target is excluded or lost\n");
    }

    /** Writes an R of one node that is valid from 2100 to 2110. */
    private Path future() throws IOException {
        return Files.writeString(directory.resolve("R.json"), """
                {"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}}],
                "starttime":4102444800,"expiration":4417977600,"nodelist":["a"]}}
                """);
    }

    @Test
    void everyVerbShowsThatAnRStartsInTheFuture() throws IOException {
        String r = future().toString();
        assertThat(muster("reload", "--force", r).exit()).isZero();
        Result now = muster("feasible", "--now", "slot/core");
        assertThat(now.exit()).isEqualTo(3);
        assertThat(now.out())
                .startsWith("no: R starts at 2100-01-01T00:00:00Z, ")
                .endsWith(" from now\n");
        assertThat(out("feasible", "slot/core")).startsWith("yes");
        String both = "starts 2100-01-01 00:00:00 UTC \\(in \\d+y\\), expires 2110-01-01 00:00:00 UTC \\(in \\d+y\\)\n";
        assertThat(out("info")).matches("1 Node, 4 Cores, 0 GPUs\n" + both);
        assertThat(out("summary")).containsPattern("\nR          " + both);
        String json = "\"starttime\":\"2100-01-01T00:00:00Z\",\"expiration\":\"2110-01-01T00:00:00Z\"";
        assertThat(out("info", "--json")).contains(json);
        assertThat(out("status", "--json")).contains(json);
        assertThat(out("summary", "--json")).contains(json);
        Path config = Files.writeString(directory.resolve("next.toml"), "[resource]\npath = \"" + r + "\"\n");
        assertThat(out("check", config.toString()))
                .startsWith("ok: 1 node, ")
                .containsPattern(", " + both.strip() + "; checked ");
        assertThat(out("check", "--json", config.toString())).contains(json);
        assertThat(refused(Exit.USAGE, "summary", "--since", "5").err()).contains("\"5\" has no unit");
    }
}
