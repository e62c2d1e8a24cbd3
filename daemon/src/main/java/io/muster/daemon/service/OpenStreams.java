package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.Limit;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.JournalStream;
import io.muster.daemon.core.Reporter;
import io.muster.daemon.core.Sink;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.ReportChanges;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.admin.JournalRequest;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.ReplyStream;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.rpc.Topic;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open streams of one peer, and its requests that wait until enough ranks are online. */
final class OpenStreams {
    private static final Logger log = LoggerFactory.getLogger("peer");

    /** The highest number of streams of one peer. A peer that opens more leaks them. */
    private static final int MOST = 4096;

    private final Backend backend;
    private final Outbox outbox;
    private final Map<Key, Open> open = new HashMap<>();
    private long kept;
    /** The last reporter that the peer registered. */
    private @Nullable Reporter reporter;

    private @Nullable Key reporting;
    /** The length of the last usage report, which is kept. */
    private int usage;

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
     * @param payer the account of the stream
     * @param keeps bytes of the request, or of what it has led to, which are kept as long as the stream is open
     * @param resume called when the peer reads again
     * @param release called when the peer has closed the connection, so that nothing can be sent
     * @param cancel called when the peer cancels the stream; sends the response that ends the stream
     */
    private record Open(String topic, Account payer, long keeps, Runnable resume, Runnable release, Runnable cancel) {
        Open keeping(long bytes) {
            return new Open(topic, payer, bytes, resume, release, cancel);
        }
    }

    /**
     * Opens the stream of a scheduler.
     *
     * @throws RpcException EBUSY, which names the scheduler that holds the resources
     */
    void acquire(Request request, Bytes owner, Principal by, Account payer) {
        Reply reply = begin(request, payer);
        AcquireStream stream = backend.streams().acquires().acquire(reply, by, Owner.parse(owner));
        open(
                request,
                reply,
                () -> backend.streams().acquires().resume(stream),
                () -> backend.streams().acquires().release(stream),
                () -> backend.streams().acquires().cancelled(stream));
    }

    /** @throws RpcException if the request names an event that the journal does not have */
    void follow(Request request, Bytes unread, Account payer) {
        Reply reply = begin(request, payer);
        JournalRequest asked = JournalRequest.parse(unread);
        JournalStream stream = asked == null
                ? backend.streams().journals().follow(reply)
                : backend.streams().journals().follow(reply, asked.since());
        Runnable release = () -> backend.streams().journals().release(stream);
        open(request, reply, () -> backend.streams().journals().resume(stream), release, release);
    }

    /** Opens the stream of a reporter. Later usage reports of the peer belong to this reporter. */
    void report(Request request, Principal by, ReportChanges.Register command, Account payer) {
        Reply reply = begin(request, payer);
        Reporter stream = backend.streams().reporters().open(reply, by, command);
        reporter = stream;
        reporting = reply.key;
        usage = 0;
        Runnable release = () -> backend.streams().reporters().release(stream);
        open(request, reply, () -> {}, release, release);
    }

    /** @throws RpcException if the peer has registered no reporter, or if the report is refused */
    void use(ReportRequest.Usage report, int length) {
        Reporter one = reporter();
        backend.streams().reporters().pace(one);
        backend.streams().reporters().use(one, report.allocated(), report.marks(), report.properties());
        Open stream = open.get(reporting);
        if (stream != null) {
            int more = length - usage;
            open.put(reporting, stream.keeping(stream.keeps + more));
            keep(stream.payer, more);
            usage = length;
        }
    }

    /** @throws RpcException EINVAL if the peer has registered no reporter */
    Reporter reporter() {
        if (reporter == null) {
            throw new RpcException(
                    Errno.EINVAL, "this connection reports for no ranks: send " + ReportRequest.TOPIC + " first");
        }
        return reporter;
    }

    /**
     * Waits until enough ranks are online.
     *
     * @param then called when that many ranks are online, which may be at once
     */
    void await(Request request, ObjectNode payload, Account payer, Runnable then) {
        Key key = checkRoom(request, payer);
        Runnable forget = backend.streams().waiters().await(payload, () -> {
            end(key);
            then.run();
        });
        if (forget == null) {
            then.run();
        } else {
            open(key, new Open(request.topic(), payer, Account.size(request), () -> {}, forget, forget));
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
            open(reply.key, new Open(request.topic(), reply.payer, Account.size(request), resume, release, cancel));
        }
    }

    private void open(Key key, Open stream) {
        open.put(key, stream);
        stream.payer.beginStream();
        keep(stream.payer, stream.keeps);
    }

    private void end(Key key) {
        Open stream = open.remove(key);
        if (stream != null) {
            ended(stream);
        }
    }

    private void ended(Open stream) {
        stream.payer.end(Limit.STREAMS);
        keep(stream.payer, -stream.keeps);
    }

    private void keep(Account payer, long bytes) {
        kept += bytes;
        payer.take(bytes);
    }

    /** Returns the number of bytes that streams and waiting requests keep until they end. */
    long keeps() {
        return kept;
    }

    private Reply begin(Request request, Account payer) {
        ReplyStream stream = new ReplyStream(request.withoutPayload(), backend.sender());
        return new Reply(checkRoom(request, payer), stream, payer);
    }

    private Key checkRoom(Request request, Account payer) {
        Key key = Key.of(request);
        payer.checkStreams();
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
                ended(entry.getValue());
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
        List<Open> ending = List.copyOf(open.values());
        open.clear();
        ending.forEach(this::ended);
        for (Open stream : ending) {
            try {
                stream.release.run();
            } catch (RuntimeException bug) { // the other streams must be released all the same
                log.error("a bug made the release of a stream fail: {}", stream.topic, bug);
            }
        }
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** The sink of one streaming request: sends the responses to the peer. */
    private final class Reply implements Sink {
        private final Key key;
        private final ReplyStream stream;
        private final Account payer;
        private boolean ended;

        Reply(Key key, ReplyStream stream, Account payer) {
            this.key = key;
            this.stream = stream;
            this.payer = payer;
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
