package io.muster.daemon.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.http.HttpAnswer;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.RequestKey;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Makes the OpenAPI document of the places of HTTP, from the rows of operations and from {@link Shapes}. */
final class OpenApi {
    private static final int LAST_ERRNO = 133;
    private static final String SCHEMAS = "#/components/schemas/";
    private static final String ETAG =
            "The ETag of a response; if nothing has changed since, the response is 304 without" + " a body.";
    private static final String ID =
            "1 to 64 characters of printable ASCII, such as a UUID. A request that is sent again with the same key within ten"
                    + " minutes is not a second change, and has the answer of the first.";
    private static final String MATCH =
            "The ETag of a response of this API; if the inventory has changed since, the request"
                    + " is refused with 412.";
    private static final String LAST = "As `since`, which it overrides: programs send it when they connect again.";
    private static final String STREAM =
            "Events with `id` (the sequence number), `event` (the name) and `data` (the event of"
                    + " RFC 44 as JSON on one line). An event `gap` stands for events that are not kept any more: its data has"
                    + " `first`, the number of the next event. A comment is sent every ten seconds. A reader that does not read is"
                    + " closed.";

    private final Shapes shapes;
    private final Set<String> used = new TreeSet<>(Set.of("refusal"));

    OpenApi(Shapes shapes) {
        this.shapes = shapes;
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    ObjectNode document() throws IOException {
        ObjectNode all = object().put("openapi", "3.1.0");
        all.putObject("info")
                .put("title", "Muster")
                .put("version", "1")
                .put(
                        "description",
                        "The HTTP API of Muster. A connection serves one request. Lists of hosts are hostlists (RFC 29),"
                                + " lists of ranks are idsets (RFC 22), times are in UTC by RFC 3339.");
        ObjectNode server = all.putArray("servers").addObject().put("url", "{address}");
        server.putObject("variables")
                .putObject("address")
                .put("default", "http://127.0.0.1:8651")
                .put("description", "An address of a `[[listen]]` of the daemon.");
        ObjectNode paths = all.putObject("paths");
        for (Place place : Place.all()) {
            paths.withObjectProperty(place.http().path())
                    .set(place.http().method().toLowerCase(Locale.ROOT), operation(place));
        }
        ObjectNode components = all.putObject("components");
        ObjectNode ways = components.putObject("securitySchemes");
        ways.putObject("bearer").put("type", "http").put("scheme", "bearer").put("description", "A token.");
        ways.putObject("mutualTLS")
                .put("type", "mutualTLS")
                .put("description", "A client certificate, at an https address.");
        components.set("schemas", shapes.reachable(used));
        return (ObjectNode) JsonMapper.builder().build().readTree(all.toString().replace("#/$defs/", SCHEMAS));
    }

    private ObjectNode operation(Place place) {
        Shapes.Said said = shapes.of(name(place));
        ObjectNode out = object().put("operationId", place.http().word());
        String[] sentences = said.sentence().split("\\. ", 2);
        out.put("summary", sentences[0].replaceFirst("\\.$", ""));
        String right = place.right() == null
                ? "Requires no right."
                : "Requires the right `" + place.right().word() + "`.";
        out.put("description", right + (sentences.length > 1 ? " " + sentences[1] : ""));
        out.put("x-right", place.right() == null ? null : place.right().word());
        ArrayNode security = out.putArray("security");
        if (place.right() != null) {
            security.addObject().putArray("bearer");
            security.addObject().putArray("mutualTLS");
            security.addObject();
        }
        ArrayNode params = parameters(place);
        if (!params.isEmpty()) {
            out.set("parameters", params);
        }
        if (place.http().method().equals("POST")) {
            ObjectNode body = out.putObject("requestBody").put("required", true);
            content(body, HttpAnswer.JSON, body(place));
        }
        ObjectNode responses = out.putObject("responses");
        ObjectNode good = responses.putObject("200").put("description", "OK");
        content(good, media(place), answer(place, said));
        if (isOfState(place)) {
            responses.putObject("304").put("description", "Nothing has changed.");
        }
        errors(place, said).forEach((status, names) -> refusal(responses.putObject(status), names));
        refusal(responses.putObject("default"), "The request is refused.");
        return out;
    }

    /** Returns the name of a place in the file of the shapes. */
    static String name(Place place) {
        return place.operation() == null
                ? place.http().word()
                : place.operation().topic();
    }

    private static boolean isOfState(Place place) {
        return place.operation() != null && place.operation().isOfState();
    }

    private ArrayNode parameters(Place place) {
        ArrayNode params = JsonNodeFactory.instance.arrayNode();
        if (place.http().path().contains("{host}")) {
            param(params, "path", "host", true, "Name of the host.", object().put("type", "string"));
        }
        for (RequestKey key : place.http().params()) {
            param(params, "query", key.name(), key.required(), key.meaning(), type(key, "string"));
        }
        Map<String, String> headers = new TreeMap<>();
        if (isOfState(place)) {
            headers.put("If-None-Match", ETAG);
        } else if (place.operation() != null && place.operation().isCommand()) {
            headers.put("Idempotency-Key", ID);
            headers.put("If-Match", MATCH);
        } else if (place.http().word().equals("events")) {
            headers.put("Last-Event-ID", LAST);
        }
        headers.forEach(
                (name, meaning) -> param(params, "header", name, false, meaning, object().put("type", "string")));
        return params;
    }

    private static void param(
            ArrayNode params, String in, String name, boolean required, String meaning, JsonNode schema) {
        ObjectNode param = params.addObject().put("name", name).put("in", in);
        if (required) {
            param.put("required", true);
        }
        param.put("description", meaning).set("schema", schema);
    }

    /** @param time the type of a time, which is text in a URL */
    static ObjectNode type(RequestKey key, String time) {
        ObjectNode rule = switch (key.type()) {
            case TEXT -> object().put("type", "string");
            case FLAG -> object().put("type", "boolean");
            case INTEGER -> object().put("type", "integer");
            case NUMBER -> object().put("type", "number");
            case TIME, DURATION -> Shapes.type(time);
            case OBJECT -> object().put("type", "object").put("additionalProperties", true);
            case LIST -> object().put("type", "array").set("items", object());
        };
        key.words().forEach(rule.withArrayProperty("enum")::add);
        return key.words().isEmpty() ? rule.without("enum") : rule;
    }

    private static ObjectNode body(Place place) {
        ObjectNode body =
                object().put("type", "object").put("title", place.http().word() + "-request");
        ObjectNode properties = body.putObject("properties");
        for (RequestKey key : place.http().body()) {
            properties.set(key.name(), type(key, "string|number").put("description", key.meaning()));
            if (key.required()) {
                body.withArrayProperty("required").add(key.name());
            }
        }
        return body;
    }

    private static String media(Place place) {
        return switch (place.http().word()) {
            case "events" -> "text/event-stream";
            case "metrics" -> "text/plain";
            default -> HttpAnswer.JSON;
        };
    }

    private ObjectNode answer(Place place, Shapes.Said said) {
        if (!said.answer().isEmpty()) {
            used.addAll(List.of(said.answer().split("\\|")));
            return Shapes.type(said.answer());
        }
        return switch (place.http().word()) {
            case "events" -> object().put("type", "string").put("description", STREAM);
            case "metrics" -> object().put("type", "string");
            default -> object().put("type", "object").put("additionalProperties", true);
        };
    }

    private static void content(ObjectNode owner, String media, ObjectNode schema) {
        owner.putObject("content").putObject(media).set("schema", schema);
    }

    private static void refusal(ObjectNode response, String sentence) {
        response.put("description", sentence);
        content(response, "application/problem+json", object().put("$ref", "#/$defs/refusal"));
    }

    /** Returns the statuses of errors with their meanings. */
    private static Map<String, String> errors(Place place, Shapes.Said said) {
        Map<String, String> errors = new TreeMap<>();
        if (place.right() == null) {
            return errors;
        }
        errors.put("400", "A parameter or a header is malformed.");
        errors.put("401", "The daemon cannot tell which user sent the request.");
        errors.put("403", "`EPERM`: the user does not have the right.");
        errors.put("429", "`EAGAIN`: the user is past a limit.");
        Map<Integer, List<Errno>> byStatus = new TreeMap<>();
        if (place.operation() != null) {
            for (Errno errno : errnos(place.operation(), said)) {
                int status =
                        HttpStatuses.of(new RpcException(errno, "")).answer().status();
                byStatus.computeIfAbsent(status, none -> new ArrayList<>()).add(errno);
            }
        }
        byStatus.forEach((status, each) -> {
            each.sort(Comparator.comparing(Errno::name));
            List<String> meanings = new ArrayList<>();
            each.forEach(errno ->
                    meanings.add("`" + errno.name() + "`: " + errno.text().toLowerCase(Locale.ROOT)));
            errors.put(String.valueOf(status), String.join(", ", meanings) + ".");
        });
        return errors;
    }

    private static Errno errno(String name) {
        return IntStream.rangeClosed(1, LAST_ERRNO)
                .mapToObj(Errno::new)
                .filter(errno -> errno.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the error numbers that an operation can give: those that its kind implies, and those that the file adds. */
    static Set<Errno> errnos(Operation<?, ?> operation, Shapes.Said said) {
        Set<Errno> all = new TreeSet<>(Comparator.comparing(Errno::name));
        all.addAll(List.of(Errno.EPROTO, Errno.EPERM, Errno.EAGAIN));
        if (operation.isCommand()) {
            all.addAll(List.of(Errno.EINVAL, Errno.EROFS, Errno.EREMOTE, Errno.ESTALE));
        }
        said.errors().forEach(name -> all.add(errno(name)));
        return all;
    }
}
