package io.muster.daemon.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.http.Exchange;
import io.muster.daemon.http.HttpAnswer;
import io.muster.daemon.service.Backend;
import io.muster.daemon.service.Call;
import io.muster.daemon.service.Caller;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Service;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request over HTTP for an operation of the daemon. A change is made even if the peer disconnects, unless the daemon still searches for
 * its targets.
 */
final class HttpCall extends Call {
    private static final int OK = 200;
    private static final int UNCHANGED = 304;

    private final Api api;
    private final Exchange exchange;
    private final Operation<Service, ?> asked;
    private final String known;
    private int size;
    /** The tag of the situation in which the request is served; null if the answer has none. */
    private @Nullable String tag;

    HttpCall(
            Api api,
            Backend backend,
            Admissions admissions,
            Caller caller,
            Operation<Service, ?> asked,
            Exchange exchange) {
        super(backend, admissions, caller, asked);
        this.api = api;
        this.exchange = exchange;
        this.asked = asked;
        this.known = Objects.toString(exchange.ask().header("if-none-match"), "");
    }

    void serve(Bytes request) {
        size = request.length();
        serve(this, asked, request);
    }

    /** Counts the payload, which is in memory beside the body from which it was made. */
    @Override
    protected void checkRoom() {
        exchange.keep(size);
    }

    @Override
    protected boolean isLoud() {
        return caller().account().mayLog();
    }

    /** Returns whether the peer has the answer already, and says so. */
    @Override
    protected boolean isServedAlready() {
        if (!asked.isOfState()) {
            return false;
        }
        String now = api.tag(backend().answers().queries().situation());
        tag = now;
        for (String each : known.split(",", -1)) {
            String plain = each.strip().replaceFirst("^W/", "").replace("-gzip\"", "\"");
            if (plain.equals("\"" + now + "\"")) {
                unchanged(each.strip());
                return true;
            }
        }
        return false;
    }

    private void unchanged(String etag) {
        exchange.answer(HttpAnswer.of(UNCHANGED, HttpAnswer.JSON, Bytes.EMPTY).with("etag", etag));
    }

    @Override
    public void done(@Nullable Bytes payload) {
        count(0);
        Bytes body = payload == null ? Json.EMPTY_OBJECT : payload;
        if (tag != null
                && !rest(tag).equals(rest(api.tag(backend().answers().queries().situation())))) {
            tag = null; // what can come back has changed since, so the tag may stand for another body
        }
        api.beside(exchange, () -> answer(asked.isCommand() ? described(body) : body));
    }

    /** Returns a tag without its sequence number. */
    private static String rest(String tag) {
        return tag.substring(tag.indexOf('.'));
    }

    private void answer(Bytes payload) {
        Bytes body = payload.endsWithNul() ? payload.first(payload.length() - 1) : payload;
        String now = tag;
        if (now == null) {
            exchange.answer(HttpAnswer.of(OK, HttpAnswer.JSON, body).packed(exchange.ask()));
        } else if (known.strip().equals("*")) { // "*" requests a body only if there is no such document
            unchanged("\"" + now + "\"");
        } else {
            HttpAnswer answer = HttpAnswer.of(OK, HttpAnswer.JSON, body).packed(exchange.ask());
            String suffix = answer.headers().containsKey("content-encoding") ? "-gzip" : "";
            exchange.answer(answer.with("etag", "\"" + now + suffix + "\"").with("cache-control", "private, no-cache"));
        }
    }

    /** Returns the answer to a change with the keys that every document of HTTP has. */
    private Bytes described(Bytes answer) {
        ObjectNode change = Json.own(answer);
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("schema_version", Json.SCHEMA_VERSION).put(change.has("changed") ? "done" : "dry_run", true);
        return Bytes.text(document.setAll(change) + "\n");
    }

    @Override
    public void fail(RpcException error) {
        count(error.errno().value());
        exchange.answer(HttpStatuses.of(error).answer());
    }

    private void count(int errnum) {
        backend().answers().queries().meters().answered(asked.topic(), errnum);
    }

    @Override
    public boolean isGone() {
        return exchange.isGone();
    }

    @Override
    public void whenGone(Runnable then) {
        exchange.whenGone(() -> api.onCore(exchange, then));
    }
}
