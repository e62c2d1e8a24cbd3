package io.muster.daemon.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.AcquireStreams;
import io.muster.daemon.core.Inventory;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.Principal;
import io.muster.protocol.acquire.Told;
import io.muster.protocol.admin.Get;
import io.muster.protocol.admin.InventoryAnswer;
import io.muster.protocol.admin.SchedStatus;
import io.muster.protocol.admin.Scheduler;
import io.muster.protocol.admin.Status;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that can be asked and changes nothing. Answers about the inventory are made once for each state, R once for each definition. */
public final class Queries {
    private static final Logger log = LoggerFactory.getLogger("peer");

    private final Inventory inventory;
    private final AcquireStreams acquires;
    private final Attributes attributes;
    private final Credentials sender;
    private final SessionMeters meters;
    private Bytes config = Json.EMPTY_OBJECT;

    private final Memo status =
            new Memo(state -> state, state -> Status.of(state).encode());
    private final Memo schedStatus =
            new Memo(state -> state, state -> SchedStatus.of(state).encode());
    private final Memo get =
            new Memo(InventoryState::definition, state -> Get.of(state).encode());

    /** @param sender whose credentials responses carry: libflux drops a response without a role */
    public Queries(
            Inventory inventory,
            AcquireStreams acquires,
            Attributes attributes,
            Credentials sender,
            SessionMeters meters) {
        this.inventory = inventory;
        this.acquires = acquires;
        this.attributes = attributes;
        this.sender = sender;
        this.meters = meters;
    }

    Credentials sender() {
        return sender;
    }

    SessionMeters meters() {
        return meters;
    }

    Bytes status() {
        return status.of(inventory.state());
    }

    /** What `flux resource list` asks. */
    Bytes schedStatus() {
        return schedStatus.of(inventory.state());
    }

    Bytes get() {
        return get.of(inventory.state());
    }

    /** Ours: all that is known, for `muster status` and `muster why`. */
    Bytes inventory() {
        List<Scheduler> schedulers = new ArrayList<>();
        acquires.streams().forEach(stream -> schedulers.add(describe(stream)));
        return new InventoryAnswer(
                        inventory.seq(),
                        inventory.now(),
                        inventory.fault(),
                        inventory.clock().trouble(),
                        schedulers,
                        inventory.state())
                .encode();
    }

    private static Scheduler describe(AcquireStream stream) {
        Principal holder = stream.holder();
        Told told = stream.told();
        return new Scheduler(
                holder.user(),
                holder.uid(),
                holder.pid(),
                stream.since(),
                stream.responses(),
                told.offered(),
                told.view().up().intersect(told.offered()),
                stream.isBehind());
    }

    /** The request's object with where it came from and who asked, as flux-core echoes it. */
    Bytes ping(Request request) throws ProtocolException {
        Bytes payload = request.payload();
        if (payload == null) {
            throw new RpcException(Errno.EPROTO, request.topic() + " without a payload");
        }
        ObjectNode answer = Json.parse(payload);
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

    Bytes attributes() {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode names = answer.putArray("names");
        attributes.of(inventory.state()).keySet().forEach(names::add);
        return Json.encode(answer);
    }

    /** @param document as it stands in the files */
    public void config(ObjectNode document) {
        config = Json.encode(document);
    }

    Bytes config() {
        return config;
    }

    /** A peer's own log line. It is a peer's: escaped, cut, and at debug whatever it claims. */
    void log(Request request) {
        Bytes payload = request.payload();
        if (payload != null && log.isDebugEnabled()) {
            String text = payload.first(Math.min(payload.length(), 1000)).text();
            log.debug("log.append from={} text={}", request.credentials(), text.replaceAll("\\p{Cntrl}", "?"));
        }
    }

    /** An answer that depends on the state alone, or on a part of it. */
    private static final class Memo {
        private final Function<InventoryState, Object> part;
        private final Function<InventoryState, Bytes> make;
        private @Nullable Object of;
        private Bytes made = Bytes.EMPTY;

        Memo(Function<InventoryState, Object> part, Function<InventoryState, Bytes> make) {
            this.part = part;
            this.make = make;
        }

        Bytes of(InventoryState state) {
            Object now = part.apply(state);
            if (of != now) {
                made = make.apply(state);
                of = now;
            }
            return made;
        }
    }
}
