package io.muster.daemon.api;

import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.Limit;
import io.muster.daemon.http.Ask;
import io.muster.daemon.http.Broadcast;
import io.muster.daemon.http.Exchange;
import io.muster.daemon.http.HttpAnswer;
import io.muster.daemon.http.Probes;
import io.muster.daemon.http.Refusal;
import io.muster.daemon.http.Site;
import io.muster.daemon.service.Backend;
import io.muster.daemon.service.Caller;
import io.muster.daemon.service.Situation;
import io.muster.protocol.operation.Http;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.RequestKey;
import io.muster.protocol.operation.Right;
import io.muster.protocol.operation.Service;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the places of {@link Place}: finds the sender of a request and the rights of the user. May be used on any thread. */
public final class Api implements Site {
    private static final Logger log = LoggerFactory.getLogger("http");

    private static final int MOST_NAMES = 32;

    private static final List<String> SECRET_PARAMS = List.of("token", "access_token", "bearer", "api_key", "key");

    private final Callers callers;
    private final Backend backend;
    private final Probes probes;
    private final Broadcast feed;
    private final Executors executors;
    private final BiConsumer<String, Integer> counter;
    private final HttpAnswer document =
            HttpAnswer.of(200, HttpAnswer.JSON, resource("openapi.json")).with("vary", "accept-encoding");
    private final HttpAnswer documentInGzip = document.gzipped();

    /** The situation for which the last tag was made. Used on the core thread. */
    private @Nullable Situation tagged;

    private String tag = "";

    /**
     * The threads of the API.
     *
     * @param core runs tasks on the core thread
     * @param beside runs work that takes long
     */
    public record Executors(Executor core, Executor beside) {}

    /** @param answered counts a response by the name of its place, or {@code none}, and its status; called on threads of connections */
    public Api(
            Callers callers,
            Backend backend,
            Probes probes,
            Broadcast feed,
            Executors executors,
            BiConsumer<String, Integer> answered) {
        this.callers = callers;
        this.backend = backend;
        this.probes = probes;
        this.feed = feed;
        this.executors = executors;
        this.counter = answered;
    }

    @Override
    public Identity accepted(Identity peer) {
        return callers.admissions().accepted(peer);
    }

    @Override
    public void check(Ask head) {
        Place place = place(head);
        List<String> known =
                place.http().params().stream().map(RequestKey::name).toList();
        for (String name : head.params().keySet()) {
            if (SECRET_PARAMS.contains(name)) {
                throw new Refusal(
                        400,
                        "the URL has a secret in the parameter " + name
                                + ", and URLs end up in logs: revoke the secret, and send a"
                                + " token in the header Authorization");
            } else if (!known.contains(name)) {
                throw place.unknown(name);
            } else if (head.params().get(name).size() > 1) {
                throw wrong(name, "is given twice");
            }
        }
        String type = Objects.toString(head.header("content-type"), "");
        if (place.http().method().equals("POST")
                && !type.split(";", 2)[0].strip().equalsIgnoreCase(HttpAnswer.JSON)) {
            throw new Refusal(415, "the body must be JSON, with the header Content-Type: " + HttpAnswer.JSON);
        }
    }

    private static Refusal wrong(String name, String sentence) {
        return new Refusal(400, "the parameter " + name + " " + sentence);
    }

    @Override
    public void begin(Exchange exchange) {
        Right right = place(exchange.ask()).right();
        if (right != null) {
            callers.begin(exchange, right);
        }
    }

    @Override
    public void answered(@Nullable Ask head, int status) {
        String word = "none";
        for (Place each : Place.all()) {
            boolean here = head != null
                    && each.matches(head.path())
                    && each.http().method().equals(head.isHead() ? "GET" : head.method());
            word = here ? each.http().word() : word;
        }
        counter.accept(word, status);
    }

    private static Place place(Ask head) {
        String method = head.isHead() ? "GET" : head.method();
        List<Place> here =
                Place.all().stream().filter(each -> each.matches(head.path())).toList();
        if (here.isEmpty()) {
            throw new Refusal(404, "there is no " + head.path() + ": /v1/openapi.json describes the paths");
        }
        for (Place each : here) {
            if (each.http().method().equals(method)) {
                return each;
            }
        }
        String allowed = here.stream().map(each -> each.http().method()).collect(Collectors.joining(", "));
        throw new Refusal(405, head.path() + " takes " + allowed).with("allow", allowed);
    }

    @Override
    public void serve(Exchange exchange) {
        Place place = place(exchange.ask());
        if (place.right() == null) {
            place.action().serve(this, exchange, null);
            return;
        }
        callers.rights(
                callers.of(exchange.ask()),
                rights -> guard(exchange, () -> {
                    if (rights == null) {
                        throw new Refusal(
                                403, "guests are not allowed: no [[grant]] names this user", Errno.EPERM.name());
                    }
                    place.action().serve(this, exchange, rights);
                }));
    }

    /** Has an operation of the daemon served. */
    void serve(Operation<Service, ?> operation, Http place, Exchange exchange, @Nullable Rights rights) {
        Rights sender = Objects.requireNonNull(rights);
        Account payer = callers.charge(exchange, sender);
        Bytes payload = payload(operation, place, exchange.ask(), sender);
        boolean changesHere = callers.admissions().mayChangeByHttp(sender);
        Caller caller = new Caller(sender, changesHere, payer);
        onCore(
                exchange,
                () -> new HttpCall(this, backend, callers.admissions(), caller, operation, exchange).serve(payload));
    }

    /** Returns the payload of a request. If the payload is wrong and the sender does not have the right, the refusal says both. */
    private Bytes payload(Operation<Service, ?> operation, Http place, Ask ask, Rights sender) {
        try {
            Bytes payload = Payloads.of(operation, place, ask);
            if (!sender.allow(operation.right())) {
                operation.check(payload);
            }
            return payload;
        } catch (RpcException | Refusal fault) {
            Refusal refusal = fault instanceof RpcException error ? HttpStatuses.of(error) : (Refusal) fault;
            throw sender.allow(operation.right())
                    ? refusal
                    : refusal.and(callers.admissions().inForce().refusal(sender, operation.right()));
        }
    }

    /** Runs a part of a request. If the part fails, the request gets an error response. */
    private static void guard(Exchange exchange, Runnable task) {
        try {
            task.run();
        } catch (Refusal e) {
            exchange.answer(e.answer());
        } catch (RpcException e) {
            exchange.answer(HttpStatuses.of(e).answer());
        } catch (RejectedExecutionException e) {
            exchange.answer(new Refusal(503, "the daemon is stopping").answer());
        } catch (RuntimeException | StackOverflowError e) {
            log.error("a bug made a request fail", e);
            exchange.answer(new Refusal(500, "a bug made the request fail; the log shows it").answer());
        }
    }

    void onCore(Exchange exchange, Runnable task) {
        guard(exchange, () -> executors.core.execute(() -> guard(exchange, task)));
    }

    /** Runs a part of a request that takes long, unless the peer has disconnected before the part begins. */
    void beside(Exchange exchange, Runnable task) {
        guard(
                exchange,
                () -> executors.beside.execute(() -> {
                    if (!exchange.isGone()) {
                        guard(exchange, task);
                    }
                }));
    }

    /** Returns the tag of a situation. Runs on the core thread. */
    @SuppressWarnings("ReferenceEquality") // the object is another one as soon as the situation is
    String tag(Situation now) {
        if (tagged != now) {
            tag = now.tag();
            tagged = now;
        }
        return tag;
    }

    void events(Exchange exchange, @Nullable Rights rights) {
        Account payer = callers.admit(exchange, rights, Right.FOLLOW);
        Ask ask = exchange.ask();
        String filter = param(ask, "filter");
        Set<String> names = filter.isEmpty() ? Set.of() : Set.copyOf(Arrays.asList(filter.split(",", -1)));
        if (names.size() > MOST_NAMES || !names.stream().allMatch(name -> name.matches("[a-z-]+"))) {
            throw wrong("filter", "is a list of at most " + MOST_NAMES + " names of events, such as drain,undrain");
        }
        Broadcast.Choice choice = new Broadcast.Choice(filter, item -> names.isEmpty() || names.contains(item.name()));
        long since = since(ask);
        Callers.Sender who = callers.of(ask);
        payer.beginReader();
        exchange.whenGone(() -> payer.end(Limit.READERS));
        exchange.follow(feed.reader(since, choice, drop -> callers.recheck(who, ask.source(), Right.FOLLOW, drop)));
    }

    private static String param(Ask ask, String name) {
        return ask.params().getOrDefault(name, List.of("")).get(0);
    }

    /** Returns the number of the last event that the reader has; -1 for one that wants all. */
    private long since(Ask ask) {
        String resumed = ask.header("last-event-id");
        String given = param(ask, "since");
        long last = backend.answers().queries().seq();
        if (resumed != null && !resumed.matches("\\d{1,18}")) {
            throw new Refusal(
                    400, "the header Last-Event-ID must be the id of an event of this stream, which is a number");
        } else if (resumed == null && !given.matches("\\d{0,18}")) {
            throw wrong("since", "is a number from 0 to " + (Long.MAX_VALUE - 1));
        }
        String text = resumed == null ? given : resumed;
        long since = text.isEmpty() ? -1 : Long.parseLong(text);
        if (since > last) {
            throw wrong("since", "is " + since + ", but the last event is " + last);
        }
        return since;
    }

    void document(Exchange exchange, @Nullable Rights unused) {
        exchange.answer(exchange.ask().acceptsGzip() ? documentInGzip : document);
    }

    void metrics(Exchange exchange, @Nullable Rights rights) {
        callers.admit(exchange, rights, Right.READ);
        beside(exchange, () -> probes.serve(exchange));
    }

    void probe(Exchange exchange, @Nullable Rights unused) {
        probes.serve(exchange);
    }

    private static Bytes resource(String name) {
        try (InputStream in = Objects.requireNonNull(Api.class.getResourceAsStream(name), name)) {
            return Bytes.wrap(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
