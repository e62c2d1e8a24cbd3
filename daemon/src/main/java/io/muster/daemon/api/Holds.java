package io.muster.daemon.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.http.Answer;
import io.muster.daemon.http.Refusal;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.Once;
import io.muster.protocol.admin.AdminMethod;
import io.muster.protocol.admin.AdminRequest;
import io.muster.protocol.rpc.RpcException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The requests that place and lift holds. */
final class Holds {
    private static final Pattern TAG = Pattern.compile("\"(\\d{1,18})\\.[0-9a-f.]+(-gzip)?\"");
    private static final String TARGETS = "targets";
    private static final String UNTIL = "until";
    private static final List<String> KEYS = List.of(TARGETS, "reason", "mode", "holder", UNTIL);

    private Holds() {}

    /**
     * A change before its targets are found.
     *
     * @param text the whole request without its id, by which a request with the same id is recognized
     */
    private record Change(AdminMethod method, ObjectNode payload, String text, UUID id, boolean dryRun) {
        ChangeId changeId() {
            return ChangeId.of(id, text);
        }

        AdminRequest with(String targets) {
            ObjectNode complete = payload.deepCopy().put(TARGETS, targets);
            RpcException excess = AdminRequest.refusal(method, targets.length());
            if (excess != null) {
                throw excess;
            }
            AdminRequest request = AdminRequest.parse(method, complete);
            return new AdminRequest(new Once(request.command(), changeId()), dryRun);
        }

        AdminRequest again() {
            String holder = payload.path("holder").asText(Hold.SHARED);
            return new AdminRequest(new Once(new Once.Repetition(holder), changeId()), dryRun);
        }
    }

    static void place(Api api, Call call) {
        ObjectNode body = Api.body(call);
        body.fieldNames().forEachRemaining(key -> {
            if (!KEYS.contains(key)) {
                throw new Refusal(
                        400, "/" + key + " is not a key of this request: the keys are " + String.join(", ", KEYS));
            }
        });
        JsonNode until = body.path(UNTIL);
        if (until.isTextual()) {
            body.put(UNTIL, time(until.textValue()));
        }
        submit(api, call, AdminMethod.DRAIN, body);
    }

    private static double time(String text) {
        try {
            return OffsetDateTime.parse(text).toEpochSecond();
        } catch (DateTimeException e) {
            throw new Refusal(400, "/until must be a time by RFC 3339, or seconds since the epoch");
        }
    }

    static void lift(Api api, Call call) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        for (String key : call.route().params()) {
            String value = call.param(key);
            if (value != null && KEYS.contains(key)) {
                payload.put(key, value);
            }
        }
        if (!payload.has("holder")) {
            payload.put("holder", Hold.SHARED); // without a holder, force-overwrite would end the holds of all holders
        }
        submit(api, call, AdminMethod.UNDRAIN, payload);
    }

    private static void submit(Api api, Call call, AdminMethod method, ObjectNode payload) {
        RpcException excess = AdminRequest.refusal(method, call.ask().body().length());
        if (excess != null) {
            throw excess; // here, because the core thread would take long to find the targets
        } else if (!payload.path(TARGETS).isTextual()) {
            throw new Refusal(400, TARGETS + " is missing: name ranks, hosts, all, @PROPERTY or @{EXPR}");
        }
        String targets = payload.path(TARGETS).textValue();
        Change change = new Change(
                method,
                payload,
                call.ask().method() + " " + call.ask().path() + " " + payload,
                id(call),
                call.flag("dry-run"));
        long seq = condition(call);
        api.onCore(call, () -> {
            // A request that is sent again finds other hosts, and another state, than the first time.
            boolean isRepeated =
                    api.inventory().remembers(change.changeId(), call.rights().principal());
            if (isRepeated) {
                make(api, call, change, change.again());
            } else {
                new Selection(api, call, method == AdminMethod.DRAIN).find(targets, found -> {
                    AdminRequest request = change.with(found);
                    api.onCore(call, () -> {
                        checkCondition(api.inventory(), seq);
                        make(api, call, change, request);
                    });
                });
            }
        });
    }

    private static void make(Api api, Call call, Change change, AdminRequest request) {
        Conversation.change(
                api, call, change.method.topic(), (session, message) -> session.change(message, request), payloads -> {
                    ObjectNode document = JsonNodeFactory.instance.objectNode();
                    document.put("schema_version", Situation.SCHEMA_VERSION);
                    document.put(change.dryRun ? "dry_run" : "done", true);
                    document.setAll(Api.object(payloads.get(0)));
                    call.exchange().answer(Answer.of(200, Answer.JSON, Views.encode(document)));
                });
    }

    /** Returns the id of the change; a new one if the request has none. */
    private static UUID id(Call call) {
        String key = call.ask().header("idempotency-key");
        if (key == null) {
            return UUID.randomUUID();
        }
        try {
            boolean quoted = key.length() > 1 && key.startsWith("\"") && key.endsWith("\"");
            return ChangeId.parse(quoted ? key.substring(1, key.length() - 1) : key);
        } catch (IllegalArgumentException e) {
            throw new Refusal(400, "Idempotency-Key must be a UUID");
        }
    }

    /** Returns the sequence number that the header If-Match names; -1 for none. */
    private static long condition(Call call) {
        String text = call.ask().header("if-match");
        if (text == null || text.equals("*")) {
            return -1;
        }
        Matcher tag = TAG.matcher(text);
        if (!tag.matches()) {
            throw new Refusal(400, "If-Match must be an ETag of a response of this API, or *");
        }
        return Long.parseLong(tag.group(1));
    }

    private static void checkCondition(Inventory inventory, long seq) {
        if (seq >= 0 && !inventory.isAt(seq)) {
            throw new Refusal(
                    412,
                    "the inventory has changed since sequence number " + seq + ", it is at " + inventory.seq()
                            + ": look at the hosts again, then send the request with the new ETag");
        }
    }
}
