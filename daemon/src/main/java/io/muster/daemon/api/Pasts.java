package io.muster.daemon.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.http.Answer;
import io.muster.daemon.http.Refusal;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Period;
import io.muster.inventory.history.Totals;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.admin.HistoryAnswer;
import io.muster.protocol.admin.HistoryRequest;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The routes about the past. Their answers about intervals that have not ended do not depend on the time of the response.
 */
final class Pasts {
    private Pasts() {}

    static void history(Api api, Call call) {
        Period period = period(call);
        String targets = call.param("targets");
        Set<String> hosts = targets == null ? Set.of() : hosts(api.inventory().state(), targets);
        ask(api, call, new HistoryRequest(hosts, period, call.flag("notes")), past -> {
            Hostlist unknown = past.coverage().unknown();
            if (!unknown.isEmpty()) {
                throw new Refusal(404, "neither R nor any event names " + unknown);
            }
            ObjectNode document = document();
            document.setAll(past.toJson(period.since(), 0));
            for (JsonNode interval : document.path("intervals")) {
                if (interval.path("to").isNull()) {
                    ((ObjectNode) interval).remove("seconds");
                }
            }
            call.exchange()
                    .answer(Answer.of(200, Answer.JSON, Views.encode(document)).packed(call.ask()));
        });
    }

    static void report(Api api, Call call) {
        Period asked = period(call);
        Totals.By by = by(call);
        Set<Outage.Kind> kinds = kinds(call);
        double now = api.inventory().now();
        ask(api, call, new HistoryRequest(Set.of(), asked, false), past -> {
            Coverage coverage = past.coverage();
            Period known = new Period(Math.max(asked.since(), coverage.first()), Math.min(asked.until(), now));
            Totals totals = new Totals(by, known);
            past.intervals().forEach(each -> {
                if (kinds.contains(each.getKey().kind())) {
                    totals.add(each.getKey(), each.getValue());
                }
            });
            ObjectNode document = document();
            document.setAll(past.coverageJson(asked.since()));
            document.setAll(totals.toJson());
            call.exchange()
                    .answer(Answer.of(200, Answer.JSON, Views.encode(document)).packed(call.ask()));
        });
    }

    private static ObjectNode document() {
        return JsonNodeFactory.instance.objectNode().put("schema_version", Situation.SCHEMA_VERSION);
    }

    private static Period period(Call call) {
        Period period = new Period(call.time("since", 0), call.time("until", Double.MAX_VALUE));
        if (period.since() > period.until()) {
            throw Call.wrong("since", "is later than until");
        }
        return period;
    }

    /** Asks for the past, and calls {@code then} beside the core thread. */
    private static void ask(Api api, Call call, HistoryRequest request, Consumer<PastAnswer> then) {
        Bytes payload = Json.encode(request.toJson());
        api.onCore(
                call,
                () -> Conversation.ask(
                        api,
                        call,
                        HistoryRequest.TOPIC,
                        payload,
                        true,
                        payloads -> api.beside(call, () -> then.accept(past(payloads)))));
    }

    private static PastAnswer past(List<Bytes> payloads) {
        Map<Outage, List<String>> intervals = new LinkedHashMap<>();
        @Nullable Coverage coverage = null;
        for (Bytes payload : payloads) {
            HistoryAnswer answer = HistoryAnswer.parse(Api.object(payload));
            answer.intervals()
                    .forEach(each -> intervals
                            .computeIfAbsent(each.getKey(), key -> new ArrayList<>())
                            .addAll(each.getValue()));
            coverage = answer.coverage() == null ? coverage : answer.coverage();
        }
        if (coverage == null) {
            throw new IllegalStateException("the answer about the past has no end");
        }
        return PastAnswer.of(intervals, coverage);
    }

    /** Returns the names of the hosts. A host that left R is known by its name only. */
    private static Set<String> hosts(InventoryState state, String targets) {
        Views.checkNoSearch(targets);
        try {
            if (TargetExpression.isSelection(targets) || !isHostlist(targets)) {
                return few(state.resources().hostsOf(Views.find(state, targets)));
            }
            return few(Hostlist.parse(targets));
        } catch (MalformedException e) {
            throw new Refusal(400, String.valueOf(e.getMessage()));
        }
    }

    private static Set<String> few(Hostlist hosts) {
        if (hosts.size() > HistoryRequest.MOST_HOSTS) {
            throw new Refusal(
                    422, "targets name " + hosts.size() + " hosts, but may name at most " + HistoryRequest.MOST_HOSTS);
        }
        return new LinkedHashSet<>(hosts.expand());
    }

    private static boolean isHostlist(String targets) {
        try {
            return Idset.parse(targets).isEmpty();
        } catch (MalformedException notRanks) {
            return true;
        }
    }

    private static Totals.By by(Call call) {
        String word = call.param("by");
        if (word == null) {
            return Totals.By.REASON;
        }
        for (Totals.By each : Totals.By.values()) {
            if (each.word().equals(word)) {
                return each;
            }
        }
        throw Call.wrong("by", "is one of reason, host, holder, user and state");
    }

    private static Set<Outage.Kind> kinds(Call call) {
        String words = call.param("states");
        if (words == null) {
            return EnumSet.of(Outage.Kind.DRAINED);
        }
        Set<Outage.Kind> kinds = EnumSet.noneOf(Outage.Kind.class);
        for (String word : words.split(",", -1)) {
            Outage.Kind found = null;
            for (Outage.Kind kind : Outage.Kind.values()) {
                found = kind.word().equals(word) && !kind.isNote() ? kind : found;
            }
            if (found == null) {
                throw Call.wrong(
                        "states", "has no state " + word + ": the states are drained, excluded, lost, offline, torpid");
            }
            kinds.add(found);
        }
        return kinds;
    }
}
