package io.muster.daemon.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.account.Account;
import io.muster.daemon.config.Key;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.Role;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.Group;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import io.muster.inventory.state.TargetExpression;
import io.muster.inventory.status.AttemptRow;
import io.muster.inventory.status.Departure;
import io.muster.inventory.status.HostStatus;
import io.muster.inventory.status.Impact;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.NoteText;
import io.muster.inventory.status.Offer;
import io.muster.inventory.status.Plans;
import io.muster.inventory.status.StateFilter;
import io.muster.inventory.status.StateGroup;
import io.muster.inventory.status.StateSummary;
import io.muster.protocol.admin.StateQuery;
import io.muster.protocol.operation.Document;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about the state of hosts with documents, which are made beside the core thread from the immutable state. Users take
 * turns, and equal questions get the same document.
 */
public final class Documents {
    private static final String TARGETS = "targets";
    private static final String INCLUDE = "include";
    private static final int USUAL_HOSTS = 100;
    private static final int USUAL_PROBLEMS = 10;
    /** How long a problem counts as new if the question does not say it, in seconds. */
    private static final double NEW = 12 * 3600;

    private static final double MINUTE = 60;
    private static final double MILLIS = 1000;
    private static final byte[] VERSION =
            ("{\"schema_version\":" + Json.SCHEMA_VERSION).getBytes(StandardCharsets.UTF_8);

    /** The end of a document: a brace, a line end, and the NUL of every payload. */
    private static final Bytes END = ascii("}\n\0");

    private final Map<Document, Turns<Situation>> turns = new EnumMap<>(Document.class);
    private final Inventory inventory;
    private final Selections selections;
    private final Aside beside;

    public Documents(Inventory inventory, Queries queries, Selections selections, Aside beside) {
        this.inventory = inventory;
        this.selections = selections;
        this.beside = beside;
        for (Document document : Document.values()) {
            turns.put(document, turns(queries::situation, document, beside));
        }
    }

    private static View view(Document document) {
        return switch (document) {
            case STATUS -> Documents::status;
            case HOLDS -> Documents::holds;
            case HOSTS -> Documents::hosts;
            case HOST -> Documents::host;
            case LIST -> Documents::list;
            case SUMMARY -> Documents::summary;
            case IMPACT -> Documents::impact;
            case WORK -> Documents::work;
            case R -> Documents::resources;
            case LAYOUT -> Documents::layout;
            case STATE -> Documents::everything;
        };
    }

    /** Makes a document. */
    private interface View {
        Bytes of(Situation now, StateQuery query);
    }

    private static Turns<Situation> turns(Supplier<Situation> now, Document document, Aside beside) {
        View view = view(document);
        return new Turns<>(
                "documents",
                now,
                (payload, situation, step) ->
                        view.of(situation, StateQuery.parse(Operations.fields(document.topic(), payload))),
                beside,
                System::nanoTime,
                true);
    }

    void ask(Document document, Bytes unread, Account asker, Replier reply) throws ProtocolException {
        Fields in = Operations.fields(document.topic(), unread);
        StateQuery query = StateQuery.parse(in);
        ObjectNode question = in.json();
        question.remove("time");
        if (document == Document.SUMMARY && query.since() < 0) {
            // The same number for a minute, so that equal questions are equal.
            question.put("since", Math.floor(inventory.now() / MINUTE) * MINUTE - NEW);
        }
        Replier headed = document == Document.R ? reply : new Headed(document, query.time(), reply);
        Runnable turn = () -> Objects.requireNonNull(turns.get(document)).ask(Json.encode(question), asker, headed);
        resolve(question, TARGETS, asker, reply, () -> resolve(question, INCLUDE, asker, reply, turn));
    }

    /** Replaces words that need a search by the hosts that are found. */
    private void resolve(ObjectNode question, String key, Account asker, Replier reply, Runnable then) {
        if (!question.has(key)) {
            then.run();
            return;
        }
        List<String> words = TargetExpression.words(question.path(key).asText());
        selections.replace(words, Documents::needsSearch, asker, reply, found -> {
            question.put(key, String.join(" ", found));
            then.run();
        });
    }

    private static boolean needsSearch(String word) {
        return TargetExpression.parts(word).stream().anyMatch(TargetExpression::isSearch);
    }

    /** Puts the version, and what depends on the time of the answer, before the rest of a document, which is kept. */
    private final class Headed extends PassingReplier {
        private final Document document;
        private final boolean time;
        private final Replier reply;

        Headed(Document document, boolean time, Replier reply) {
            super(reply);
            this.document = document;
            this.time = time;
            this.reply = reply;
        }

        @Override
        public void done(@Nullable Bytes payload) {
            Bytes rest = payload == null ? Bytes.EMPTY : payload;
            if (!time) {
                reply.done(Bytes.join(Bytes.wrap(VERSION), rest));
                return;
            }
            ObjectNode head = JsonNodeFactory.instance.objectNode();
            head.put("schema_version", Json.SCHEMA_VERSION).put("time", Times.rfc3339(inventory.now()));
            head.set("standby", standby(inventory.role()));
            InventoryState state = inventory.state();
            double now = inventory.now();
            beside.run(
                    () -> {
                        if (document == Document.STATUS) {
                            head.put(
                                    "departed_drained",
                                    Departure.drained(state, now).toString());
                        }
                        Bytes text = Bytes.wrap(head.toString().getBytes(StandardCharsets.UTF_8));
                        return () -> reply.done(Bytes.join(text.first(text.length() - 1), rest));
                    },
                    bug -> reply.fail(new RpcException(Errno.EIO, bug)));
        }
    }

    /** Returns how far a standby is behind; null for a daemon that leads. */
    private static @Nullable ObjectNode standby(@Nullable Role role) {
        if (role == null || role.term() != 0) {
            return null;
        }
        Leader leader = role.leader();
        return JsonNodeFactory.instance
                .objectNode()
                .put("leader", leader == null ? "" : String.join(" ", leader.uris()))
                .put("lag", role.lag())
                .put("age", Math.round(role.age() * MILLIS) / MILLIS);
    }

    private static Bytes status(Situation now, StateQuery query) {
        InventoryState state = now.state();
        ObjectNode json = now.document();
        now.putLeading(json);
        now.putLifetime(json);
        json.put("departed", Hostlist.of(List.copyOf(state.departed().keySet())).toString());
        json.set("notes", NoteText.all(state));
        Idset among = among(now, query);
        groups(json, kept(now, among, query), now, query);
        json.set("planned", Plans.of(state, among, query::wants));
        return rest(json);
    }

    private static Bytes holds(Situation now, StateQuery query) {
        ObjectNode json = now.document();
        Idset among = among(now, query);
        List<StateGroup> groups = new ArrayList<>(kept(now, among, query));
        groups.removeIf(group -> group.holds() == null);
        groups(json, groups, now, query);
        json.set("planned", Plans.of(now.state(), among, query::wants));
        ArrayNode departed = json.putArray("departed");
        now.state().departed().forEach((host, left) -> {
            if (left.holds() != null || left.plans() != null) {
                departed.add(departed(host, left));
            }
        });
        return rest(json);
    }

    private static Bytes list(Situation now, StateQuery query) {
        List<String> states = read(query, () -> Offer.states(query.states()));
        Queues queues = now.configured().queues();
        Offer offer = Offer.of(now.state(), JobUsage.allocated(now.usage()));
        Idset among = among(now, query);
        ObjectNode json = now.document();
        now.putLeading(json);
        now.putLifetime(json);
        Offer.counted(json, now.state().resources(), offer.in(states).intersect(among));
        states.forEach(json.putArray("states")::add);
        queues.requires().keySet().forEach(json.putArray("queues")::add);
        ArrayNode groups = offer.groups(states, among, queues, query.queues(), query.expand(), query.rlist());
        List<JsonNode> rows = new ArrayList<>();
        groups.forEach(rows::add);
        page(rows, json, query).forEach(json.putArray("groups")::add);
        json.set("planned", Plans.of(now.state(), among, query::wants));
        return rest(json);
    }

    private static Bytes summary(Situation now, StateQuery query) {
        Idset among = among(now, query);
        List<StateGroup> groups;
        if (Offer.isOfOffer(query.states())) {
            Offer offer = Offer.of(now.state(), JobUsage.allocated(now.usage()));
            groups = groups(now, among.intersect(offer.in(read(query, () -> Offer.states(query.states())))));
        } else {
            groups = filter(query).keep(groups(now, among));
        }
        ObjectNode json = now.document();
        now.putLeading(json);
        now.putLifetime(json);
        json.put("journal_bytes", now.journalBytes());
        int most = query.limit() == 0 ? USUAL_PROBLEMS : query.limit();
        new StateSummary(now.state(), now.configured().queues(), ranks(groups))
                .writeTo(json, groups, query.since(), most);
        json.set("planned", Plans.of(now.state(), among, query::wants));
        return rest(json);
    }

    private static Bytes impact(Situation now, StateQuery query) {
        ObjectNode json = now.document();
        new Impact(now.state(), among(now, query))
                .writeTo(json, now.configured().queues(), now.usage());
        return rest(json);
    }

    private static Bytes work(Situation now, StateQuery query) {
        String states = query.states();
        List<String> wanted = states == null ? List.of() : List.of(states.split(","));
        wanted.stream()
                .filter(word -> !AttemptRow.WORDS.contains(word))
                .findFirst()
                .ifPresent(word -> {
                    throw query.fault("states", "has no state \"" + word + "\": " + Key.known(word, AttemptRow.WORDS));
                });
        List<AttemptRow> rows = new ArrayList<>(AttemptRow.of(now.state(), among(now, query), now.facts()));
        rows.removeIf(row -> states != null && !wanted.contains(row.state().word()));
        ObjectNode json = now.document();
        List<AttemptRow> page = page(rows, json, query);
        ArrayNode checks = json.putArray("checks");
        now.configured().holds().checks().forEach(checks::add);
        ArrayNode attempts = json.putArray("attempts");
        page.forEach(row -> attempts.add(row.toJson()));
        return rest(json);
    }

    private static Bytes hosts(Situation now, StateQuery query) {
        int limit = query.limit() == 0 ? USUAL_HOSTS : query.limit();
        Idset found = ranks(kept(now, among(now, query), query));
        ObjectNode json = now.document();
        now.putUsage(json);
        json.put("nnodes", found.size());
        ArrayNode hosts = json.putArray("hosts");
        int rank = found.next(query.after());
        int last = query.after();
        while (rank >= 0 && hosts.size() < limit) {
            hosts.add(host(now, now.state(), rank));
            last = rank;
            rank = found.next(rank);
        }
        if (rank >= 0) {
            json.put("next", last);
        } else {
            json.putNull("next");
        }
        return rest(json);
    }

    private static Bytes host(Situation now, StateQuery query) {
        InventoryState state = now.state();
        String name = query.host();
        Idset ranks = state.resources().ranksOf(name);
        Departed left = state.departed().get(name);
        ObjectNode json = now.document();
        now.putUsage(json);
        if (!ranks.isEmpty()) {
            json.setAll(host(now, state, ranks.first()));
        } else if (left != null) {
            json.setAll(departed(name, left));
        } else {
            throw new RpcException(Errno.ENOENT, "there is no host " + name + ": neither R nor the state has it");
        }
        return rest(json);
    }

    /** Returns R itself; with a choice, the R of the chosen hosts that schedulers may use, without what only describes this instance. */
    private static Bytes resources(Situation now, StateQuery query) {
        ResourceSet all = now.state().resources();
        if (query.states() != null || query.isSelective()) {
            Offer offer = Offer.of(now.state(), JobUsage.allocated(now.usage()));
            Idset states = offer.in(read(query, () -> Offer.states(query.states())));
            Idset chosen = among(now, query).intersect(states);
            all = all.withoutScheduling().keep(chosen);
            all = chosen.equals(offer.all()) ? all : all.withoutInstanceLocalProperties();
        }
        return Bytes.join(Bytes.of(all.toPieces().all()), Bytes.wrap(new byte[] {0}));
    }

    /** Returns the state of a host. */
    private static ObjectNode host(Situation now, InventoryState state, int rank) {
        ObjectNode json = new HostStatus(state, rank, now.usage(), List.of()).toJson();
        Idset self = Idset.of(rank);
        return json.put("ncores", state.resources().count("core", self))
                .put("ngpus", state.resources().count("gpu", self));
    }

    private static ObjectNode departed(String host, Departed left) {
        return new Departure(host, left).toJson();
    }

    private static List<StateGroup> groups(Situation now, Idset among) {
        return StateGroup.of(now.state(), JobUsage.allocated(now.usage()), among);
    }

    private static Idset ranks(List<StateGroup> groups) {
        return Idset.unionOf(groups.stream().map(StateGroup::ranks));
    }

    private static void groups(ObjectNode json, List<StateGroup> groups, Situation now, StateQuery query) {
        List<StateGroup> page = page(groups, json, query);
        ArrayNode all = json.putArray("groups");
        page.forEach(group -> all.add(group.toJson(now.state().resources(), query.expand())));
    }

    /** Returns the rows that the question asks for, and adds the number of the last one if there are more. */
    private static <T> List<T> page(List<T> rows, ObjectNode json, StateQuery query) {
        int from = Math.min(query.after() + 1, rows.size());
        int to = query.limit() == 0 ? rows.size() : Math.min(rows.size(), from + query.limit());
        json.put("next", to < rows.size() ? Integer.valueOf(to - 1) : null);
        return rows.subList(from, to);
    }

    /** Returns the groups in the states and with the holds that are asked for. */
    private static List<StateGroup> kept(Situation now, Idset among, StateQuery query) {
        return filter(query).keep(groups(now, among)).stream()
                .filter(group -> !query.isAboutHolds()
                        || (group.holds() != null
                                && group.holds().holds().stream().anyMatch(query::wants)))
                .toList();
    }

    private static StateFilter filter(StateQuery query) {
        return read(query, () -> StateFilter.of(query.states()));
    }

    private static <T> T read(StateQuery query, Supplier<T> states) {
        try {
            return states.get();
        } catch (IllegalArgumentException e) {
            throw query.fault("states", String.valueOf(e.getMessage()));
        }
    }

    private static Idset among(Situation now, StateQuery query) {
        return new Selected(now.state().resources(), now.configured().queues(), query).ranks();
    }

    /** Returns the ranks that the text selects, of which at least one must exist. */
    static Idset find(InventoryState state, String targets, Fields.Refusal refusal) {
        if (TargetExpression.parts(targets).stream().anyMatch(TargetExpression::isSearch)) {
            throw refusal.of(
                    "/" + TARGETS, "takes ranks, hosts, all and @PROPERTY here: send the hosts that `find` finds");
        }
        try {
            return TargetExpression.among(state.resources(), targets);
        } catch (MalformedException e) {
            throw refusal.of("/" + TARGETS, "is malformed: " + e.getMessage());
        } catch (TargetException e) {
            throw TargetRefusal.of(e, state.resources());
        }
    }

    /** Returns cores and GPUs of hosts, with one entry for all hosts that are alike, and the hosts with each property. */
    private static Bytes layout(Situation now, StateQuery query) {
        ResourceSet resources = now.state().resources();
        Idset among = among(now, query);
        ObjectNode json = now.document();
        ArrayNode groups = json.putArray("resources");
        for (Group group : resources.groups()) {
            Idset ranks = group.ranks().intersect(among);
            if (ranks.isEmpty()) {
                continue;
            }
            ObjectNode each = groups.addObject().put("ranks", ranks.toString());
            each.put("hosts", resources.hostsOf(ranks).toString());
            for (String type : new String[] {"core", "gpu"}) {
                var ids = group.children().get(type);
                each.put("n" + type + "s", ids == null ? 0 : ids.size());
            }
        }
        json.set("properties", Offer.properties(resources, among));
        return rest(json);
    }

    private static Bytes everything(Situation now, StateQuery query) {
        InventoryState state = now.state();
        ObjectNode json = now.document();
        now.putLeading(json);
        json.put("journal_bytes", now.journalBytes());
        json.put("up", state.view().up().toString());
        Bytes head = rest(json);
        return Bytes.join(
                head.first(head.length() - END.length()),
                ascii(",\"R\":"),
                Bytes.of(state.resources().withoutScheduling().toPieces().all()),
                ascii(",\"state\":"),
                Bytes.wrap(StateJson.toBytesWithoutR(state)),
                END);
    }

    private static Bytes ascii(String text) {
        return Bytes.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns a document without its version: from the comma before the first key to the end. */
    private static Bytes rest(ObjectNode json) {
        return Bytes.wrap(("," + json.toString().substring(1) + "\n\0").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the payload with a document, to which the version is added. It ends with a line end for those who read it in a terminal. */
    static Bytes encode(ObjectNode json) {
        return Bytes.join(Bytes.wrap(VERSION), rest(json));
    }
}
