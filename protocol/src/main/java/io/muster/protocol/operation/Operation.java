package io.muster.protocol.operation;

import io.muster.inventory.json.Fields;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.state.Command;
import io.muster.protocol.admin.Payload;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table {@link Operations}: one thing that a client may ask of the daemon.
 *
 * @param <S> the interface whose method serves the operation: {@link Service} at every door, {@link Connection} on the wire only
 * @param <Q> the request
 */
public final class Operation<S, Q> {
    /** What becomes of a request. */
    public enum Kind {
        /** Has no effect besides its response. */
        QUESTION,
        /** Has an effect and one response. */
        ACTION,
        /** Has an effect and any number of responses, until one of the two sides ends the stream. */
        STREAM,
        /** Has an effect and no response. */
        NOTICE
    }

    private static final String NO_KEY = "is not a key of this request";

    private final Row row;
    private final Reader<Q> reader;
    private final Server<S, Q> server;

    private Operation(Row row, Reader<Q> reader, Server<S, Q> server) {
        this.row = row;
        this.reader = reader;
        this.server = server;
    }

    /** Reads the payload of a request. */
    interface Reader<Q> {
        Q read(@Nullable Bytes payload) throws ProtocolException;
    }

    /** Serves a request. */
    interface Server<S, Q> {
        void serve(S service, Q request) throws ProtocolException;
    }

    /**
     * Reads a payload and has the request served.
     *
     * @throws RpcException if the request is refused
     * @throws ProtocolException if the payload is not of the form that every payload has
     */
    public void serve(S service, @Nullable Bytes payload) throws ProtocolException {
        server.serve(service, reader.read(payload));
    }

    /**
     * Reads the payload of a request that is not served.
     *
     * @throws RpcException if the payload is too long or wrong
     */
    public void check(Bytes payload) {
        RpcException excess = refusal(payload.length());
        if (excess != null) {
            throw excess;
        }
        try {
            var unused = reader.read(payload);
        } catch (ProtocolException e) {
            throw new RpcException(Errno.EPROTO, String.valueOf(e.getMessage()));
        }
    }

    public String topic() {
        return row.topic;
    }

    /** Returns the right that a user needs. */
    public Right right() {
        return row.right;
    }

    public Kind kind() {
        return row.kind;
    }

    /** Returns whether a request may change the inventory, so that only some sockets take it. */
    public boolean isChange() {
        return Right.CHANGING.contains(row.right);
    }

    /** Returns the keys that a request may have. */
    public List<RequestKey> keys() {
        return row.keys;
    }

    /** Returns whether flux-core has this operation, with the same payload and the same response. */
    public boolean isOfFlux() {
        return row.ofFlux;
    }

    /** Returns whether keys that the operation does not have are ignored: other programs may add them. */
    public boolean ignoresOtherKeys() {
        return row.ofFlux || row.ofOthers;
    }

    /**
     * Reads the members of a payload.
     *
     * @throws RpcException if a key is not one of this operation, unless other keys are ignored
     * @throws ProtocolException if the payload is no JSON object
     */
    public Fields fields(Bytes payload) throws ProtocolException {
        return row.fields(payload);
    }

    /** Returns the refusal of a request for a key that the operation does not have. */
    public RpcException unknown(String key) {
        return new RpcException(Errno.EPROTO, row.topic + ": " + Pointer.of("", key) + " " + NO_KEY);
    }

    /** Returns whether instances of Flux send the requests, whose faults an operator has to see in the log. */
    public boolean isOfInstances() {
        return row.ofInstances;
    }

    /** Returns whether the operation ends holds, which more users may do than place them. */
    public boolean endsHolds() {
        return row.endsHolds;
    }

    /** Returns whether {@code all} and expressions in targets leave out excluded and lost hosts. */
    public boolean isForMembers() {
        return row.forMembers;
    }

    /** Returns the place of the operation in HTTP; null if only the wire has the operation. */
    public @Nullable Http http() {
        return row.http;
    }

    /** Returns whether the answer depends on the state of the inventory only. */
    public boolean isOfState() {
        return row.ofState;
    }

    /** Returns whether the operation carries out a {@link Command}. */
    public boolean isCommand() {
        return row.form != null;
    }

    @Nullable
    ChangeForm<?> form() {
        return row.form;
    }

    /** Returns the refusal of a payload that is too long; null for any other payload. */
    public @Nullable RpcException refusal(int bytes) {
        return bytes <= row.most
                ? null
                : new RpcException(
                        Errno.EINVAL,
                        row.topic + ": the request has " + bytes + " bytes, but may have at most " + row.most
                                + (row.form == null ? "" : ": name fewer targets or properties in each request"));
    }

    @Override
    public String toString() {
        return row.topic;
    }

    /** The facts about an operation, which {@link Operations} lists one after the other. */
    static final class Row {
        /** What the core thread may read. Parsed JSON takes thirty times the size of its text. */
        private static final int USUAL = 1 << 20;

        private final String topic;
        private final Right right;
        private final Kind kind;
        private final List<RequestKey> keys;
        private int most = USUAL;
        private boolean ofFlux;
        private boolean ofOthers;
        private boolean ofInstances;
        private boolean endsHolds;
        private boolean ofState;
        private boolean forMembers;
        private @Nullable Http http;
        private @Nullable ChangeForm<?> form;

        Row(String topic, Right right, Kind kind, List<RequestKey> keys) {
            this.topic = topic;
            this.right = right;
            this.kind = kind;
            this.keys = List.copyOf(keys);
        }

        Fields fields(Bytes payload) throws ProtocolException {
            Fields in = Payload.fields(topic, Json.parse(payload));
            return ofFlux || ofOthers
                    ? in
                    : in.only(NO_KEY, keys.stream().map(RequestKey::name).toArray(String[]::new));
        }

        Row most(int bytes) {
            most = bytes;
            return this;
        }

        Row ofFlux() {
            ofFlux = true;
            return this;
        }

        /** The form of the request belongs to programs that may add keys to it. */
        Row ofOthers() {
            ofOthers = true;
            return this;
        }

        Row ofInstances() {
            ofInstances = true;
            return this;
        }

        Row endsHolds() {
            endsHolds = true;
            return this;
        }

        Row forMembers() {
            forMembers = true;
            return this;
        }

        Row ofState() {
            ofState = true;
            return this;
        }

        Row at(Http place) {
            http = place.with(keys);
            return this;
        }

        /** An operation whose payload may be missing, and says nothing. */
        <S> Operation<S, Boolean> by(Consumer<S> server) {
            return new Operation<>(this, this::isEmpty, (service, nothing) -> server.accept(service));
        }

        /** An operation whose payload is read beside the core thread, with {@link Operation#fields}, because that takes long. */
        <S> Operation<S, Bytes> unread(Server<S, Bytes> server) {
            return new Operation<>(this, this::required, server);
        }

        /** An operation whose payload may be missing, which is as good as an empty one. */
        <S> Operation<S, Bytes> optional(Server<S, Bytes> server) {
            return new Operation<>(this, payload -> payload == null ? Bytes.EMPTY : payload, server);
        }

        <S, Q> Operation<S, Q> with(Function<Fields, Q> reader, Server<S, Q> server) {
            return new Operation<>(this, payload -> reader.apply(fields(required(payload))), server);
        }

        Row of(ChangeForm<?> change) {
            form = change;
            return this;
        }

        Operation<Service, ChangeRequest> change() {
            ChangeForm<?> change = Objects.requireNonNull(form, topic);
            return with(payload -> ChangeRequest.parse(change, payload.json()), Service::change);
        }

        /** An operation that cancels another one. */
        Operation<Connection, Cancellation> cancel() {
            return new Operation<>(this, this::cancellation, Connection::cancel);
        }

        private Cancellation cancellation(@Nullable Bytes payload) throws ProtocolException {
            fields(required(payload));
            return Cancellation.parse(payload);
        }

        private boolean isEmpty(@Nullable Bytes payload) throws ProtocolException {
            return ofFlux || payload == null || fields(payload).json().isEmpty();
        }

        private Bytes required(@Nullable Bytes payload) {
            if (payload == null) {
                throw new RpcException(Errno.EPROTO, topic + " without a payload");
            }
            return payload;
        }
    }
}
