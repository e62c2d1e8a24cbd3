package io.muster.daemon.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Limit;
import io.muster.daemon.alert.Receiver;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.Reporters;
import io.muster.daemon.http.Answer;
import io.muster.daemon.http.Ask;
import io.muster.daemon.http.Broadcast;
import io.muster.daemon.http.Exchange;
import io.muster.daemon.http.Probes;
import io.muster.daemon.http.Refusal;
import io.muster.daemon.http.Site;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.service.Backend;
import io.muster.daemon.tls.Certificates;
import io.muster.protocol.admin.FeasibilityRequest;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.operation.Right;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the routes of {@link Route}: finds the sender of a request and the rights of the user, and passes the request to
 * the route. May be used on any thread.
 */
public final class Api implements Site, Configurable {
    private static final Logger log = LoggerFactory.getLogger("http");

    private static final int MOST_NAMES = 32;
    /** How many requests of one user are served at a time, beside readers of events. */
    private static final int MOST_REQUESTS = 64;

    private static final String BEARER = "Bearer ";
    private static final List<String> SECRET_PARAMS = List.of("token", "access_token", "bearer", "api_key", "key");

    private final Parts parts;
    private final Answer document =
            Answer.of(200, Answer.JSON, resource("openapi.json")).with("vary", "accept-encoding");
    private final Answer documentInGzip = document.gzipped();
    private volatile int configuration;

    /**
     * The objects that the routes use.
     *
     * @param build the version of the daemon
     * @param core runs tasks on the core thread
     * @param beside runs work that takes long
     * @param answered counts a response by the name of its route, or {@code none}, and its status; called on threads of connections
     */
    public record Parts(
            String build,
            Inventory inventory,
            Reporters reporters,
            Backend backend,
            Admissions admissions,
            AccountBook accounts,
            Receiver alerts,
            Bearers bearers,
            Certificates certificates,
            Ledger ledger,
            Probes probes,
            Broadcast events,
            Executor core,
            Executor beside,
            BiConsumer<String, Integer> answered) {}

    public Api(Parts parts) {
        this.parts = parts;
    }

    @Override
    public void configure(Config next) {
        configuration = Objects.hash(next.toJson(), parts.build);
    }

    Inventory inventory() {
        return parts.inventory;
    }

    Backend backend() {
        return parts.backend;
    }

    Receiver alerts() {
        return parts.alerts;
    }

    Admissions admissions() {
        return parts.admissions;
    }

    Certificates certificates() {
        return parts.certificates;
    }

    Ledger ledger() {
        return parts.ledger;
    }

    @Override
    public Identity accepted(Identity peer) {
        return parts.admissions.accepted(peer);
    }

    @Override
    public void check(Ask head) {
        Route route = route(head);
        for (String name : head.params().keySet()) {
            if (SECRET_PARAMS.contains(name)) {
                throw new Refusal(
                        400,
                        "the URL has a secret in the parameter " + name
                                + ", and URLs end up in logs: revoke the secret, and send a"
                                + " token in the header Authorization");
            } else if (!route.params().contains(name)) {
                String known = route.params().isEmpty() ? "none" : String.join(", ", route.params());
                throw new Refusal(400, "there is no parameter " + name + " here; known: " + known);
            } else if (head.params().get(name).size() > 1) {
                throw Call.wrong(name, "is given twice");
            }
        }
        String type = Objects.toString(head.header("content-type"), "");
        if (route.method().equals("POST") && !type.split(";", 2)[0].strip().equalsIgnoreCase(Answer.JSON)) {
            throw new Refusal(415, "the body must be JSON, with the header Content-Type: " + Answer.JSON);
        }
    }

    @Override
    public void begin(Exchange exchange) {
        Right right = route(exchange.ask()).right();
        if (right != null) {
            Rights known = parts.admissions.known(caller(exchange.ask()).identity());
            if (known != null && known.allow(right)) {
                charge(exchange, known);
            }
        }
    }

    @Override
    public void answered(@Nullable Ask head, int status) {
        String route = "none";
        for (Route each : Route.values()) {
            boolean here = head != null
                    && each.matches(head.path())
                    && each.method().equals(head.isHead() ? "GET" : head.method());
            route = here ? each.word() : route;
        }
        parts.answered.accept(route, status);
    }

    private static Route route(Ask head) {
        String method = head.isHead() ? "GET" : head.method();
        List<Route> here = Arrays.stream(Route.values())
                .filter(route -> route.matches(head.path()))
                .toList();
        if (here.isEmpty()) {
            throw new Refusal(404, "there is no " + head.path() + ": /v1/openapi.json describes the paths");
        }
        for (Route route : here) {
            if (route.method().equals(method)) {
                return route;
            }
        }
        String allowed = here.stream().map(Route::method).collect(Collectors.joining(", "));
        throw new Refusal(405, head.path() + " takes " + allowed).with("allow", allowed);
    }

    /** @throws Refusal 401 if the sender of the request is not known */
    private Call.Caller caller(Ask head) {
        if (List.of("cross-site", "same-site").contains(String.valueOf(head.header("sec-fetch-site")))) {
            throw Refusal.ofOtherSite();
        }
        String authorization = head.header("authorization");
        Identity peer = head.peer();
        if (authorization == null) {
            if (peer == null) {
                throw new Refusal(401, "the request has no token: send the header Authorization: Bearer TOKEN");
            } else if (head.isFromPage() && !head.method().equals("GET") && !head.isHead()) {
                throw new Refusal(
                        401,
                        "a page must send a token to change something: `muster web --rights=hold` makes one for a page");
            }
            return new Call.Caller(peer, null);
        }
        String token = authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length()).strip()
                : "";
        Identity identity = token.isEmpty() ? null : parts.bearers.of(token, head.source());
        if (identity == null && parts.bearers.isGuessing(head.source())) {
            throw new Refusal(429, "too many wrong tokens came from this address: send a right one, or wait a minute")
                    .with("retry-after", "60");
        } else if (identity == null) {
            throw new Refusal(
                    401, "the token is unknown, revoked or expired, or the header is not Authorization: Bearer TOKEN");
        }
        return new Call.Caller(identity, token);
    }

    @Override
    public void serve(Exchange exchange) {
        Route route = route(exchange.ask());
        Right right = route.right();
        if (right == null) {
            route.serve(this, new Call(route, exchange, null, null));
            return;
        }
        Call.Caller caller = caller(exchange.ask());
        rights(
                caller,
                rights -> guard(exchange, () -> {
                    if (rights == null) {
                        throw new Refusal(
                                403, "guests are not allowed: no [[grant]] names this user", Errno.EPERM.name());
                    } else if (!rights.allow(right)) {
                        String sentence = parts.admissions.inForce().refusal(rights, right);
                        throw new Refusal(403, sentence, Errno.EPERM.name());
                    }
                    if (exchange.account() == null) {
                        charge(exchange, rights);
                    }
                    route.serve(this, new Call(route, exchange, caller, rights));
                }));
    }

    /** Charges a request to the account of its user, until its connection is closed. */
    private void charge(Exchange exchange, Rights rights) {
        int most = MOST_REQUESTS + parts.accounts.limits().readers();
        exchange.charge(rights.begin(parts.accounts, Limit.REQUESTS, most, "requests over HTTP"));
    }

    private void rights(Call.Caller caller, Consumer<@Nullable Rights> then) {
        Rights known = parts.admissions.known(caller.identity());
        if (known == null) {
            parts.core.execute(() -> parts.admissions.rightsOfAccepted(caller.identity(), then));
        } else {
            then.accept(known);
        }
    }

    /** Runs a part of a request. If the part fails, the request gets an error response. */
    void guard(Call call, Runnable task) {
        guard(call.exchange(), task);
    }

    private static void guard(Exchange exchange, Runnable task) {
        try {
            task.run();
        } catch (Refusal e) {
            exchange.answer(e.answer());
        } catch (RpcException e) {
            exchange.answer(Problems.of(e).answer());
        } catch (RejectedExecutionException e) {
            exchange.answer(new Refusal(503, "the daemon is stopping").answer());
        } catch (RuntimeException | StackOverflowError e) {
            log.error("a bug made a request fail", e);
            exchange.answer(new Refusal(500, "a bug made the request fail; the log shows it").answer());
        }
    }

    void onCore(Call call, Runnable task) {
        guard(call, () -> parts.core.execute(() -> guard(call, task)));
    }

    /** Runs a part of a request that takes long, unless the peer has disconnected before the part begins. */
    void beside(Call call, Runnable task) {
        guard(
                call,
                () -> parts.beside.execute(() -> {
                    if (!call.exchange().isGone()) {
                        guard(call, task);
                    }
                }));
    }

    Situation situation() {
        return new Situation(
                parts.inventory.committed(),
                parts.reporters.usage(),
                parts.inventory.fault(),
                parts.inventory.clock().trouble(),
                configuration);
    }

    int eventReaders() {
        return parts.events.size();
    }

    /** Answers from the state, unless the peer has the response already. */
    void view(Route.View view, Call call) {
        Situation now = situation();
        String tag = now.tag();
        String known = Objects.toString(call.ask().header("if-none-match"), "");
        for (String each : known.split(",", -1)) {
            String plain = each.strip().replaceFirst("^W/", "").replace("-gzip\"", "\"");
            if (plain.equals("\"" + tag + "\"")) {
                call.exchange().answer(Answer.of(304, Answer.JSON, Bytes.EMPTY).with("etag", each.strip()));
                return;
            }
        }
        beside(call, () -> {
            Bytes body = view.of(now, now.committed().state(), call);
            if (known.strip().equals("*")) { // "*" requests a body only if there is no such document
                call.exchange().answer(Answer.of(304, Answer.JSON, Bytes.EMPTY).with("etag", "\"" + tag + "\""));
                return;
            }
            Answer answer = Answer.of(200, Answer.JSON, body).packed(call.ask());
            String suffix = answer.headers().containsKey("content-encoding") ? "-gzip" : "";
            call.exchange()
                    .answer(answer.with("etag", "\"" + tag + suffix + "\"").with("cache-control", "private, no-cache"));
        });
    }

    /** Returns the body of a request, which must be one JSON object. */
    static ObjectNode body(Call call) {
        try {
            return Json.parse(Bytes.join(call.ask().body(), Bytes.wrap(new byte[] {0})));
        } catch (ProtocolException e) {
            throw new Refusal(400, String.valueOf(e.getMessage()));
        }
    }

    /** Returns a payload that the daemon itself made. */
    static ObjectNode object(Bytes payload) {
        try {
            return Json.parse(payload);
        } catch (ProtocolException e) {
            throw new IllegalStateException(e);
        }
    }

    void find(Call call) {
        if (call.param("expr") == null) {
            throw Call.wrong("expr", "is missing: it says what to find, such as node and state=down");
        }
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        for (String name : call.route().params()) {
            String value = call.param(name);
            if (name.equals("best") && value != null) {
                payload.put(name, call.number(name, 1, 1, FindRequest.MOST_LISTED));
            } else if (value != null) {
                payload.put(name, value);
            }
        }
        pass(call, FindRequest.TOPIC, payload);
    }

    void feasibility(Call call) {
        pass(call, FeasibilityRequest.TOPIC, body(call).put("explain", true));
    }

    /** Answers with the response to a topic of the wire protocol. */
    private void pass(Call call, String topic, ObjectNode payload) {
        Bytes request = Json.encode(payload);
        onCore(
                call,
                () -> Conversation.ask(
                        this,
                        call,
                        topic,
                        request,
                        false,
                        payloads -> beside(call, () -> {
                            Bytes answer = payloads.get(0);
                            Bytes body = answer.first(answer.length() - 1);
                            call.exchange()
                                    .answer(Answer.of(200, Answer.JSON, body).packed(call.ask()));
                        })));
    }

    void events(Call call) {
        String resumed = call.ask().header("last-event-id");
        long last = parts.inventory.seq();
        long since = call.number("since", -1, 0, Long.MAX_VALUE - 1);
        if (resumed != null && !resumed.matches("\\d{1,18}")) {
            throw new Refusal(
                    400, "the header Last-Event-ID must be the id of an event of this stream, which is a number");
        } else if (resumed != null) {
            since = Long.parseLong(resumed);
        }
        if (since > last) {
            throw Call.wrong("since", "is " + since + ", but the last event is " + last);
        }
        String filter = Objects.toString(call.param("filter"), "");
        Set<String> names = filter.isEmpty() ? Set.of() : Set.copyOf(Arrays.asList(filter.split(",", -1)));
        if (names.size() > MOST_NAMES || !names.stream().allMatch(name -> name.matches("[a-z-]+"))) {
            throw Call.wrong(
                    "filter", "is a list of at most " + MOST_NAMES + " names of events, such as drain,undrain");
        }
        Broadcast.Choice choice = new Broadcast.Choice(filter, item -> names.isEmpty() || names.contains(item.name()));
        Account payer = call.payer();
        payer.beginReader();
        call.exchange().whenGone(() -> payer.end(Limit.READERS));
        call.exchange().follow(parts.events.reader(since, choice, drop -> recheck(call, drop)));
    }

    /** Ends a stream whose user has lost the right to it, or whose token is not valid any more. */
    private void recheck(Call call, Runnable drop) {
        String token = call.caller().token();
        if (token != null
                && !call.caller()
                        .identity()
                        .equals(parts.bearers.of(token, call.ask().source()))) {
            drop.run();
            return;
        }
        rights(call.caller(), rights -> {
            if (rights == null || !rights.allow(Right.FOLLOW)) {
                drop.run();
            }
        });
    }

    void document(Call call) {
        call.exchange().answer(call.ask().acceptsGzip() ? documentInGzip : document);
    }

    void metrics(Call call) {
        beside(call, () -> parts.probes.serve(call.exchange()));
    }

    void probe(Call call) {
        parts.probes.serve(call.exchange());
    }

    private static Bytes resource(String name) {
        try (InputStream in = Objects.requireNonNull(Api.class.getResourceAsStream(name), name)) {
            return Bytes.wrap(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
