package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.JournalStream;
import io.muster.daemon.core.Reporter;
import io.muster.daemon.core.Sink;
import io.muster.inventory.axis.Principal;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.admin.HistoryRequest;
import io.muster.protocol.admin.JournalRequest;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.ReplyStream;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.rpc.Topic;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The open streams of one peer, and its requests that wait until enough ranks are online. */
final class OpenStreams {
    /** The highest number of streams of one peer. A peer that opens more leaks them. */
    private static final int MOST = 4096;

    /** The memory of a stream in bytes, apart from its request. */
    private static final long OWN = 512;

    private final Backend backend;
    private final Outbox outbox;
    private final Map<Key, Open> open = new HashMap<>();
    private long kept;
    /** The last reporter that the peer registered. */
    private @Nullable Reporter reporter;

    OpenStreams(Backend backend, Outbox outbox) {
        this.backend = backend;
        this.outbox = outbox;
    }

    /** The key of a stream: its sender and its matchtag, as in RFC 6. A router may open streams for several senders. */
    private record Key(List<String> sender, int matchtag) {
        static Key of(Request request) {
            return new Key(request.routes(), request.matchtag());
        }
    }

    /**
     * An open stream or a waiting request.
     *
     * @param keeps bytes of the request, which is kept as long as the stream is open
     * @param resume called when the peer reads again
     * @param release called when the peer has closed the connection, so that nothing can be sent
     * @param cancel called when the peer cancels the stream; sends the response that ends the stream
     */
    private record Open(String topic, long keeps, Runnable resume, Runnable release, Runnable cancel) {}

    /**
     * Opens the stream of a scheduler.
     *
     * @throws RpcException EBUSY, which names the scheduler that holds the resources
     */
    void acquire(Request request, Principal by) {
        Reply reply = begin(request);
        AcquireStream stream = backend.acquires().acquire(reply, by, Owner.parse(request.payload()));
        open(
                request,
                reply,
                () -> backend.acquires().resume(stream),
                () -> backend.acquires().release(stream),
                () -> backend.acquires().cancelled(stream));
    }

    /** @throws RpcException if the request names an event that the journal does not have */
    void follow(Request request) {
        Reply reply = begin(request);
        JournalRequest asked = JournalRequest.parse(request.payload());
        JournalStream stream = asked == null
                ? backend.journals().follow(reply)
                : backend.journals().follow(reply, asked.since());
        Runnable release = () -> backend.journals().release(stream);
        open(request, reply, () -> backend.journals().resume(stream), release, release);
    }

    void history(Request request, Bytes payload) {
        Reply reply = begin(request);
        Histories.History history = backend.histories().ask(payload, reply);
        Runnable release = () -> backend.histories().release(history);
        open(request, reply, () -> backend.histories().resume(history), release, release);
    }

    /** Opens the stream of a reporter. Later usage reports of the peer belong to this reporter. */
    void report(Request request, Principal by, ReportRequest report) {
        Reply reply = begin(request);
        Reporter stream = backend.reporters().open(reply, by, report.command());
        reporter = stream;
        Runnable release = () -> backend.reporters().release(stream);
        open(request, reply, () -> {}, release, release);
    }

    /** @throws RpcException if the peer has no open report, or if the report is refused */
    void use(Bytes payload) throws ProtocolException {
        if (reporter == null) {
            throw new RpcException(
                    Errno.EINVAL, "this connection reports for no ranks: send " + ReportRequest.TOPIC + " first");
        }
        backend.reporters().pace(reporter);
        backend.reporters().use(reporter, ReportRequest.parseUsage(payload));
    }

    /**
     * Waits until enough ranks are online.
     *
     * @param then called when that many ranks are online, which may be at once
     */
    void await(Request request, ObjectNode payload, Runnable then) {
        Key key = checkRoom(request);
        Runnable forget = backend.waiters().await(payload, () -> {
            end(key);
            then.run();
        });
        if (forget == null) {
            then.run();
        } else {
            open(key, new Open(request.topic(), size(request), () -> {}, forget, forget));
        }
    }

    /**
     * Adds a stream, unless it has ended already because its first response was refused.
     *
     * @param cancelled called when the peer cancels the stream, before the response that ends the stream
     */
    private void open(Request request, Reply reply, Runnable resume, Runnable release, Runnable cancelled) {
        if (!reply.ended) {
            Runnable cancel = () -> {
                cancelled.run();
                reply.cancel();
            };
            open(reply.key, new Open(request.topic(), size(request), resume, release, cancel));
        }
    }

    private void open(Key key, Open stream) {
        open.put(key, stream);
        kept += stream.keeps;
    }

    private void end(Key key) {
        Open stream = open.remove(key);
        kept -= stream == null ? 0 : stream.keeps;
    }

    /** Returns the memory of a request that stays open, in bytes. */
    static long size(Request request) {
        Bytes payload = request.payload();
        long size = OWN + request.topic().length() + (payload == null ? 0 : payload.length());
        for (String route : request.routes()) {
            size += OWN / 8 + route.length();
        }
        return size;
    }

    /** Returns the number of bytes that streams and waiting requests keep until they end. */
    long keeps() {
        return kept;
    }

    private Reply begin(Request request) {
        ReplyStream stream = new ReplyStream(request, backend.sender());
        return new Reply(checkRoom(request), stream);
    }

    private Key checkRoom(Request request) {
        Key key = Key.of(request);
        if (open.size() >= MOST) {
            throw new RpcException(Errno.EAGAIN, "this connection has " + MOST + " streams open already");
        }
        if (open.containsKey(key)) {
            throw new RpcException(Errno.EPROTO, "matchtag " + request.matchtag() + " names an open stream already");
        }
        return key;
    }

    /**
     * Cancels a stream. The cancellation itself gets no response (RFC 6). The stream is ended with a response, provided that
     * it belongs to the method that the topic of the cancellation names.
     */
    void cancel(Request request, Cancellation cancellation) {
        Key key = new Key(request.routes(), cancellation.matchtag());
        Open stream = open.get(key);
        if (stream != null && Topic.parse(stream.topic).cancel().toString().equals(request.topic())) {
            end(key);
            stream.cancel.run();
        }
    }

    /** Releases all streams of a sender that has disconnected from a router. The router's connection stays open. */
    void disconnect(List<String> sender) {
        open.entrySet().removeIf(entry -> {
            boolean ofSender = entry.getKey().sender.equals(sender);
            if (ofSender) {
                kept -= entry.getValue().keeps;
                entry.getValue().release.run();
            }
            return ofSender;
        });
    }

    /** Resumes all streams, because the peer reads again. A response that is sent now may end a stream. */
    void resume() {
        List.copyOf(open.values()).forEach(stream -> stream.resume.run());
    }

    /** Releases all streams, because the connection is closed. */
    void close() {
        open.values().forEach(stream -> stream.release.run());
        open.clear();
        kept = 0;
    }

    /** Returns whether nothing is open except answers about the past: all peers together can have only a few of those open. */
    boolean mustBeRead() {
        return open.values().stream().allMatch(stream -> stream.topic.equals(HistoryRequest.TOPIC));
    }

    /** The sink of one streaming request: sends the responses to the peer. */
    private final class Reply implements Sink {
        private final Key key;
        private final ReplyStream stream;
        private boolean ended;

        Reply(Key key, ReplyStream stream) {
            this.key = key;
            this.stream = stream;
        }

        @Override
        public boolean isWritable() {
            return outbox.isWritable();
        }

        @Override
        public @Nullable RpcException refusal(Bytes payload) {
            return outbox.refusal(payload);
        }

        @Override
        public void send(Bytes payload) {
            outbox.send(stream.next(payload));
        }

        @Override
        public void end(RpcException reason) {
            ended = true;
            OpenStreams.this.end(key);
            outbox.send(stream.fail(reason));
        }

        void cancel() {
            outbox.send(stream.cancel());
        }
    }
}
