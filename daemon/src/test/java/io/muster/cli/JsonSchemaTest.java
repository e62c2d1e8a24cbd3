package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import io.muster.daemon.api.Shapes;
import io.muster.daemon.api.Tables;
import io.muster.daemon.core.Rig;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.history.Outage;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.status.StateGroup;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The output of each command with {@code --json} conforms to {@code docs/json-schema.json}, and this test produces every key and every type
 * of the schema. The schema and the tables of {@code docs/json-reference.md} are generated.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class JsonSchemaTest {
    private static final Path PAGE = Path.of("../docs/json-reference.md");
    private static final Path FILE = Path.of("../docs/json-schema.json");

    /** Verbs whose output with {@code --json} is a document of an RFC, or a measurement of the source tree. */
    private static final Set<String> OTHERS = Set.of("R get", "shape expand", "bench");

    private static final String RESOURCES = """
            [[resource.config]]
            hosts = "node[0-8]"
            cores = "0-3"
            gpus = "0"
            [[resource.config]]
            hosts = "node[0-3]"
            properties = ["batch"]
            [queues.batch]
            requires = ["batch"]
            """;

    /** Types that only the output after an answer was lost, beside another holder, or about an earlier version contains. */
    private static final Set<String> ELSEWHERE = Set.of(
            "change.repeated is boolean",
            "change.still-out is array",
            "change.still-out item is string",
            "dry-run.still-out is array",
            "dry-run.still-out item is string",
            "change.claims-ended is array",
            "change.claims-ended item is string",
            "dry-run.claims-ended is array",
            "dry-run.claims-ended item is string",
            "dry-run.available is string",
            "check.expiration is string",
            "check.starttime is string",
            "group.offline_since is null",
            "host.liveness_since is null",
            "history.damage is string",
            "host.offline_since is null",
            "listed-departed-host.absences item.reason is null",
            "totals-report.damage is string",
            "availability-report.damage is string",
            "work-document.clock is string",
            "work-document.fault is string",
            "trouble.since is null",
            "upgrade-status.permits item is string",
            "why-document.events_refused is string");

    /** What only standbys, pages, a ledger on etcd, audits and daemons that wait or doubt have, which other tests look at. */
    private static final Pattern OF_OTHER_DAEMONS = Pattern.compile(
            "(service|list-document|audited|difference|brake-count|brakes-document|policy)\\b.*|.*\\.standby.*|.*\\.next is integer"
                    + "|.*\\.(usage|schedulers|waiting) is null|.*\\.waiting item is string|job-usage\\.properties\\b.*"
                    + "|(change|(reload-)?dry-run)\\.ends-jobs.*|availability-report\\.(bars item|.*since is null|rows item\\.queue).*");

    private static final String HOLDS = "[holds]\nchecks = [\"nhc\"]\nactions = [\"reseat\"]\n";

    private final Set<String> run = new TreeSet<>();
    private final List<String> wrong = new ArrayList<>();

    @TempDir
    private Path directory;

    private JsonSchema schema = new JsonSchema(JsonMapper.builder().build().createObjectNode());
    private Shell shell = new Shell();

    @BeforeAll
    void read() throws IOException {
        schema = new JsonSchema(JsonMapper.builder().build().readTree(FILE.toFile()));
    }

    /** Runs a verb with {@code --json} and checks each line that it prints. */
    private void json(int exit, String verb, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of(verb.split(" ", -1)));
        line.add("--json");
        line.addAll(Arrays.asList(arguments));
        check(exit, verb, shell.run(line.toArray(new String[0])));
    }

    private void check(int exit, String verb, Result result) throws IOException {
        run.add(verb);
        String said = verb + " -> " + result;
        if (result.exit() != exit || result.out().isEmpty()) {
            wrong.add("expected status " + exit + " and JSON: " + said);
        }
        for (String each : result.out().lines().toList()) {
            JsonNode document = JsonMapper.builder().build().readTree(each);
            boolean failed = document.has("error");
            schema.faults(failed ? "error" : verb.replace(' ', '-'), document)
                    .forEach(fault -> wrong.add(fault + ": " + said));
            if (failed && document.path("exit").asInt() != exit) {
                wrong.add("another exit status than " + exit + ": " + said);
            }
        }
    }

    @Test
    @Needs({"etcd", "etcdctl"})
    void everyOutputConformsToTheSchemaAndEveryKeyOfTheSchemaIsPrinted() throws Exception {
        withoutADaemon();
        Path state = directory.resolve("state");
        try (RunningDaemon daemon =
                RunningDaemon.start(directory, RESOURCES + HOLDS + "[[listen]]\nhttp = \"127.0.0.1:0\"\n")) {
            shell = new Shell().with("MUSTER_URI", daemon.uri());
            look("node[0-8]");
            change();
            note(daemon);
            look("node[0-8]");
            failures();
            try (FluxClient client = FluxClient.connect(daemon.uri());
                    ResponseStream scheduler = client.stream("resource.acquire", null)) {
                scheduler.next();
                look("node[0-8]");
                withAScheduler();
            }
            withAnOwner(daemon);
            acquire(daemon);
            reload();
            look("node[4-5]");
            journals(state);
            tokens(state);
        }
        broken(state);
        doubtedClock();
        direct();
        onEtcd();
        assertThat(wrong).isEmpty();
        assertThat(run).isEqualTo(verbsWithJson());
        assertThat(schema.unseen().stream()
                        .filter(place -> !OF_OTHER_DAEMONS.matcher(place).matches()))
                .containsExactlyInAnyOrderElementsOf(ELSEWHERE);
    }

    private static Set<String> verbsWithJson() {
        Set<String> verbs = new TreeSet<>();
        CommandLine all = Muster.parser(new Shell().console(System.out, System.err));
        all.getSubcommands().forEach((name, verb) -> {
            verb.getSubcommands().forEach((member, inner) -> add(verbs, name + " " + member, inner));
            add(verbs, name, verb);
        });
        verbs.removeAll(OTHERS);
        return verbs;
    }

    private static void add(Set<String> verbs, String name, CommandLine verb) {
        if (verb.getCommandSpec().findOption("--json") != null) {
            verbs.add(name);
        }
    }

    private void withoutADaemon() throws IOException {
        json(0, "version");
        Path config =
                Files.writeString(directory.resolve("good.toml"), RESOURCES + "[queues.empty]\nrequires = [\"no\"]\n");
        json(0, "check", config.toString());
        json(1, "flux-check", "--flux", "no-such-command", "-c", config.toString());
        json(
                1,
                "check",
                Files.writeString(directory.resolve("bad.toml"), "[resource]\nx = 1\n")
                        .toString());
        shell = new Shell().typing("version: 9\n");
        json(1, "jobspec validate");
        shell = new Shell().typing("nothing");
        json(2, "jobspec validate", "--level", "flux");
        json(2, "feasible", "node=");
        json(7, "status", "--uri", directory.resolve("nobody").toString());
    }

    private void look(String hosts) throws IOException {
        json(0, "status");
        json(0, "status", "--expand");
        json(0, "summary");
        json(0, "impact", "all");
        json(0, "list");
        json(0, "list", "--expand");
        json(0, "info");
        json(0, "why", hosts);
        json(0, "property list");
        json(0, "expiration get");
        json(0, "upgrade status");
        json(0, "drain");
        json(0, "history", "all");
        json(0, "history", "--notes", "all");
        for (String by : List.of("reason", "host", "holder", "user", "state", "class", "ticket")) {
            json(0, "report", "--by", by);
        }
        json(0, "report", "--availability");
        for (String by : List.of("rack", "class", "host")) {
            json(0, "report", "--availability", "--by", by);
        }
        json(0, "eventlog");
        json(0, "watch", "--since", "all", "--count", "1");
        json(0, "feasible", "node=2");
        json(0, "find", "node");
        json(0, "find", "--best", "2", "by", "size", "core");
    }

    private void change() throws IOException {
        json(0, "drain", "node1", "bad");
        json(0, "drain", "--holder", "ops", "--for", "1h", "node2", "fan");
        json(0, "summary");
        json(0, "impact", "all");
        json(0, "drain", "node6");
        json(0, "drain", "--class", "hardware", "--ticket", "OPS-881", "node8");
        json(0, "drain", "--from=10d", "--for=1h", "--class=facility", "--ticket=OPS-882", "node[1,4]", "cooling");
        json(0, "drain", "--from=10d", "--holder=ops", "node5");
        json(0, "exclude", "node6", "loan");
        json(0, "exclude", "node3");
        json(0, "exclude", "node2", "sold");
        json(0, "include", "node6");
        json(0, "include", "node6");
        json(0, "offline", "node4", "power");
        json(0, "torpid", "node5");
        json(0, "lively", "node5");
        json(0, "online", "node5");
        json(0, "offline", "node5");
        json(0, "shrink", "node0", "sold");
        json(0, "property add", "gpu", "node1");
        json(0, "property remove", "batch", "node2");
        json(0, "drain", "node7", "short");
        json(0, "undrain", "node7", "mended");
        json(0, "expiration set", "4h");
        json(0, "expiration get");
        json(0, "status");
        json(0, "info");
        json(0, "summary");
        json(0, "impact", "all");
        json(0, "feasible", "--now", "node=1");
        json(0, "expiration clear");
        json(0, "upgrade finish");
        json(0, "clock accept");
    }

    /** Adds tags and marks to vertices, and queries them. */
    private void note(RunningDaemon daemon) throws IOException {
        json(0, "mark", "--dry-run", "node2", "down");
        json(0, "mark", "node1", "degraded", "fan");
        json(0, "tag add", "/cluster0/node1/gpu0", "firmware=7.1");
        json(0, "tag add", "/cluster0", "site=north");
        json(0, "tag add", "/cluster0", "old");
        json(0, "tag remove", "/cluster0", "old");
        try (FluxClient client = FluxClient.connect(daemon.uri())) {
            client.rpc("resource.annotate", (ObjectNode)
                    JsonMapper.builder().build().readTree("""
                            {"paths": ["/cluster0/node1/gpu0"], "data": {"fluxion": {"jobs": [1]}},
                             "mark": {"state": "failing"}}"""));
        }
        json(0, "status");
        json(0, "why", "/cluster0/node1/gpu0", "/cluster0", "node1");
    }

    private void failures() throws IOException {
        json(4, "status", "nobody");
        json(5, "drain", "node1", "again");
        json(2, "drain", "--no-such-option", "node1");
        json(4, "history", "nobody");
        json(124, "watch", "--timeout", "10"); // the timeout also limits the connection
        json(1, "feasible", "node=99");
        json(2, "top");
    }

    private void withAScheduler() throws IOException {
        json(0, "drain", "--dry-run", "node7", "x");
        json(0, "drain", "--dry-run", "-u", "node1", "x");
        json(5, "acquire", "--count", "1");
        json(0, "summary");
        json(0, "impact", "all");
        json(0, "audit");
        json(0, "brake");
    }

    /** Work on a host of which the client reports usage. */
    private void work(FluxClient client) throws IOException {
        json(0, "drain", "--holder=w", "--action=reseat", "--until-check=nhc", "node1", "fan");
        json(0, "drain", "--holder=c", "--until-check=nhc", "node4", "fan");
        json(0, "drain", "--holder=d", "--action=reseat", "node4", "fan");
        json(0, "work list");
        ObjectNode usage = JsonMapper.builder().build().createObjectNode().put("allocated", "");
        await().atMost(Duration.ofMinutes(1))
                .ignoreException(RpcException.class)
                .until(() -> {
                    client.rpc(ReportRequest.USAGE_TOPIC, usage);
                    return shell.run("work", "list", "--json").out().contains("\"offered\"");
                });
        json(0, "work claim", "--dry-run", "node1");
        json(0, "work claim", "node1");
        json(0, "work list");
        json(0, "work failed", "node1", "no fan");
        json(5, "work claim", "node1");
        json(0, "drain", "-f", "--holder=w", "--action=reseat", "--until-check=nhc", "node1", "fan");
        json(0, "work claim", "node1");
        json(0, "work done", "node1");
        json(1, "check-node", "--host=node1", "nhc", "--", "false");
        json(0, "work list");
        json(0, "check-result", "node1", "nhc", "ok");
        json(0, "check-node", "--host=node1", "nhc", "--", "true");
    }

    /** Leaves an acquisition with an owner behind: the connection ends without a cancellation. */
    private void withAnOwner(RunningDaemon daemon) throws Exception {
        try (FluxClient client = FluxClient.connect(daemon.uri())) {
            ResponseStream stream = client.stream("resource.acquire", new Owner("flux", 60).toJson());
            assertThat(stream.hasNext()).isTrue();
            json(0, "acquire release", "--dry-run", "flux");
            ObjectNode report = JsonMapper.builder().build().createObjectNode();
            report.put("reporter", "bridge").put("ranks", "1").put("online", "1");
            assertThat(client.stream(ReportRequest.TOPIC, report).hasNext()).isTrue();
            json(0, "mark", "/cluster0/node1/gpu0", "down");
            for (double time : new double[] {0, 1}) {
                ObjectNode usage = JsonMapper.builder().build().createObjectNode();
                ObjectNode marks = usage.put("allocated", "1").putObject("marks");
                marks.put("time", time).put("takes", true).putArray("refused").add("node1/gpu0");
                await().atMost(Duration.ofMinutes(1)) // a report less than 50 ms after the one before is refused
                        .ignoreException(RpcException.class)
                        .until(() ->
                                client.rpc(ReportRequest.USAGE_TOPIC, usage).isEmpty());
                json(0, "summary");
            }
            json(0, "impact", "all");
            json(0, "why", "node1");
            work(client);
        }
        await().atMost(Duration.ofMinutes(1))
                .until(() -> shell.run("status", "--json").out().contains("\"connected\":false"));
        json(0, "status");
        json(0, "summary");
        json(0, "impact", "all");
        json(0, "why", "node1");
        json(0, "acquire release");
    }

    /** Acquires as a scheduler while updates of each kind are sent. */
    private void acquire(RunningDaemon daemon) throws Exception {
        Shell other = new Shell().with("MUSTER_URI", daemon.uri());
        CompletableFuture<Result> acquired =
                CompletableFuture.supplyAsync(() -> other.run("acquire", "--json", "--count", "7"));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> shell.run("status", "--json").out().contains("\"responses\":1"));
        json(0, "drain", "node7", "x");
        json(0, "undrain", "node7");
        json(0, "property add", "--wait", "fast", "node7");
        json(0, "property remove", "fast", "node7");
        json(0, "expiration set", "4h");
        json(0, "shrink", "node7");
        check(0, "acquire", acquired.get());
    }

    private void reload() throws IOException {
        Path file = directory.resolve("R");
        String some = shell.run("R", "get", "-i", "4-5").out();
        Files.writeString(file, some.replaceFirst("\"starttime\":[0-9.]+", "\"starttime\":1000"));
        json(0, "reload", "--dry-run", file.toString());
        json(0, "reload", file.toString());
        json(0, "status");
        json(0, "info");
        json(0, "summary");
        json(0, "impact", "all");
        json(0, "why", "node1", "node2", "node3");
        json(0, "tag remove", "/cluster0/node1/gpu0", "firmware");
    }

    private void tokens(Path state) throws IOException {
        String dir = "--state-dir=" + state;
        json(0, "token create", dir, "grafana");
        json(0, "token create", dir, "alerts", "--rights=hold", "--holder=alerts", "--for=inf");
        json(0, "token create", dir, "nhc", "--rights=report-check", "--hosts=all");
        Path used = state.resolve("tokens.used");
        String digest = Files.readString(state.resolve("tokens")).replaceAll("(?s).*?([0-9a-f]{64}).*", "$1");
        Files.writeString(used, "{\"" + digest + "\":1700000000}");
        json(0, "token list", dir);
        json(0, "token revoke", dir, "grafana");
        json(4, "token revoke", dir, "grafana");
        json(0, "web", "--rights=hold", "--for=30d");
        json(0, "web");
    }

    private void journals(Path state) throws IOException {
        json(0, "policy", directory.resolve("good.toml").toString(), "--state-dir=" + state);
        String copy = directory.resolve("copy").toString();
        json(0, "backup", copy, "--state-dir", state.toString());
        json(0, "journal verify", "--state-dir", state.toString());
        json(0, "restore", copy, "--state-dir", directory.resolve("new").toString());
    }

    /** Appends a torn line to the last segment of the journal. */
    private void broken(Path state) throws IOException {
        try (Stream<Path> files = Files.list(state.resolve("journal"))) {
            Path last = files.sorted().reduce((a, b) -> b).orElseThrow();
            Files.writeString(last, "{\"torn", StandardCharsets.UTF_8, StandardOpenOption.APPEND);
        }
        json(0, "journal verify", "--state-dir", state.toString());
        json(0, "journal repair", "--dry-run", "--state-dir", state.toString());
        json(0, "journal repair", "--state-dir", state.toString());
    }

    private void doubtedClock() throws Exception {
        Instant[] wall = {Instant.ofEpochSecond(1_700_000_000)};
        WallClock clock = new WallClock(() -> wall[0], System::nanoTime, new WallClock.Limits(900, 86_400, 3600));
        Path place = Files.createDirectory(directory.resolve("clock"));
        try (RunningDaemon daemon = RunningDaemon.start(place, RESOURCES, clock)) {
            shell = new Shell().with("MUSTER_URI", daemon.uri());
            wall[0] = wall[0].plus(Duration.ofDays(365));
            overviews();
            json(0, "clock accept");
            delete(daemon.stateDir());
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> shell.run("drain", "-ff", "node1", "x").exit() == Exit.READ_ONLY);
            overviews();
            json(8, "drain", "node2", "x");
        }
    }

    private void onEtcd() throws Exception {
        Path place = Files.createDirectory(directory.resolve("shared"));
        try (EtcdCluster etcd = EtcdCluster.quick(Files.createDirectory(place.resolve("etcd")), 1)) {
            String ledger = "[ledger]\nkind = \"etcd\"\nallow-old-etcd = true\nendpoints = " + etcd.toml() + "\n";
            String config =
                    Files.writeString(place.resolve("etcd.toml"), ledger).toString();
            json(0, "ledger status", "-c", config);
            try (RunningDaemon leader = RunningDaemon.start(place, RESOURCES + ledger)) {
                await().atMost(Duration.ofMinutes(1)) // a daemon may lead before it is listed
                        .until(() -> shell.run("ledger", "status", "--json", "-c", config)
                                .out()
                                .contains("\"leads\":true"));
                json(0, "ledger status", "-c", config);
                Path second = Files.createDirectory(place.resolve("b"));
                try (RunningDaemon standby = RunningDaemon.start(second, RESOURCES + ledger + "member = \"b\"\n")) {
                    shell = new Shell().with("MUSTER_URI", standby.uri());
                    json(0, "status");
                    shell = new Shell().with("MUSTER_URI", standby.uri() + "," + leader.uri());
                    json(0, "audit"); // which the leader answers
                    shell = new Shell().with("MUSTER_URI", leader.uri());
                    json(0, "status");
                }
            }
        }
    }

    private void overviews() throws IOException {
        json(0, "status");
        json(0, "summary");
        json(0, "impact", "all");
        json(0, "why", "node1");
        json(0, "property list");
        json(0, "expiration get");
        json(0, "drain");
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /**
     * Checks outputs that depend on the machine or on a history of months: a user that acts for another user, a login uid, and an interval
     * that began before the history.
     */
    private void direct() {
        Principal sudo = new Principal(0, "root", 0).through(new Principal(500, "flux", 7, 1000), true);
        InventoryState state = InventoryState.empty()
                .apply(new DefinitionChanges.Defined("test", Rig.nodes("node[0-3]"), Liveness.Status.ONLINE), 1, sudo);
        InventoryState excluded = state.apply(
                new MembershipChanges.Excluded(new Event.Targets(Idset.of(1), "node1"), Membership.Kind.ADMIN, "x"),
                2,
                sudo);
        StateGroup.of(excluded, Idset.EMPTY, Idset.of(1))
                .forEach(group -> wrong.addAll(schema.faults("group", group.toJson(excluded.resources(), false))));
        Outage early = Outage.open(Outage.Kind.DRAINED, "admin", "x", 0, "");
        wrong.addAll(schema.faults("interval", early.toJson().put("hosts", "node1")));
    }

    @Test
    void theSchemaAndItsTablesAreMadeFromTheShapes() throws IOException {
        ObjectNode made = new Shapes().ofCommand();
        Tables.check(FILE, "", Shapes.text(made));
        String tables = Tables.of((ObjectNode) made.path("$defs"));
        Tables.check(PAGE, "tables", tables);
    }
}
