package io.muster.daemon.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.HoldSettings;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.AcquireStreams;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.Reporters;
import io.muster.daemon.ledger.Role;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.level.Level;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.Scheduler;
import io.muster.protocol.acquire.SentView;
import io.muster.protocol.admin.Get;
import io.muster.protocol.admin.SchedStatus;
import io.muster.protocol.admin.StatusAnswer;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Request;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Responds to queries: requests that change nothing. Responses about the inventory are encoded once for each state, and
 * responses with R once for each definition of R.
 */
public final class Queries implements Configurable {
    private static final Logger log = LoggerFactory.getLogger("peer");

    private final Inventory inventory;
    private final AcquireStreams acquires;
    private final Attributes attributes;
    private final Reporters reporters;
    private final SessionMeters meters;
    private @Nullable Situation situation;
    private @Nullable Described described;
    private Bytes config = Json.EMPTY_OBJECT;
    private Situation.Configured configured = new Situation.Configured(Queues.NONE, HoldSettings.DEFAULT, 0);
    private JsonNode graph = MissingNode.getInstance();

    private final Turns<InventoryState> status;
    private final Turns<Situation> schedStatus;
    private final Turns<Described> get;

    /** @param beside encodes long responses beside the core thread */
    public Queries(
            Inventory inventory,
            AcquireStreams acquires,
            Reporters reporters,
            Attributes attributes,
            SessionMeters meters,
            Aside beside) {
        this.inventory = inventory;
        this.acquires = acquires;
        this.attributes = attributes;
        this.reporters = reporters;
        this.meters = meters;
        this.status = kept(inventory::state, StatusAnswer::encode, beside);
        this.schedStatus = kept(
                this::situation,
                now -> SchedStatus.of(now.state(), JobUsage.allocated(now.usage()))
                        .encode(),
                beside);
        this.get =
                kept(this::described, now -> Get.of(now.definition, now.graph).encode(), beside);
    }

    private static <S> Turns<S> kept(Supplier<S> now, Function<S, Bytes> make, Aside beside) {
        return new Turns<>("queries", now, (payload, value, step) -> make.apply(value), beside, System::nanoTime, true);
    }

    /** The values on which the answer to {@code resource.get} depends. */
    private record Described(Definition definition, JsonNode graph) {}

    /** Returns the same object until the definition or the configuration is another object, as {@link Turns} needs it. */
    @SuppressWarnings("ReferenceEquality")
    private Described described() {
        Described last = described;
        if (last == null || last.definition != inventory.state().definition() || last.graph != graph) {
            last = new Described(inventory.state().definition(), graph);
            described = last;
        }
        return last;
    }

    /** Returns the present situation: the same object until it is another one, as {@link Turns} needs it. Runs on the core thread. */
    public Situation situation() {
        Role role = inventory.role();
        Situation now = new Situation(
                inventory.committed(),
                inventory.fault(),
                inventory.clock().trouble(),
                inventory.journalBytes(),
                configured,
                role != null && role.term() == 0
                        ? null
                        : new Situation.Leading(
                                reporters.usage(),
                                schedulers(),
                                inventory.redefinition().waiting()));
        Situation last = situation;
        if (last == null || !last.isSame(now)) {
            last = now;
            situation = last;
        }
        return last;
    }

    public SessionMeters meters() {
        return meters;
    }

    /** Responds when the ledger has confirmed that queries show every change that was acknowledged to any client before. */
    void confirm(Principal by, Replier reply) {
        inventory.submit(new Command.Confirm(), by, answer -> {
            RpcException refusal = answer.error();
            if (refusal == null) {
                reply.done(null);
            } else {
                reply.fail(refusal);
            }
        });
    }

    void status(Replier reply) {
        status.ask(Bytes.EMPTY, this, reply);
    }

    /** Responds to resource.sched-status, which `flux resource list` sends. */
    void schedStatus(Replier reply) {
        schedStatus.ask(Bytes.EMPTY, this, reply);
    }

    void get(Replier reply) {
        get.ask(Bytes.EMPTY, this, reply);
    }

    /** Returns the schedulers that have acquired the resources, also those without a connection. Runs on the core thread. */
    public List<Scheduler> schedulers() {
        List<Scheduler> schedulers = new ArrayList<>();
        IdentityHashMap<SentView, Idset> up = new IdentityHashMap<>(); // streams with the same view share one set
        acquires.streams().forEach(stream -> schedulers.add(describe(stream, up)));
        acquires.absences().forEach(absence -> schedulers.add(Scheduler.away(absence.acquisition(), absence.until())));
        return schedulers;
    }

    private static Scheduler describe(AcquireStream stream, IdentityHashMap<SentView, Idset> up) {
        Principal holder = stream.holder();
        SentView sentView = stream.sentView();
        return new Scheduler(
                holder.names(),
                holder.uid(),
                holder.pid(),
                stream.since(),
                stream.responses(),
                sentView.offered(),
                up.computeIfAbsent(sentView, sent -> sent.view().up().intersect(sent.offered())),
                stream.isBehind(),
                Objects.requireNonNullElse(stream.owner(), ""),
                0);
    }

    /**
     * Responds to a ping with the object of the request, to which the route and the credentials of the sender are added, as
     * in flux-core.
     */
    Bytes ping(Request request, ObjectNode answer) {
        answer.put("route", String.join("!", request.routes().isEmpty() ? List.of("muster") : request.routes()));
        answer.put("userid", Integer.toUnsignedLong(request.credentials().userid()));
        answer.put("rolemask", request.credentials().rolemask());
        return Json.encode(answer.put("rank", 0));
    }

    Bytes stats() {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("seq", inventory.seq());
        answer.put("acquire-streams", acquires.streams().size());
        answer.put("ranks", inventory.state().resources().nodes());
        answer.put("up", inventory.state().view().up().size());
        return Json.encode(answer);
    }

    /**
     * Returns the format level that is written, the levels that this version reads, and the features that `muster upgrade
     * finish` would permit. Only Muster has this method.
     */
    Bytes upgrade() {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        Level written = inventory.state().level();
        answer.put("written", written.number());
        answer.put("oldest", Level.ONE.number()).put("newest", Level.NEWEST.number());
        ArrayNode permits = answer.putArray("permits");
        for (Level level : Level.values()) {
            if (!written.includes(level)) {
                permits.add(level.adds());
            }
        }
        return Json.encode(answer);
    }

    Bytes attribute(ObjectNode payload) {
        JsonNode name = payload.path("name");
        if (!name.isTextual()) {
            throw new RpcException(Errno.EPROTO, "attr.get: /name must be a string");
        }
        String value = attributes.of(inventory.state()).get(name.textValue());
        if (value == null) {
            throw new RpcException(Errno.ENOENT, "there is no attribute " + name.textValue());
        }
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        return Json.encode(answer.put("value", value).put("flags", 1));
    }

    /** Returns the sequence number of the last change. May be called on any thread. */
    public long seq() {
        return inventory.seq();
    }

    /** Returns the name of the host on which the daemon runs. */
    public String host() {
        return attributes.host();
    }

    Bytes attributes() {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode names = answer.putArray("names");
        attributes.of(inventory.state()).keySet().forEach(names::add);
        return Json.encode(answer);
    }

    @Override
    public void configure(Config next) {
        ObjectNode document = next.toJson();
        graph = document.path("graph");
        int number = Objects.hash(document, attributes.of(inventory.state()).get("version"));
        configured = new Situation.Configured(Queues.parse(document.path("queues")), next.holds(), number);
        config(document);
    }

    /** @param document the configuration as it is in the files */
    void config(ObjectNode document) {
        config = Json.encode(document);
    }

    Bytes config() {
        return config;
    }

    /**
     * Logs a line that a peer sent. The text is the peer's, so it is cut and escaped, and its level is always debug, even if
     * the peer names another level.
     */
    void log(Credentials from, Bytes line) {
        if (line.length() > 0 && log.isDebugEnabled()) {
            String text = line.first(Math.min(line.length(), 1000)).text();
            log.debug("log.append from={} text={}", from, text.replaceAll("\\p{Cntrl}", "?"));
        }
    }
}
