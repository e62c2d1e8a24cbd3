package io.muster.daemon.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.account.Account;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.RecentEvents;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.HostSearch;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.TargetExpression;
import io.muster.inventory.status.Departure;
import io.muster.inventory.status.HostStatus;
import io.muster.inventory.status.Marks;
import io.muster.inventory.status.Scheduler;
import io.muster.inventory.status.VertexStatus;
import io.muster.protocol.admin.WhyQuery;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.BiPredicate;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Explains the states of hosts and of vertices of the resource graph, with the last events about them. The answers are made beside the core
 * thread. Users take turns, and those who may follow the journal share no answer with those who may not.
 */
public final class Explanations {
    /** The highest number of bytes of the events in one answer, each counted as often as the answer has it. */
    private static final int LONGEST = 8 << 20;

    /** The highest number of vertices of which a scheduler is sent that they are marked "down". */
    private static final int MOST_MARKS = 1 << 14;

    private static final Bytes END = Bytes.wrap(new byte[] {0});

    private final Selections selections;
    private final Structures structures;
    private final Turns<Present> withEvents;
    private final Turns<Present> withoutEvents;
    private final Turns<Present> marks;

    /** @param events null if the user may not read them */
    private record Present(
            Situation situation,
            List<Scheduler> schedulers,
            double time,
            @Nullable List<RecentEvents.Item> events) {}

    /**
     * One host or vertex of an answer.
     *
     * @param host "" for a vertex
     */
    private record Subject(String host, ArrayNode events, BiPredicate<JsonNode, Mention> isMeant) {}

    /** The hosts that an event is about. Some events name only ranks. */
    private record Mention(Hostlist hosts, Idset ranks) {
        static Mention of(JsonNode context) {
            Hostlist hosts = Hostlist.parse(context.path("nodelist").asText(""));
            Idset ranks = Idset.parse(context.path("idset").asText(""))
                    .union(Idset.parse(context.path("ranks").asText("")));
            for (JsonNode ofProperty : context.path("properties")) {
                ranks = ranks.union(Idset.parse(ofProperty.asText("")));
            }
            return new Mention(hosts, ranks);
        }

        boolean has(String host, int rank) {
            return hosts.isEmpty() ? ranks.contains(rank) : hosts.contains(host);
        }
    }

    /**
     * @param clock returns the present time; called on the core thread, as are the next one and {@code queries}
     * @param events returns the latest events, oldest first
     */
    public Explanations(
            Queries queries,
            DoubleSupplier clock,
            Supplier<List<RecentEvents.Item>> events,
            Selections selections,
            Structures structures,
            Aside beside) {
        this.selections = selections;
        this.structures = structures;
        this.withEvents = turns(
                () -> new Present(queries.situation(), queries.schedulers(), clock.getAsDouble(), events.get()),
                beside);
        Supplier<Present> silent =
                () -> new Present(queries.situation(), queries.schedulers(), clock.getAsDouble(), null);
        this.withoutEvents = turns(silent, beside);
        this.marks = new Turns<>("explanations", silent, this::marks, beside, System::nanoTime, false);
    }

    private Turns<Present> turns(Supplier<Present> now, Aside beside) {
        return new Turns<>("explanations", now, this::answer, beside, System::nanoTime, false);
    }

    /** @param mayFollow whether the user may read events */
    void ask(WhyQuery query, boolean mayFollow, Account asker, Replier reply) {
        Turns<Present> turns = mayFollow ? withEvents : withoutEvents;
        List<String> parts = TargetExpression.parts(query.targets());
        selections.replace(
                parts,
                part -> part.startsWith("@{"),
                asker,
                reply,
                found -> turns.ask(
                        Json.encode(query.about(String.join(",", found)).toJson()), asker, reply));
    }

    /** Answers with the vertices that are marked "down", and the time: every mark that is older is among them. */
    void marks(Account asker, Replier reply) {
        marks.ask(Bytes.EMPTY, asker, reply);
    }

    private Bytes marks(Bytes payload, Present now, Runnable step) {
        InventoryState state = now.situation.state();
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("time", now.time);
        ObjectNode down = json.putObject("down");
        Marks all = Marks.of(state.notes());
        if (!all.places().isEmpty()) {
            SortedMap<String, String> paths = all.paths(structures.ofSchedulers(state), state.resources());
            if (paths.size() > MOST_MARKS) {
                throw new RpcException(
                        Errno.EOVERFLOW,
                        paths.size() + " vertices are marked down, and schedulers are sent at most " + MOST_MARKS
                                + ": drain whole hosts");
            }
            paths.forEach(down::put);
        }
        return Json.encode(json);
    }

    private Bytes answer(Bytes payload, Present now, Runnable step) throws ProtocolException {
        WhyQuery query = WhyQuery.parse(Operations.fields(WhyQuery.TOPIC, payload));
        InventoryState state = now.situation.state();
        Explained found = Explained.of(query.targets(), state, structures, step);
        ObjectNode json = now.situation.document();
        now.situation.putUsage(json);
        json.put("time", Times.rfc3339(now.time));
        json.put("events_refused", now.events == null ? "only admins may read the journal" : null);
        List<Subject> subjects = new ArrayList<>();
        ArrayNode hosts = json.putArray("hosts");
        int last = query.after();
        int rank = found.ranks().next(last);
        for (; rank >= 0 && hosts.size() < query.limit(); rank = found.ranks().next(rank)) {
            hosts.add(host(now, rank, subjects));
            last = rank;
            step.run();
        }
        ArrayNode vertices = json.putArray("vertices");
        if (rank < 0) {
            found.departed().forEach((host, left) -> hosts.add(departed(host, left, subjects)));
            found.vertices().forEach(vertex -> vertices.add(vertex(now, vertex, subjects)));
        }
        json.put("next", rank < 0 ? null : (Integer) last);
        if (now.events != null) {
            addEvents(now.events, subjects, query.count(), step);
        }
        return Documents.encode(json);
    }

    private static ObjectNode host(Present now, int rank, List<Subject> subjects) {
        HostStatus status = new HostStatus(now.situation.state(), rank, now.situation.usage(), now.schedulers);
        ObjectNode json = status.account();
        String host = status.host();
        subjects.add(new Subject(host, json.putArray("events"), (event, mention) -> mention.has(host, rank)));
        return json;
    }

    private static ObjectNode departed(String host, Departed left, List<Subject> subjects) {
        ObjectNode json = new Departure(host, left).toJson();
        subjects.add(new Subject(host, json.putArray("events"), (event, mention) -> mention.has(host, -1)));
        return json;
    }

    private static ObjectNode vertex(Present now, VertexStatus vertex, List<Subject> subjects) {
        ObjectNode json = vertex.toJson(now.situation.usage());
        subjects.add(new Subject("", json.putArray("events"), (event, mention) -> vertex.isAbout(event)));
        return json;
    }

    /** Adds the last events about each subject, oldest first. The search begins with the newest one, so most searches are short. */
    private static void addEvents(List<RecentEvents.Item> events, List<Subject> subjects, int count, Runnable step) {
        List<Subject> open = new ArrayList<>(count == 0 ? List.of() : subjects);
        Set<String> hosts = subjects.stream().map(Subject::host).collect(Collectors.toSet());
        HostSearch search = new HostSearch(hosts.contains("") ? Set.of() : hosts);
        long length = 0;
        for (int i = events.size() - 1; i >= 0 && !open.isEmpty(); i--) {
            RecentEvents.Item item = events.get(i);
            if (item.name().equals("restart") || !search.mayNameIn(item.json().toByteArray())) {
                continue;
            }
            step.run();
            ObjectNode event = Json.own(Bytes.join(item.json(), END));
            Mention mention = Mention.of(event.path("context"));
            for (Subject subject : open) {
                if (subject.isMeant.test(event, mention)) {
                    subject.events.insert(0, event);
                    length += item.json().length();
                }
            }
            open.removeIf(subject -> subject.events.size() >= count);
            if (length > LONGEST) {
                throw new RpcException(
                        Errno.EOVERFLOW,
                        "the events of the answer have more than " + (LONGEST >> 20)
                                + " MiB: ask for fewer hosts or for fewer events");
            }
        }
    }
}
