package io.muster.daemon.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.http.Refusal;
import io.muster.inventory.find.Expression;
import io.muster.inventory.find.Search;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.wire.Json;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Finds the hosts for TARGETS as people write them: {@code all}, {@code @PROPERTY}, {@code @{EXPR}} and paths of vertices, besides
 * ranks and hosts. The searches of one request run one after the other. Runs on the core thread.
 */
final class Selection {
    private final Api api;
    private final Call call;
    private final boolean membersOnly;
    private final Deque<String> parts = new ArrayDeque<>();
    private Idset found = Idset.EMPTY;
    private String text = "";
    private Consumer<String> then = targets -> {};

    /** @param membersOnly whether excluded and lost hosts are left out unless they are named */
    Selection(Api api, Call call, boolean membersOnly) {
        this.api = api;
        this.call = call;
        this.membersOnly = membersOnly;
    }

    /**
     * Passes the targets in a form that requests may contain: the same text if it has this form already.
     *
     * @throws Refusal if the text is malformed or names something that does not exist
     */
    void find(String targets, Consumer<String> receiver) {
        text = targets;
        then = receiver;
        parts.addAll(TargetExpression.parts(targets));
        boolean isPlain =
                parts.stream().noneMatch(TargetExpression::isSearch) && !TargetExpression.isSelection(targets);
        if (isPlain) {
            then.accept(targets);
        } else {
            next();
        }
    }

    private void next() {
        InventoryState state = api.inventory().state();
        ResourceSet resources = state.resources();
        Idset selectable = membersOnly ? state.members() : resources.ranks();
        while (!parts.isEmpty()) {
            String part = parts.remove();
            if (TargetExpression.isSearch(part)) {
                search(part, selectable);
                return;
            }
            found = found.union(named(resources, selectable, part));
        }
        if (found.isEmpty()) {
            throw new Refusal(404, text + " finds no host" + (membersOnly ? " that is neither excluded nor lost" : ""));
        }
        then.accept(resources.hostsOf(found).toString());
    }

    private static Idset named(ResourceSet resources, Idset selectable, String part) {
        try {
            return TargetExpression.find(resources, selectable, part);
        } catch (MalformedException e) {
            throw new Refusal(400, String.valueOf(e.getMessage()));
        } catch (TargetException e) {
            throw new Refusal(404, String.valueOf(e.getMessage()));
        }
    }

    private void search(String part, Idset selectable) {
        if (part.startsWith("@{") && !part.endsWith("}")) {
            throw new Refusal(400, part + ": the brace is not closed");
        }
        String expression = part.startsWith("/") ? part : part.substring(2, part.length() - 1);
        FindRequest request;
        try {
            request = new FindRequest(Search.all(Expression.parse(expression)), FindRequest.Output.HOSTS);
        } catch (MalformedException e) {
            throw new Refusal(400, String.valueOf(e.getMessage()));
        }
        Conversation.ask(api, call, FindRequest.TOPIC, Json.encode(request.toJson()), false, payloads -> {
            ObjectNode answer = Api.object(payloads.get(0));
            ResourceSet resources = api.inventory().state().resources();
            Hostlist hosts = Hostlist.parse(answer.path("hosts").asText());
            found = found.union(resources.ranksOfKnown(hosts).intersect(selectable));
            next();
        });
    }
}
