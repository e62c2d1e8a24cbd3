package io.muster.protocol.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.muster.protocol.wire.WireTrace;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a Flux service: Muster, or a flux-core broker.
 *
 * <p>Any number of calls and streams may be open at once; responses are kept by matchtag until they are taken. A client and its
 * calls and streams belong to one thread, and messages are sent and received only while that thread is inside one of their
 * methods.
 *
 * <p>After an {@link IOException} other than a timeout the connection is unusable.
 */
public final class FluxClient implements Closeable {
    /** The highest number of bytes of unread responses, in all calls and streams together. */
    private static final long MAX_UNREAD = 256L << 20;

    private final ClientConnection connection;
    private final FrameEncoder encoder = FrameEncoder.of(Dialect.DEPLOYED);
    private final Options options;
    private final Map<Integer, Pending> pending = new HashMap<>();
    private int lastMatchtag = Request.MATCHTAG_NONE;
    private long unread;

    FluxClient(ClientConnection connection, Options options) {
        this.connection = connection;
        this.options = options;
    }

    /**
     * Connects to the first server that answers.
     *
     * @param uri {@code local:///PATH}, {@code ssh://[USER@]HOST[:PORT][/PATH]} or {@code tls://HOST[:PORT]}, or several of these
     *     with commas between them
     * @throws ConnectException if no server listens there
     * @throws RpcException if the server refused the connection
     */
    public static FluxClient connect(String uri, Options options) throws IOException {
        return new FluxClient(ClientConnection.open(uri, options), options);
    }

    /**
     * Like {@link #connect(String, Options)}, with another limit for connecting than for responses.
     *
     * @throws ConnectException also if no server accepts the connection within {@code patience}
     */
    public static FluxClient connect(String uri, Options options, Duration patience) throws IOException {
        try {
            return new FluxClient(ClientConnection.open(uri, options.withTimeout(patience)), options);
        } catch (SocketTimeoutException silent) {
            ConnectException late = new ConnectException(silent.getMessage());
            late.initCause(silent);
            throw late;
        }
    }

    public static FluxClient connect(String uri) throws IOException {
        return connect(uri, Options.DEFAULT);
    }

    /**
     * Sends a request and waits for the response. The result is an empty object if the response has no payload.
     *
     * @throws RpcException if the server responded with an error
     * @throws SocketTimeoutException if the server did not respond in time; a late response is dropped
     */
    public ObjectNode rpc(String topic, @Nullable ObjectNode payload) throws IOException {
        return call(topic, payload).get();
    }

    /** Sends a request whose response is taken later, so that many requests can be in flight at once. */
    public SentRequest call(String topic, @Nullable ObjectNode payload) throws IOException {
        return new SentRequest(open(topic, payload, 0));
    }

    /** Sends a request that gets no response. */
    public void send(String topic, @Nullable ObjectNode payload) throws IOException {
        transmit(Request.of(topic, encode(payload), Header.NORESPONSE, Request.MATCHTAG_NONE));
    }

    public ResponseStream stream(String topic, @Nullable ObjectNode payload) throws IOException {
        return new ResponseStream(open(topic, payload, Header.STREAMING));
    }

    private Pending open(String topic, @Nullable ObjectNode payload, int flags) throws IOException {
        int matchtag = freeMatchtag();
        Pending call = new Pending(this, topic, matchtag);
        pending.put(matchtag, call);
        transmit(Request.of(topic, encode(payload), flags, matchtag));
        return call;
    }

    /** Returns a matchtag that no pending response can have (RFC 6 "Matchtag Field"). */
    private int freeMatchtag() {
        do {
            lastMatchtag++;
        } while (lastMatchtag == Request.MATCHTAG_NONE || pending.containsKey(lastMatchtag));
        return lastMatchtag;
    }

    private static @Nullable Bytes encode(@Nullable ObjectNode payload) {
        return payload == null ? null : Json.encode(payload);
    }

    /** Returns how long the client waits for a response; zero if it waits without end. */
    public Duration timeout() {
        return options.timeout();
    }

    String server() {
        return connection.server();
    }

    boolean isUsable() {
        return connection.isUsable();
    }

    void transmit(Request request) throws IOException {
        transmit(request, Deadline.ofTimeout(options.timeout()));
    }

    /**
     * Sends a request. While the server does not read, this method reads from the server, because otherwise each side could
     * wait for the other.
     */
    void transmit(Request request, Deadline deadline) throws IOException {
        ByteBuffer frame = encoder.encode(request);
        trace(true, request);
        while (!connection.write(frame)) {
            boolean received = receive();
            while (received) {
                received = receive();
            }
            if (!connection.await(SelectionKey.OP_READ | SelectionKey.OP_WRITE, deadline)) {
                close(); // the peer cannot read anything after a truncated frame
                throw new SocketTimeoutException(server() + " does not read the request " + request.topic());
            }
        }
    }

    /** Waits for one message and passes it to its call or stream. Returns false if the deadline has passed. */
    boolean receive(Deadline deadline) throws IOException {
        if (receive()) {
            return !deadline.hasPassed();
        }
        boolean ready = connection.await(SelectionKey.OP_READ, deadline);
        return ready && (receive() || !deadline.hasPassed());
    }

    /** Receives at most one message, so that a response counts even if the connection breaks right after it. */
    private boolean receive() throws IOException {
        Message message = connection.poll();
        if (message == null) {
            return false;
        }
        trace(false, message);
        if (message instanceof Response response) {
            hand(response);
        }
        return true;
    }

    /** Passes a response to its call or stream. A response that no call or stream expects any more is dropped. */
    private void hand(Response response) throws IOException {
        Pending call = pending.get(response.matchtag());
        if (call == null) {
            return;
        }
        if (response.isLast()) {
            pending.remove(response.matchtag());
        }
        unread += call.offer(response);
        if (unread > MAX_UNREAD) {
            close();
            throw new IOException(unread + " bytes of responses unread where " + MAX_UNREAD + " are allowed");
        }
    }

    void taken(long bytes) {
        unread -= bytes;
    }

    private void trace(boolean sent, Message message) {
        if (options.trace() != null) {
            options.trace().accept(sent ? WireTrace.sent(server(), message) : WireTrace.received(server(), message));
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
