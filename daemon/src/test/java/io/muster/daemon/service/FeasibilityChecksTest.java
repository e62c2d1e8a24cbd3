package io.muster.daemon.service;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Kind;
import io.muster.daemon.core.Aside;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Places;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.Jobspec;
import io.muster.inventory.request.Resource;
import io.muster.inventory.request.Shape;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.NoteChanges;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

class FeasibilityChecksTest {
    private static final double NOW = 1_000_000;
    private static final int ADA = 1000;
    private static final int BOB = 1001;

    /** Four nodes with 4 cores each; the last node has 2 gpus. */
    private static final ResourceSet R = ResourceSet.of(
                    Hostlist.parse("node[0-2]"), Idset.range(0, 2), Idset.range(0, 3), Idset.EMPTY, Map.of())
            .append(ResourceSet.of(Hostlist.of("node3"), Idset.of(3), Idset.range(0, 3), Idset.range(0, 1), Map.of()));

    private InventoryState state = defined(R);
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> answers = new ArrayList<>();
    private final List<Runnable> gone = new ArrayList<>();
    private final FeasibilityChecks feasible =
            new FeasibilityChecks(() -> state, () -> NOW, new Structures(), new Aside(Runnable::run, tasks::add));

    private static InventoryState defined(ResourceSet r) {
        return InventoryState.empty()
                .apply(new DefinitionChanges.Defined("test", r, Liveness.Status.ONLINE), NOW, Principal.DAEMON);
    }

    private void happens(Event event) {
        state = state.apply(event, NOW, Principal.DAEMON);
    }

    private static Event.Targets targets(int... ranks) {
        return new Event.Targets(Idset.of(ranks), "");
    }

    private static String jobspec(String shape) {
        ObjectNode jobspec = Jobspec.of(Shape.parse(shape), List.of("true"), 0).toJson();
        return "\"jobspec\": " + jobspec;
    }

    private final AccountBook accounts = new AccountBook(1L << 40, System::nanoTime);

    /** Sends a request and records its response: {@code EOVERFLOW sentence}, the payload, or {@code empty}. */
    private void ask(int userid, String mark, String... members) {
        String payload = "{" + String.join(", ", members) + "}\0";
        feasible.check(
                Bytes.wrap(payload.getBytes(StandardCharsets.UTF_8)),
                accounts.account(Kind.USER, "uid=" + userid),
                new Replier() {
                    @Override
                    public void done(@Nullable Bytes answer) {
                        answers.add(mark + (answer == null ? "empty" : text(answer)));
                    }

                    @Override
                    public void fail(RpcException error) {
                        answers.add(mark + error.errno() + " " + error.sentence());
                    }

                    @Override
                    public void whenGone(Runnable then) {
                        gone.add(then);
                    }
                });
    }

    private static String text(Bytes answer) {
        try {
            return Json.parse(answer).toString().replace('"', '\'');
        } catch (ProtocolException e) {
            throw new AssertionError(e);
        }
    }

    private String answer(String... members) {
        answers.clear();
        ask(ADA, "", members);
        work();
        assertThat(answers).hasSize(1);
        return answers.get(0);
    }

    private void work() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    @Test
    void a_feasible_job_is_answered_with_an_empty_response() {
        assertThat(answer(jobspec("slot=4/core=4"))).isEqualTo("empty");
    }

    @Test
    void an_infeasible_job_is_refused_with_the_error_number_of_flux_and_the_reason() {
        assertThat(answer(jobspec("slot=5/core=4")))
                .startsWith("EOVERFLOW 5 slots of core=4 asked; 4 slots fit at most, 1 on the largest node");
        assertThat(answer(jobspec("slot=2/node/gpu=2"))).startsWith("EOVERFLOW 2 nodes with gpu >= 2 asked; 1 of 4");
    }

    @Test
    void additional_keys_of_the_request_and_of_the_jobspec_are_ignored() {
        String strange = jobspec("slot/core").replaceFirst("\\{", "{\"x-site\": [1], ");
        assertThat(answer(strange, "\"userid\": 7", "\"urgency\": 16", "\"flags\": 0"))
                .isEqualTo("empty");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'jobspec': 7             | EPROTO feasibility.check: /jobspec must be an object",
                "'userid': 7              | EPROTO feasibility.check: /jobspec must be an object",
                "'jobspec': {}, 'now': 1  | EPROTO feasibility.check: /now must be true or false",
                "'jobspec': 7, 'explain': 'yes' | EPROTO feasibility.check: /explain must be true or false",
                "'resources': [], 'duration': -1 | EPROTO feasibility.check: /duration must be a number, not negative",
                "'resources': [], 'duration': '1h' | EPROTO feasibility.check: /duration must be a number, not negative",
                "'resources': []          | EINVAL resources: must list at least one resource vertex",
                "'jobspec': {             | EPROTO payload is not JSON: Unexpected end-of-input",
            })
    void malformed_requests_are_refused_with_the_location(String payload, String answer) {
        assertThat(answer(payload.replace('\'', '"'))).startsWith(answer);
    }

    @Test
    void every_problem_of_a_jobspec_is_reported() {
        assertThat(answer("\"jobspec\": {\"version\": 1, \"resources\": [{\"count\": 0}]}"))
                .startsWith("EINVAL jobspec: ")
                .contains("/resources/0: type is missing")
                .contains("tasks");
    }

    @Test
    void an_explained_answer_has_the_number_of_slots_and_the_hosts() {
        assertThat(answer(jobspec("slot=2/[core;gpu]"), "\"explain\": true"))
                .isEqualTo(
                        "{'schema_version':1,'mode':'ever','verdict':'yes','sentence':'fits on 1 of 4 nodes; at most 2 slots',"
                                + "'most_slots':2,'nodes':4,'ranks':'3','hosts':'node3','remarks':[]}");
    }

    @Test
    void with_explain_a_refusal_is_a_successful_response() {
        assertThat(answer(jobspec("slot=5/core=4"), "\"explain\": true"))
                .contains("'verdict':'never'", "'most_slots':4", "'sentence':'5 slots of core=4 asked");
        assertThat(answer("\"jobspec\": {}", "\"explain\": true"))
                .contains("'verdict':'invalid'", "'sentence':'jobspec: ");
    }

    @Test
    void resources_can_be_checked_without_a_jobspec() {
        String nodes = "\"resources\": " + Resource.toJson(Shape.parse("node=2/gpu"));
        assertThat(answer(nodes)).startsWith("EOVERFLOW 2 nodes with gpu >= 1 asked; 1 of 4 has them (node3)");
        assertThat(answer(nodes.replace("\"count\":2", "\"count\":1"), "\"constraint\": {\"hostlist\": [\"node0\"]}"))
                .startsWith("EOVERFLOW 1 node with gpu >= 1 asked; none of 1");
        assertThat(answer(nodes, "\"constraint\": {\"color\": []}"))
                .startsWith("EINVAL constraint: /color: unknown operator");
    }

    @Test
    void nodes_that_are_down_matter_only_for_now() {
        happens(new LivenessChanges.LivenessChanged(LivenessChange.OFFLINE, targets(0, 1), ""));
        String four = jobspec("slot=4/core=4");
        assertThat(answer(four)).isEqualTo("empty");
        assertThat(answer(four, "\"now\": true"))
                .startsWith("EBUSY fits the inventory, not now: 2 of 4 nodes up (down: node[0-1])");
        assertThat(answer(four, "\"now\": true", "\"explain\": true"))
                .contains("'mode':'now'", "'verdict':'not-now'", "'most_slots':2");
        happens(new LivenessChanges.LivenessChanged(LivenessChange.ONLINE, targets(0, 1), ""));
        assertThat(answer(four, "\"now\": true")).isEqualTo("empty");
    }

    @Test
    void drained_nodes_count_except_for_now() {
        happens(new HoldChanges.Drained(targets(3), "fan", HoldChanges.Overwrite.NOTHING, "admin", 0));
        assertThat(answer(jobspec("slot/gpu"))).isEqualTo("empty");
        assertThat(answer(jobspec("slot/gpu"), "\"now\": true")).startsWith("EBUSY ");
    }

    private void mark(String place, String mark) {
        NoteEdit edit = NoteEdit.mark(mark.equals("none") ? "" : mark, "");
        Places places = place.startsWith("/")
                ? Places.NONE.at(place)
                : Places.NONE.within(place.substring(place.indexOf(' ') + 1), Idset.parse(place.split(" ", 2)[0]));
        happens(new NoteChanges.Annotated(new Event.Targets(places.ranks(), ""), places, edit));
    }

    @Test
    void vertices_marked_down_are_not_counted_now_and_are_named() {
        String two = jobspec("slot=2/gpu");
        assertThat(answer(two, "\"now\": true")).isEqualTo("empty");
        mark("3 gpu1", "down");
        assertThat(answer(two)).isEqualTo("empty");
        assertThat(answer(two, "\"now\": true")).startsWith("EBUSY fits the inventory, not now: 4 of 4 nodes up; ");
        assertThat(answer(jobspec("slot/gpu"), "\"now\": true", "\"explain\": true"))
                .contains("'verdict':'yes'", "'remarks':['marked down and not counted: node3/gpu1']");
        happens(new DefinitionChanges.PropertiesChanged(true, new TreeMap<>(Map.of("fast", Idset.of(1)))));
        assertThat(answer(two, "\"now\": true")).startsWith("EBUSY ");
        mark("3 gpu1", "failing");
        mark("0 ", "degraded");
        assertThat(answer(two, "\"now\": true", "\"explain\": true"))
                .contains(
                        "'verdict':'yes'",
                        "'remarks':['marked degraded but counted: node0','marked failing but counted: node3/gpu1']");
        mark("3 gpu1", "none");
        mark("0-1 ", "down");
        assertThat(answer(jobspec("slot=3/node"), "\"now\": true")).startsWith("EBUSY ");
        assertThat(answer(jobspec("slot=2/node"), "\"now\": true", "\"explain\": true"))
                .contains("'ranks':'2-3'", "marked down and not counted: node[0-1]'");
        mark("/cluster0", "down");
        assertThat(answer(jobspec("slot=2/node"))).isEqualTo("empty");
        assertThat(answer(jobspec("slot=1/node"), "\"now\": true")).startsWith("EBUSY ");
        state = defined(R);
        assertThat(answer(jobspec("slot=4/node"), "\"now\": true")).isEqualTo("empty");
    }

    @Test
    void excluded_nodes_are_never_counted() {
        assertThat(answer(jobspec("slot/gpu"))).isEqualTo("empty");
        happens(new MembershipChanges.Excluded(targets(3), Membership.Kind.ADMIN, null));
        assertThat(answer(jobspec("slot/gpu")))
                .isEqualTo("EOVERFLOW type \"gpu\" does not occur in this inventory; it has cluster, core, node");
        happens(new MembershipChanges.Included(targets(3), Membership.Kind.ADMIN, null));
        assertThat(answer(jobspec("slot/gpu"))).isEqualTo("empty");
    }

    @Test
    void a_new_inventory_and_changed_properties_apply_immediately() {
        String fast = "\"constraint\": {\"properties\": [\"fast\"]}";
        String node = "\"resources\": [{\"type\": \"node\", \"count\": 1}]";
        assertThat(answer(node, fast)).startsWith("EOVERFLOW ");
        happens(new DefinitionChanges.PropertiesChanged(true, new TreeMap<>(Map.of("fast", Idset.of(1)))));
        assertThat(answer(node, fast)).isEqualTo("empty");
        state = defined(R.keep(Idset.of(0)));
        assertThat(answer(node, fast)).startsWith("EOVERFLOW ");
    }

    @Test
    void without_a_definition_no_job_is_feasible() {
        state = InventoryState.empty();
        assertThat(answer(jobspec("slot/core"))).startsWith("EOVERFLOW ");
        assertThat(answer(jobspec("slot/core"), "\"explain\": true")).contains("'verdict':'never'", "'nodes':0");
    }

    @Test
    void the_structure_of_the_scheduling_graph_is_used() {
        ResourceGraph graph = ResourceGraph.of(R, Detail.POOLS);
        assertThat(answer(jobspec("slot/memory=2"))).startsWith("EOVERFLOW type \"memory\" does not occur");
        ObjectNode jgf = (ObjectNode) Jgf.toJson(graph, Jgf.Form.TERSE);
        jgf.withObject("/graph").withArray("nodes").forEach(FeasibilityChecksTest::gpuToMemory);
        state = defined(R.withScheduling(jgf));
        assertThat(answer(jobspec("slot/memory=2"))).isEqualTo("empty");
        assertThat(answer(jobspec("slot=2/memory=2"))).startsWith("EOVERFLOW 2 slots of memory=2 asked");
    }

    private static void gpuToMemory(JsonNode vertex) {
        if (vertex.at("/metadata/type").asText().equals("gpu")) {
            vertex.withObject("/metadata").put("type", "memory").remove(List.of("basename", "name"));
        }
    }

    @Test
    void the_topology_within_nodes_is_used() {
        assertThat(answer(jobspec("slot=2/socket/core=2"))).startsWith("EOVERFLOW type \"socket\" does not occur");
        state = defined(ResourceSet.parse("""
                {"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-3"}}],"nodelist":["a[0-3]"]},
                 "scheduling":{"writer":"TreePool","children":[
                  {"ranks":"0-3","topo":{"socket":[{"cores":"0-1"},{"cores":"2-3"}]}}]}}"""));
        assertThat(answer(jobspec("slot=8/socket/core=2"))).isEqualTo("empty");
        assertThat(answer(jobspec("slot=9/socket/core=2"))).startsWith("EOVERFLOW 9 slots of ");
        assertThat(answer(jobspec("slot/socket/core=3"))).startsWith("EOVERFLOW 1 slot of ");
    }

    @Test
    void an_invalid_scheduling_graph_is_ignored() {
        state = defined(R.withScheduling(unreadable()));
        assertThat(answer(jobspec("slot=4/core=4"))).isEqualTo("empty");
    }

    /**
     * The cost of reading a graph grows with the number of its vertices, so the graph is not read for each change. If a graph cannot be
     * read, each answer reports this.
     */
    @Test
    void the_scheduling_graph_is_read_once_per_definition() {
        Logger logger = (Logger) LoggerFactory.getLogger("muster");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            state = defined(R.withScheduling(unreadable()));
            answer(jobspec("slot=4/core=4"));
            happens(new DefinitionChanges.PropertiesChanged(true, new TreeMap<>(Map.of("fast", Idset.of(1)))));
            happens(new MembershipChanges.Excluded(targets(3), Membership.Kind.ADMIN, null));
            assertThat(answer(jobspec("slot=4/core=4"))).startsWith("EOVERFLOW 4 slots of core=4 asked; 3 slots fit");
            assertThat(lines.list).hasSize(1);
            state = defined(R.withScheduling(unreadable()));
            answer(jobspec("slot=4/core=4"));
            assertThat(lines.list).hasSize(2);
        } finally {
            logger.detachAppender(lines);
        }
    }

    private static ObjectNode unreadable() {
        ObjectNode scheduling = JsonNodeFactory.instance.objectNode();
        scheduling.putObject("graph").put("nodes", "none");
        return scheduling;
    }

    @Test
    void a_request_that_is_too_large_to_search_is_unknown_and_not_refused() {
        String nodes = "\"resources\": [" + "{\"type\": \"node\", \"count\": 1},".repeat(1000)
                + "{\"type\": \"node\", \"count\": 1}]";
        assertThat(answer(nodes)).isEqualTo("empty");
        assertThat(answer(nodes, "\"explain\": true"))
                .contains("'verdict':'unknown'", "'sentence':'the request has 1001 vertices and constraint terms; ");
        String one = "\"resources\": [{\"type\": \"node\", \"count\": 9}]";
        String terms = "\"constraint\": {\"properties\": [" + "\"x\",".repeat(1000) + "\"x\"]}";
        assertThat(answer(one)).startsWith("EOVERFLOW ");
        assertThat(answer(one, terms)).isEqualTo("empty");
    }

    @Test
    void long_texts_are_cut_in_sentences() {
        String terms = "\"constraint\": {\"properties\": [\"" + "x".repeat(5000) + "\"]}";
        String refusal = answer("\"resources\": [{\"type\": \"node\", \"count\": 1}]", terms);
        assertThat(refusal)
                .startsWith("EOVERFLOW constraint {\"properties\":[\"xxx")
                .contains("xxx... leaves none of 4 nodes; without it the request fits; no node has property \"xxx")
                .endsWith("xxx...\"");
        assertThat(refusal.length()).isLessThan(500);
    }

    /** Each hostlist of this constraint is short enough, but all hostlists together are too long. */
    @Test
    void a_constraint_of_too_many_hosts_is_refused_with_the_location() {
        String lists = IntStream.range(0, 17)
                .mapToObj(i -> "\"x" + i + "n[0-1048575]\"")
                .collect(joining(","));
        String nodes = "\"resources\": [{\"type\": \"node\", \"count\": 1}]";
        assertThat(answer(nodes, "\"constraint\": {\"hostlist\": [" + lists + "]}"))
                .startsWith("EINVAL constraint: /hostlist/16: hostlist \"x16n[0-1048575]\":"
                        + " a hostlist holds 16777216 hosts at most");
    }

    /** Returns the same question in other words. */
    private static String again(int number) {
        return "\"number\": " + number;
    }

    @Test
    void requests_of_users_are_served_in_turn() {
        String question = jobspec("slot/core");
        ask(ADA, "ada1 ", question, again(1));
        ask(ADA, "ada2 ", question, again(2));
        ask(ADA, "ada3 ", question, again(3));
        ask(BOB, "bob1 ", question, again(4));
        ask(BOB, "bob2 ", question, again(5));
        work();
        assertThat(answers).containsExactly("ada1 empty", "ada2 empty", "bob1 empty", "ada3 empty", "bob2 empty");
    }

    @Test
    void one_request_is_processed_at_a_time() {
        ask(ADA, "", jobspec("slot/core"));
        ask(BOB, "", jobspec("slot/core"));
        assertThat(tasks).hasSize(1);
        assertThat(answers).isEmpty();
        tasks.remove().run();
        assertThat(answers).hasSize(1);
        assertThat(tasks).hasSize(1);
    }

    @Test
    void a_user_with_many_waiting_requests_delays_no_other() {
        String question = jobspec("slot/core");
        for (int i = 0; i < 4097; i++) {
            ask(ADA, "", question, again(i));
        }
        ask(BOB, "bob ", question, again(-1));
        work();
        assertThat(answers).hasSize(4098).contains("bob empty");
        assertThat(answers.indexOf("bob empty")).isLessThan(5);
    }

    @Test
    void equal_questions_that_wait_are_computed_once_when_the_first_user_has_a_turn() {
        String question = jobspec("slot/core");
        for (int i = 0; i < 9; i++) {
            ask(ADA, "", question, again(i));
        }
        ask(BOB, "bob ", question, again(8));
        ask(BOB, "bob ", question, again(8));
        int computed = 0;
        for (; !tasks.isEmpty(); computed++) {
            tasks.remove().run();
        }
        assertThat(computed).isEqualTo(9);
        assertThat(answers).hasSize(11);
        assertThat(answers.lastIndexOf("bob empty")).isLessThan(5);
    }

    @Test
    void a_client_that_disconnects_leaves_the_question_to_the_others_who_asked_it() {
        ask(ADA, "", jobspec("slot/core"));
        ask(ADA, "ada ", jobspec("slot/core"), again(1));
        ask(BOB, "bob ", jobspec("slot/core"), again(1));
        gone.get(1).run();
        assertThat(answers).containsExactly("ada ECANCELED the client closed the connection");
        work();
        assertThat(answers).contains("bob empty").hasSize(3);
        gone.get(2).run();
        assertThat(answers).hasSize(3);
    }

    @Test
    void a_guest_has_the_right_to_check_feasibility() {
        Rights guest = Stage.rights(BOB, Credentials.USER, "bob", Set.of());
        for (String topic : List.of("feasibility.check", "feasibility.ping")) {
            assertThat(guest.allow(Objects.requireNonNull(Operations.of(topic)).right()))
                    .isTrue();
        }
        assertThat(Operations.isService("feasibility")).isTrue();
    }
}
