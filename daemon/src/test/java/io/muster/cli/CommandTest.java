package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real verbs against a real daemon: their output and exit status. */
class CommandTest extends VerbTest {
    private static final String FOUR_NODES = """
            [[resource.config]]
            hosts = "node[0-3]"
            cores = "0-3"
            [[resource.config]]
            hosts = "node3"
            gpus = "0"
            properties = ["batch"]
            """;

    private static final String USER = System.getProperty("user.name");

    CommandTest() {
        super(FOUR_NODES);
    }

    @Test
    void statusGroupsHostsWithTheSameStateAndReasonInOneLine() {
        succeeds("drain", "node[1-2]", "bad", "dimm");
        succeeds("offline", "node[2-3]", "psu");
        succeeds("exclude", "0", "spare");

        assertThat(out("status")).isEqualTo("""
                                  STATE UP NNODES BY__ REASON   NODELIST
                               excluded ✗       1 USER spare    node0
                                offline ✗       1 ____ psu      node3
                                drained ✗       1 USER bad dimm node1
                        drained,offline ✗       1 USER bad dimm node2
                        """.replace("BY__", "BY" + " ".repeat(USER.length() - 2))
                .replace("____", " ".repeat(USER.length()))
                .replace("USER", USER));
        assertThat(out("status", "-s", "drained", "-no", "{nodelist}:{reason}")).isEqualTo("node[1-2]:bad dimm\n");
        assertThat(out("status", "-s", "offline,drain", "-o", "nodelist", "-n")).isEqualTo("node2\n");
        assertThat(out("status", "-o", "state,nnodes,nodelist", "-n", "-i", "0,3"))
                .isEqualTo("excluded 1 node0\n offline 1 node3\n");
    }

    @Test
    void drainWithoutTargetsListsDrainedHostsUntilTheyAreUndrained() {
        succeeds("drain", "node[0-1]", "bad", "dimm");
        assertThat(out("drain", "-o", "state,holder,by,reason,nodelist"))
                .isEqualTo(String.format(
                        Locale.ROOT,
                        "  STATE HOLDER BY%s REASON   NODELIST\ndrained admin  %s bad dimm node[0-1]\n",
                        " ".repeat(USER.length() - 2),
                        USER));
        succeeds("undrain", "0-1", "replaced");
        assertThat(out("drain", "-n")).isEmpty();
    }

    @Test
    void drainingADrainedHostIsAConflictWithoutTheOptionsUpdateOrForce() {
        succeeds("drain", "1", "first");
        assertThat(refused(Exit.CONFLICT, "drain", "1", "second").err())
                .startsWith("muster drain: node1 (rank 1) already drained - admin: first (" + USER)
                .endsWith("s)\n  nothing was changed; -u skips drained targets, -f gives them the new reason\n");
        succeeds("drain", "-u", "1-2", "second");
        succeeds("drain", "-f", "1", "third");
        assertThat(out("drain", "-n", "-o", "reason,nodelist")).isEqualTo("second node2\nthird  node1\n");
        assertThat(refused(Exit.CONFLICT, "undrain", "0").err())
                .startsWith("muster undrain: node0 (rank 0) not drained\n");
        succeeds("undrain", "-u", "0-3");
        assertThat(refused(Exit.USAGE, "drain", "-u", "-f", "1").err()).contains("-u and -f contradict each other");
    }

    @Test
    void aHoldWithANameIsIndependentOfTheDefaultHold() {
        succeeds("drain", "1", "bad dimm");
        succeeds("drain", "--holder", "ops", "--for", "100d", "1", "firmware");
        assertThat(out("drain", "-n", "-o", "holder,until,reason")).isEqualTo("admin,ops  bad dimm; firmware\n");
        assertThat(muster("undrain", "1").err()).startsWith("node1 stays drained: ops: firmware (");
        assertThat(out("drain", "-n", "-o", "holder,until,reason")).matches("ops in (100|99)d firmware\n");
        assertThat(refused(Exit.CONFLICT, "undrain", "1").err())
                .startsWith(
                        "muster undrain: node1 (rank 1) not drained by holder admin, but by others - ops: firmware ("
                                + USER)
                .endsWith(
                        "  nothing was changed; --holder NAME ends the hold of that name, and --holder NAME -f also if"
                                + " another user placed it\n");
        succeeds("undrain", "--holder", "ops", "1");
        assertThat(out("status", "-n", "-o", "state,nnodes")).isEqualTo("available 4\n");
    }

    @Test
    void undrainWithForceReportsThatNoHoldWasEnded() {
        succeeds("drain", "--holder", "ops", "1", "firmware");
        assertThat(muster("undrain", "-f", "1").err())
                .startsWith("nothing was changed: no target has the hold admin\nnode1 stays drained: ops: firmware (");
        assertThat(muster("undrain", "-ff", "2").err()).isEqualTo("nothing was changed: no target has a hold\n");
        assertThat(muster("undrain", "-u", "2").err()).isEmpty();
        assertThat(out("drain", "-n", "-o", "nodelist")).isEqualTo("node1\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ",", ",,"})
    void targetsThatNameNothingAreRefusedByEveryVerb(String empty) {
        for (String verb :
                "status summary list info why drain undrain exclude include offline history".split(" ", -1)) {
            assertThat(refused(Exit.USAGE, verb, empty).err())
                    .isEqualTo(
                            "muster " + verb + ": \"" + empty + "\" names no targets\n  `all` stands for every host\n");
        }
        assertThat(refused(Exit.USAGE, "status", "-i", empty).err()).contains("\"" + empty + "\" names no targets");
        assertThat(refused(Exit.USAGE, "property", "add", "gpu", empty).err()).contains("names no targets");
        assertThat(refused(Exit.USAGE, "tag", "add", empty, "a").err()).contains("names no targets");
    }

    @Test
    void aDrainOfExcludedOrLostHostsIsRefusedWithTheReason() {
        succeeds("shrink", "1");
        assertThat(refused(Exit.CONFLICT, "drain", "0-1", "x").err())
                .startsWith("muster drain: node1 (rank 1) is lost (shrunk)\n");
        succeeds("exclude", "2");
        assertThat(refused(Exit.CONFLICT, "drain", "1-3", "x").err())
                .startsWith("muster drain: node[1-2] (ranks 1-2) are excluded or lost\n");
        assertThat(refused(Exit.CONFLICT, "drain", "2", "x").err())
                .startsWith("muster drain: node2 (rank 2) is excluded\n");
    }

    @Test
    void anUnknownTargetExitsWithNoTarget() {
        assertThat(refused(Exit.NO_TARGET, "drain", "node[2-9]", "x").err())
                .isEqualTo("muster drain: hosts node[4-9] are not in the resource set\n  nothing was changed\n");
        assertThat(refused(Exit.NO_TARGET, "status", "-i", "17").err()).contains("rank 17 is not in the resource set");
        assertThat(refused(Exit.NO_TARGET, "why", "nope").err()).contains("host nope is not in the resource set");
        assertThat(refused(Exit.NO_TARGET, "status", "-q", "debug").err())
                .isEqualTo("muster status: no host has the property debug; there is batch\n");
        assertThat(out("drain", "-n")).isEmpty();
    }

    @Test
    void aDryRunPrintsTheChangeAndTheUpdateOfEachScheduler() throws IOException {
        assertThat(out("drain", "--dry-run", "1", "x"))
                .isEqualTo("would drain node1 (rank 1) reason=\"x\" holder=admin by " + USER
                        + "\nno scheduler is connected\n");
        try (FluxClient scheduler = FluxClient.connect(daemon.uri());
                ResponseStream stream = scheduler.stream("resource.acquire", null)) {
            stream.next();
            assertThat(out("drain", "--dry-run", "node[1-2]", "x"))
                    .contains("scheduler " + USER)
                    .endsWith(" would get {\"down\":\"1-2\"}\n");
            assertThat(out("undrain", "-u", "--dry-run", "1")).isEqualTo("nothing would change\n" + nothingFor());
            assertThat(out("expiration", "set", "--dry-run", "@2000000000"))
                    .contains("would get {\"expiration\":2000000000.0}");
            assertThat(out("property", "add", "--dry-run", "debug", "0"))
                    .contains("\"property-add\":{\"debug\":\"0\"}");
        }
        assertThat(out("drain", "-n")).isEmpty();
    }

    private static String nothingFor() {
        return "scheduler " + USER + " pid " + ProcessHandle.current().pid() + " would get nothing\n";
    }

    @Test
    void whyPrintsMembershipLivenessHoldAndEventsOfAHost() {
        succeeds("drain", "3", "bad dimm");
        succeeds("offline", "3", "psu");
        assertThat(out("why", "node3"))
                .startsWith("node3 (rank 3): drained,offline\n  membership  member\n  liveness    offline for ")
                .contains(": psu\n  hold        admin: bad dimm by " + USER)
                .contains("\n  properties  batch\n  scheduler   none is connected\n")
                .containsPattern("event .* drain node3 \\(rank 3\\) reason=\"bad dimm\"")
                .containsPattern("event .* offline node3 \\(rank 3\\) cause=\"psu\"");
        assertThat(out("why", "0", "--json")).contains("\"host\":\"node0\",\"rank\":0,\"up\":true");
    }

    @Test
    void excludedHostsAreNotListedUntilTheyAreIncluded() {
        succeeds("exclude", "node0", "spare");
        assertThat(out("list", "-n", "-o", "state,nodelist")).isEqualTo("     free node[1-3]\nallocated\n     down\n");
        succeeds("include", "node0");
        assertThat(out("info")).isEqualTo("4 Nodes, 16 Cores, 1 GPU\n");
        assertThat(out("info", "-q", "batch")).isEqualTo("1 Node, 4 Cores, 1 GPU\n");
    }

    @Test
    void listGroupsHostsByStateAndProperties() {
        succeeds("drain", "0", "x");
        assertThat(out("list")).isEqualTo("""
                            STATE PROPERTIES NNODES NCORES NGPUS NODELIST
                             free                 2      8     0 node[1-2]
                             free batch           1      4     1 node3
                        allocated                 0      0     0
                             down                 1      4     0 node0
                        """);
    }

    @Test
    void propertiesAndTheExpirationCanBeSetAndRemoved() {
        succeeds("property", "add", "debug", "node[0-1]");
        assertThat(out("property", "list"))
                .isEqualTo("PROPERTY NNODES NODELIST\nbatch         1 node3\ndebug         2 node[0-1]\n");
        succeeds("property", "remove", "debug", "0-3");
        assertThat(out("property", "list", "-n")).isEqualTo("batch 1 node3\n");
        assertThat(refused(Exit.USAGE, "property", "add", "a!b", "0").err()).contains("a!b");

        succeeds("expiration", "set", "@2000000000");
        assertThat(out("expiration", "get")).startsWith("2033-05-18 03:33:20 UTC (in ");
        assertThat(refused(Exit.USAGE, "expiration", "set", "2020-01-01T00:00:00Z")
                        .err())
                .contains("is in the past");
        succeeds("expiration", "clear");
        assertThat(out("expiration", "get")).isEqualTo("never\n");
    }

    @Test
    void livenessVerbsChangeTheStatesOfHosts() {
        succeeds("torpid", "1");
        succeeds("offline", "2", "no", "heartbeat");
        assertThat(out("status", "-n", "-o", "state,up,nodelist"))
                .isEqualTo("available ✔ node[0,3]\n  offline ✗ node2\n   torpid ✗ node1\n");
        succeeds("lively", "1");
        succeeds("online", "2");
        succeeds("shrink", "3", "gone");
        assertThat(out("status", "-n", "-o", "state,reason,nodelist"))
                .isEqualTo("available      node[0-2]\n     lost gone node3\n");
    }

    @Test
    void acquirePrintsTheStreamAndARefusalNamesTheOwnerOfTheAcquisition() throws IOException {
        assertThat(out("acquire", "--count", "1"))
                .startsWith("{\"resources\":{")
                .endsWith("\"up\":\"0-3\"}\n");
        try (FluxClient scheduler = FluxClient.connect(daemon.uri());
                ResponseStream stream = scheduler.stream("resource.acquire", null)) {
            stream.next();
            assertThat(refused(Exit.CONFLICT, "acquire").err())
                    .contains(USER)
                    .contains("--wait waits until the resources are free");
            Path r = directory.resolve("R");
            Files.writeString(r, new Shell().run("R", "encode", "-H", "other").out());
            assertThat(refused(Exit.CONFLICT, "reload", r.toString()).err()).contains("busy");
        }
    }

    @Test
    void watchPrintsPastEventsOfTheJournal() {
        succeeds("drain", "1", "x");
        succeeds("undrain", "1");
        assertThat(out("watch", "--since", "all", "--type", "drain,undrain", "-c", "2", "-H")
                        .lines())
                .satisfiesExactly(
                        line -> assertThat(line).endsWith(" drain node1 (rank 1) reason=\"x\" holder=admin by " + USER),
                        line -> assertThat(line).endsWith(" undrain node1 (rank 1) holder=admin by " + USER));
        assertThat(out("watch", "--since", "1h", "-i", "node1", "-w", "undrain"))
                .contains("{\"seq\":");
    }

    @Test
    void historyAndReportReadTheDirectoryOrAskTheDaemon() {
        succeeds("drain", "node[0-1]", "bad dimm");
        succeeds("undrain", "0", "replaced");
        String disk =
                out("history", "node[0-3]", "--state-dir", daemon.stateDir().toString(), "--json");
        assertThat(disk)
                .contains("\"reason\":\"bad dimm\"")
                .containsPattern("\"comment\":\"replaced\",\"seconds\":\\d+\\.0,\"hosts\":\"node0\"")
                .contains("\"to\":null");
        assertThat(out("history", "node0"))
                .contains("bad dimm -> replaced node0")
                .doesNotContain("node1");
        assertThat(out("report", "--csv")).contains("\r\nbad dimm,2,2,1,");
        assertThat(out("report", "--by", "host", "-c", daemon.configFile().toString()))
                .contains(" node0\n");
    }

    @Test
    void availabilityIsReportedByTheDaemonAndFromTheDirectory() {
        succeeds("drain", "node[0-1]", "bad dimm");
        succeeds("offline", "node2");
        assertThat(out("report", "--availability"))
                .containsPattern(
                        "^NNODES +HOST HOURS +AVAILABLE +OFFLINE +DRAINED +OUTAGES +NOW +MTBF +MTTR +LONGEST\n")
                .containsPattern("\n +4 +\\d+\\.\\d +[\\d.]+% +[\\d.]+% +[\\d.]+% +3 +3 +\\S+ +\\S+ +\\S+\n")
                .contains(
                        "\navailable includes allocated, which is not recorded; of the outages, 0 began before the period"
                                + " and 3 had not ended: only their time in the period counts\ncomplete since ");
        String byHost = out("report", "--availability", "--by=host", "--at-least=1", "--csv");
        assertThat(byHost.lines().map(line -> line.split(",")[0]))
                .containsExactlyInAnyOrder("host", "node0", "node1", "node2");
        assertThat(byHost)
                .startsWith(
                        "host,nodes,host_seconds,available,torpid,offline,unknown,planned,drained,excluded,lost,"
                                + "unrecorded,outages,open,earlier,mtbf_seconds,mttr_seconds,longest_seconds,planned_times\r\n");
        String directory = daemon.stateDir().toString();
        assertThat(out("report", "--availability", "--by=host", "--at-least=1", "--state-dir", directory))
                .contains(" node1\n", " (all)\n")
                .doesNotContain("node3");
        assertThat(out(
                        "report",
                        "--availability",
                        "--by=queue",
                        "-c",
                        daemon.configFile().toString(),
                        "--json"))
                .contains("\"by\":\"queue\"", "\"allocated\":null");
        assertThat(refused(Exit.USAGE, "report", "--availability", "--by=rack", "--state-dir", directory)
                        .err())
                .contains("--by=rack needs the configuration, which has the racks", "name it with -c FILE");
        assertThat(refused(Exit.USAGE, "report", "--availability", "--by=user").err())
                .contains("give rack, class, queue, host");
        assertThat(refused(Exit.USAGE, "report", "--by=rack").err()).contains("give reason, host, holder, user, state");
        assertThat(refused(Exit.USAGE, "report", "--availability", "-s", "drained")
                        .err())
                .contains("--availability counts all states");
        assertThat(refused(Exit.USAGE, "report", "--at-least=2").err()).contains("--at-least needs --availability");
        assertThat(refused(Exit.USAGE, "report", "--availability", "--at-least=2")
                        .err())
                .contains("--at-least needs --by");
    }

    @Test
    void historyFitsIntoSixtyColumnsAndSaysForHowLong() {
        succeeds("drain", "--holder=ops", "node2", "a fan that is loud, ticket 4711");
        succeeds("undrain", "--holder=ops", "node2");
        succeeds("drain", "node2", "it is still loud");
        String narrow = new Shell()
                .with("MUSTER_URI", daemon.uri())
                .with("NO_COLOR", "1")
                .onTerminal(60)
                .run("history", "node2")
                .out();
        assertThat(narrow)
                .containsPattern("FROM +FOR +STATE +REASON\n")
                .containsPattern("\n\\d+-\\d\\d-\\d\\d \\S{8} +\\d+s drained a fan that is loud, \n +ticket 4711\n")
                .containsPattern("\n\\d+-\\d\\d-\\d\\d \\S{8} +\\d+s so far drained it is still loud\n")
                .contains("\ncomplete since ");
        assertThat(narrow.lines()).allMatch(line -> line.length() <= 60);
        assertThat(out("why", "node2"))
                .containsPattern(
                        "^node2 \\(rank 2\\): drained\n.*\n  liveness    online for \\S+: assumed, no report since R was defined\n");
    }

    @Test
    void historyListsHostsOfOneOfflineEventInOneLineInTheOrderOfR() {
        succeeds("drain", "node2", "bad dimm");
        succeeds("offline", "node[0-3]", "psu");
        assertThat(out("history", "node[0-3]")).contains("psu      node[0-3]\n");
        assertThat(out("history", "node[0-3]", "--json")).contains("\"hosts\":\"node[0-3]\"");
    }

    @Test
    void theJournalIsDumpedAndVerifiedWhileTheDaemonRunsAndRepairedWhenItDoesNot() throws IOException {
        succeeds("drain", "1", "x");
        String config = daemon.configFile().toString();
        Result dump = muster("journal", "dump", "-c", config, "--type", "drain");
        assertThat(dump.err()).isEqualTo("muster: events of " + daemon.stateDir() + "\n");
        assertThat(dump.out()).startsWith("{\"seq\":").contains("\"reason\":\"x\"");
        assertThat(out("journal", "verify", "-c", config))
                .contains("3 events, seq 1 to 3, in 1 segment; a daemon can start");
        assertThat(refused(Exit.CONFLICT, "journal", "repair", "-c", config).err())
                .contains("stop the daemon first");
        daemon.close();
        assertThat(out("journal", "repair", "-c", config))
                .isEqualTo(daemon.stateDir() + ": nothing to repair: the journal ends with seq 3\n");
        Path snapshot = daemon.stateDir().resolve("snapshot.json");
        Files.writeString(snapshot, Files.readString(snapshot).replace("node1", "node7"));
        Result damaged = muster("journal", "verify", "-c", config);
        assertThat(damaged.exit()).isEqualTo(Exit.ERROR);
        assertThat(damaged.out()).startsWith("DAMAGE snapshot.json").endsWith("damaged: `muster journal repair`\n");
        assertThat(out("journal", "repair", "-c", config, "--dry-run"))
                .contains("would move snapshot.json to quarantine");
        assertThat(out("journal", "repair", "-c", config)).contains("move snapshot.json to quarantine");
        assertThat(out("journal", "verify", "-c", config)).contains("a daemon can start from it");
    }

    @Test
    void jsonHasASchemaVersion() {
        for (String[] verb : new String[][] {
            {"status"},
            {"drain"},
            {"list"},
            {"info"},
            {"why", "0"},
            {"property", "list"},
            {"expiration", "get"},
            {"drain", "1", "x"},
            {"undrain", "1", "--dry-run"},
            {"history", "node0"},
            {"report"},
            {"version"},
            {"check", daemon.configFile().toString()},
            {"journal", "verify", "--state-dir", daemon.stateDir().toString()}
        }) {
            String[] arguments = Arrays.copyOf(verb, verb.length + 1);
            arguments[verb.length] = "--json";
            assertThat(out(arguments))
                    .as(String.join(" ", verb))
                    .startsWith("{\"schema_version\":1,")
                    .endsWith("}\n");
        }
    }

    @Test
    void aNarrowTerminalWrapsHostsAndCutsReasons() {
        succeeds("drain", "0,2", "a reason that is much too long for such a terminal");
        Result narrow = new Shell()
                .with("MUSTER_URI", daemon.uri())
                .with("NO_COLOR", "1")
                .onTerminal(40)
                .run("status");
        assertThat(narrow.out()).isEqualTo("""
                            STATE UP NNODES REASON     NODELIST
                        available ✔       2            node[1,3]
                          drained ✗       2 a reason + node[0,2]
                        """);
        assertThat(new Shell()
                        .with("MUSTER_URI", daemon.uri())
                        .onTerminal(80)
                        .run("status")
                        .out())
                .contains("\033[33m  drained\033[0m");
        assertThat(new Shell()
                        .with("MUSTER_URI", daemon.uri())
                        .with("LANG", "C")
                        .run("status")
                        .out())
                .contains("available y ");
    }

    @Test
    void aVerbWhoseOutputPipeIsClosedExitsWithClosedPipe() {
        assertThat(new Shell().with("MUSTER_URI", daemon.uri()).runIntoClosedPipe("status"))
                .isEqualTo(Exit.CLOSED_PIPE);
    }

    @Test
    void anUnreachableDaemonExitsWithUnreachable() {
        Result result = muster("status", "--uri", directory.resolve("nobody").toString());
        assertThat(result.exit()).isEqualTo(Exit.UNREACHABLE);
        assertThat(result.err())
                .startsWith("muster status: nothing listens on " + directory.resolve("nobody") + ": is muster running?")
                .contains("name another socket with --uri or MUSTER_URI");
    }

    @Test
    void aUsageErrorNamesTheAcceptedValues() {
        assertThat(refused(Exit.USAGE, "status", "--frobnicate").err())
                .contains("Unknown option: '--frobnicate'")
                .contains("see `muster status --help`");
        assertThat(refused(Exit.USAGE, "drian", "1").err()).contains("muster drain");
        assertThat(refused(Exit.USAGE, "status", "-s", "broken").err()).contains("the states are available");
        assertThat(refused(Exit.USAGE, "status", "-o", "nope").err())
                .contains("there is no column nope; there are state,");
        assertThat(refused(Exit.USAGE, "status", "--uri", "tcp://x").err()).contains("expected local:///PATH");
        assertThat(refused(Exit.USAGE, "property").err()).contains("a verb is missing: expected one of list, add");
        assertThat(refused(Exit.USAGE, "drain", "1", "--until", "soon").err()).contains("\"soon\" is not a time");
    }

    @Test
    void checkReportsEveryErrorOfAConfiguration() throws IOException {
        assertThat(out("check", daemon.configFile().toString()))
                .isEqualTo("ok: 4 nodes, 16 cores, 1 GPU from resource.config; checked " + daemon.configFile() + "\n");
        Path wrong = directory.resolve("wrong.toml");
        Files.writeString(wrong, "[muster]\nsokcet = \"x\"\nbatch = \"soon\"\n");
        assertThat(refused(Exit.ERROR, "check", wrong.toString()).err())
                .contains("wrong.toml:2: muster.sokcet: unknown key")
                .contains("wrong.toml:3: ");
    }

    private void reload(String hosts) throws IOException {
        Path r = directory.resolve("R.json");
        Files.writeString(
                r, new Shell().run("R", "encode", "-H", hosts, "-c", "0-3").out());
        succeeds("reload", r.toString());
    }

    @Test
    void aHostThatIsNoLongerInRCanBeExplainedAndUndrainedByName() throws IOException {
        succeeds("drain", "node1", "bad dimm");
        succeeds("exclude", "node2", "spare");
        reload("node[0,3]");
        Result status = muster("status", "-n", "-o", "state,nodelist");
        assertThat(status.out()).isEqualTo("available node[0,3]\n");
        assertThat(status.err())
                .isEqualTo("muster status: these hosts left R and will be drained when they return: node1\n");
        assertThat(muster("status", "--json").out()).contains("\"departed_drained\":\"node1\"");
        assertThat(out("why", "node1"))
                .startsWith("node1: departed: not in R; when the host returns, this applies again\n"
                        + "  hold        admin: bad dimm by " + USER)
                .containsPattern("event .* drain node1 \\(rank 1\\) reason=\"bad dimm\"");
        assertThat(out("why", "node2", "0"))
                .contains("node0 (rank 0): available\n", "  membership  excluded: spare by " + USER);
        assertThat(out("why", "node1", "--json"))
                .contains("\"state\":\"departed\",\"host\":\"node1\",\"up\":false", "\"reason\":\"bad dimm\"");
        assertThat(refused(Exit.CONFLICT, "undrain", "node[1-2]").err()).isEqualTo("""
                        muster undrain: node2 (departed) not drained
                          nothing was changed; -u skips targets that are not drained; --planned cancels holds that have not begun
                        """);
        for (String verb : new String[] {"undrain", "include"}) {
            assertThat(refused(Exit.USAGE, verb, "node[1-2]", "two\nlines").err())
                    .startsWith("muster " + verb + ": the ")
                    .contains(" must be one line of text, but character 4 is U+000A");
        }
        assertThat(refused(Exit.NO_TARGET, "undrain", "node[1,9]").err()).containsPattern("node(9|\\[1,9\\])");
        succeeds("undrain", "node1");
        succeeds("include", "node2");
        assertThat(out("status", "-n", "-o", "state,nodelist")).isEqualTo("available node[0,3]\n");
        reload("node[0-3]");
        assertThat(out("status", "-n", "-o", "state,nodelist")).isEqualTo("available node[0-3]\n");
    }

    @Test
    void resourceExcludeAppliesToTheRanksOfEachLoadedR() throws Exception {
        daemon.reconfigure(FOUR_NODES + "[resource]\nexclude = \"1,3\"\n");
        assertThat(out("status", "-n", "-o", "state,ranks,nodelist"))
                .isEqualTo("available 0,2 node[0,2]\n excluded 1,3 node[1,3]\n");
        reload("node[2,1,0]");
        assertThat(out("status", "-n", "-o", "state,ranks,nodelist"))
                .isEqualTo("available 0,2 node[2,0]\n excluded 1   node1\n");
        daemon.reconfigure(FOUR_NODES + "[resource]\nexclude = \"2-3\"\n");
        assertThat(out("status", "-n", "-o", "state,ranks,nodelist"))
                .isEqualTo("available 1-2 node[1,0]\n excluded 0   node2\n");
        reload("node[3,0]");
        assertThat(out("status", "-n", "-o", "state,ranks,nodelist"))
                .isEqualTo("available 1 node0\n excluded 0 node3\n");
    }

    @Test
    void aReloadKeepsHoldsOnHostsWhoseRanksChange() throws IOException {
        succeeds("drain", "node1", "x");
        reload("node[3,1,0]");
        assertThat(out("status", "-n", "-o", "state,ranks,nodelist"))
                .isEqualTo("available 0,2 node[3,0]\n  drained 1   node1\n");
    }

    @Test
    void aDryRunOfAReloadPrintsTheDifferenceAndChangesNothing() throws IOException {
        Path r = directory.resolve("R.json");
        Files.writeString(
                r,
                new Shell().run("R", "encode", "-H", "node[1,0,3-5]", "-c", "0").out());
        assertThat(out("reload", "--dry-run", r.toString())).isEqualTo("""
                        would define 5 ranks
                          new: node[4-5]
                          left the inventory; their holds are kept until they return: node2
                          moved to another rank: node[0-1,3]
                        """);
        assertThat(out("reload", "--dry-run", "--json", r.toString()))
                .isEqualTo(
                        "{\"schema_version\":1,\"dry_run\":true,\"nnodes\":5,\"added\":\"node[4-5]\",\"left\":\"node2\","
                                + "\"moved\":\"node[0-1,3]\"}\n");
        assertThat(out("status", "-no", "nodelist")).isEqualTo("node[0-3]\n");
        try (FluxClient scheduler = FluxClient.connect(daemon.uri());
                ResponseStream stream = scheduler.stream("resource.acquire", null)) {
            stream.next();
            assertThat(refused(Exit.CONFLICT, "reload", "--dry-run", r.toString())
                            .err())
                    .startsWith("muster reload: resources are busy (unload scheduler?): the scheduler cannot be sent ");
        }
    }
}
