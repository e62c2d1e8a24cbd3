package io.muster.daemon.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.Fsd;
import io.muster.daemon.http.Ask;
import io.muster.daemon.http.Refusal;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.ChangeId;
import io.muster.protocol.admin.RequestId;
import io.muster.protocol.operation.Http;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.RequestKey;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes the payload of an operation from a request over HTTP. The reader of the operation refuses wrong values. */
final class Payloads {
    private static final Pattern TAG = Pattern.compile("\"(\\d{1,18})\\.[0-9a-f.]+(-gzip)?\"");
    private static final Pattern SECONDS = Pattern.compile("\\d{1,12}(\\.\\d{1,9})?");
    private static final Pattern ID = Pattern.compile("[ -~]{1,64}");
    private static final String TARGETS = "targets";
    private static final String SELECT = "select";
    private static final String HOLDER = "holder";

    private Payloads() {}

    static Bytes of(Operation<?, ?> operation, Http place, Ask ask) {
        ObjectNode payload =
                place.method().equals("POST") ? body(operation, place, ask) : JsonNodeFactory.instance.objectNode();
        for (RequestKey param : place.params()) {
            List<String> values = ask.params().get(param.name());
            if (values != null) {
                payload.set(param.name(), value(operation, param, values.get(0)));
            }
        }
        if (!place.always().isEmpty()) {
            payload.put(place.always(), true);
        }
        String host = place.host(ask.path());
        if (!host.isEmpty()) {
            payload.put("host", host);
        }
        if (operation.isCommand()) {
            complete(operation, payload, ask);
        }
        return Json.encode(payload);
    }

    private static ObjectNode body(Operation<?, ?> operation, Http place, Ask ask) {
        ObjectNode body;
        try {
            body = Json.parse(Bytes.join(ask.body(), Bytes.wrap(new byte[] {0})));
        } catch (ProtocolException e) {
            throw new Refusal(400, String.valueOf(e.getMessage()));
        }
        List<String> keys = place.body().stream().map(RequestKey::name).toList();
        body.fieldNames().forEachRemaining(key -> {
            if (operation.isCommand() && !keys.contains(key)) { // a hold with a misspelt key would be another hold
                throw operation.unknown(key);
            }
        });
        for (RequestKey param : place.body()) {
            JsonNode value = body.path(param.name());
            boolean isConverted = param.type() == RequestKey.Type.TIME || param.type() == RequestKey.Type.DURATION;
            if (isConverted && value.isTextual()) {
                body.set(param.name(), value(operation, param, value.textValue()));
            }
        }
        return body;
    }

    /** Returns the value that a text stands for; the text itself if it stands for none, which the reader of the operation refuses. */
    private static JsonNode value(Operation<?, ?> operation, RequestKey param, String text) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return switch (param.type()) {
            case TEXT, OBJECT, LIST -> json.textNode(text);
            case FLAG ->
                text.isEmpty() || text.equals("true")
                        ? json.booleanNode(true)
                        : text.equals("false") ? json.booleanNode(false) : json.textNode(text);
            case INTEGER -> text.matches("-?\\d{1,18}") ? json.numberNode(Long.parseLong(text)) : json.textNode(text);
            case NUMBER ->
                SECONDS.matcher(text).matches() ? json.numberNode(Double.parseDouble(text)) : json.textNode(text);
            case TIME -> json.numberNode(time(operation + ": /" + param.name(), text));
            case DURATION -> json.numberNode(seconds(operation + ": /" + param.name(), text));
        };
    }

    private static double time(String place, String text) {
        try {
            if (SECONDS.matcher(text).matches()) {
                return Double.parseDouble(text);
            }
            Instant time = OffsetDateTime.parse(text).toInstant();
            return time.getEpochSecond() + time.getNano() / (double) TimeUnit.SECONDS.toNanos(1);
        } catch (DateTimeException e) {
            throw new Refusal(
                    400,
                    place + " must be a time by RFC 3339, such as 2026-11-23T17:00:00Z, or seconds since the epoch");
        }
    }

    private static double seconds(String place, String text) {
        try {
            return Fsd.parse(text).seconds();
        } catch (MalformedException e) {
            throw new Refusal(400, place + " must be a duration, such as 90m, 12h or 7d, or a number of seconds");
        }
    }

    /** Adds what a change has in headers, and passes on the targets as people write them. */
    private static void complete(Operation<?, ?> operation, ObjectNode payload, Ask ask) {
        if (operation.keys().stream().anyMatch(key -> key.name().equals(SELECT))) {
            select(operation, payload);
        }
        if (operation.endsHolds() && !payload.has(HOLDER)) {
            payload.put(HOLDER, Hold.SHARED); // without a holder, force-overwrite would end the holds of all holders
        }
        RequestId.give(payload, id(ask.header("idempotency-key")));
        long seq = condition(ask.header("if-match"));
        if (seq >= 0) {
            payload.put("if-seq", seq);
        }
    }

    private static void select(Operation<?, ?> operation, ObjectNode payload) {
        JsonNode targets = payload.remove(TARGETS);
        if (targets == null || !targets.isTextual()) {
            String fault = targets == null ? " is missing" : " must be a string";
            throw new RpcException(
                    Errno.EPROTO,
                    operation + ": /" + TARGETS + fault + ": name ranks, hosts, all, @PROPERTY or @{EXPR}");
        }
        payload.set(SELECT, targets);
    }

    /** Returns the id of the change; a new one if the request has none. */
    private static UUID id(@Nullable String key) {
        if (key == null) {
            return UUID.randomUUID();
        }
        boolean quoted = key.length() > 1 && key.startsWith("\"") && key.endsWith("\"");
        String plain = quoted ? key.substring(1, key.length() - 1) : key;
        if (!ID.matcher(plain).matches()) {
            throw new Refusal(400, "Idempotency-Key must have 1 to 64 characters of printable ASCII, such as a UUID");
        }
        return ChangeId.ofText(plain);
    }

    /** Returns the sequence number that the header If-Match names; -1 for none. */
    private static long condition(@Nullable String text) {
        if (text == null || text.equals("*")) {
            return -1;
        }
        Matcher tag = TAG.matcher(text);
        if (!tag.matches()) {
            throw new Refusal(400, "If-Match must be an ETag of a response of this API, or *");
        }
        return Long.parseLong(tag.group(1));
    }
}
