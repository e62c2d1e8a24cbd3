package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.JournalStream;
import io.muster.daemon.core.Sink;
import io.muster.inventory.axis.Principal;
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

/** What goes on for one peer after the request that asked for it: streams of responses, and waits for the one. */
final class OpenStreams {
    /** A peer that opens streams without end is a peer that leaks them. */
    private static final int MOST = 4096;

    /** What a stream costs beside its request. */
    private static final long OWN = 512;

    private final Backend backend;
    private final Outbox outbox;
    private final Map<Key, Open> open = new HashMap<>();
    private long kept;

    OpenStreams(Backend backend, Outbox outbox) {
        this.backend = backend;
        this.outbox = outbox;
    }

    /** RFC 6: a stream is named by its sender and its matchtag; a router may send for several. */
    private record Key(List<String> sender, int matchtag) {
        static Key of(Request request) {
            return new Key(request.routes(), request.matchtag());
        }
    }

    /**
     * @param keeps bytes of the request, which stays as long
     * @param resume the peer reads again
     * @param release the peer is gone: nothing can be sent
     * @param cancel the peer wants no more, and is told so
     */
    private record Open(String topic, long keeps, Runnable resume, Runnable release, Runnable cancel) {}

    /** @throws RpcException EBUSY, naming who holds the resources */
    void acquire(Request request, Principal by) {
        Reply reply = begin(request);
        AcquireStream stream = backend.acquires().acquire(reply, by);
        open(
                reply,
                new Open(
                        request.topic(),
                        size(request),
                        () -> backend.acquires().resume(stream),
                        () -> backend.acquires().release(stream),
                        () -> {
                            backend.acquires().cancelled(stream);
                            reply.cancel();
                        }));
    }

    void follow(Request request) {
        Reply reply = begin(request);
        JournalStream stream = backend.journals().follow(reply);
        open(
                reply,
                new Open(
                        request.topic(),
                        size(request),
                        () -> backend.journals().resume(stream),
                        () -> backend.journals().release(stream),
                        () -> {
                            backend.journals().release(stream);
                            reply.cancel();
                        }));
    }

    void history(Request request, Bytes payload) {
        Reply reply = begin(request);
        Histories.History history = backend.histories().ask(payload, reply);
        open(
                reply,
                new Open(
                        request.topic(),
                        size(request),
                        () -> backend.histories().resume(history),
                        () -> backend.histories().release(history),
                        () -> {
                            backend.histories().release(history);
                            reply.cancel();
                        }));
    }

    /** @param then called when as many ranks are online, which may be at once */
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

    /** A stream may have ended before it is noted here: its first response may be refused. */
    private void open(Reply reply, Open stream) {
        if (!reply.ended) {
            open(reply.key, stream);
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

    /** What a request costs that stays open. */
    static long size(Request request) {
        Bytes payload = request.payload();
        long size = OWN + request.topic().length() + (payload == null ? 0 : payload.length());
        for (String route : request.routes()) {
            size += OWN / 8 + route.length();
        }
        return size;
    }

    /** Bytes that streams and waits keep until they end. */
    long keeps() {
        return kept;
    }

    private Reply begin(Request request) {
        ReplyStream stream = new ReplyStream(request, backend.queries().sender());
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

    /** RFC 6: a cancellation is not answered; the stream that it names is, if it is one of the method that this cancels. */
    void cancel(Request request, Cancellation cancellation) {
        Key key = new Key(request.routes(), cancellation.matchtag());
        Open stream = open.get(key);
        if (stream != null && Topic.parse(stream.topic).cancel().toString().equals(request.topic())) {
            end(key);
            stream.cancel.run();
        }
    }

    /** This sender is gone, though the connection that spoke for it may live on. */
    void disconnect(List<String> sender) {
        open.entrySet().removeIf(entry -> {
            boolean its = entry.getKey().sender.equals(sender);
            if (its) {
                kept -= entry.getValue().keeps;
                entry.getValue().release.run();
            }
            return its;
        });
    }

    /** The peer reads again. What it is sent may end streams. */
    void resume() {
        List.copyOf(open.values()).forEach(stream -> stream.resume.run());
    }

    /** The peer is gone. */
    void close() {
        open.values().forEach(stream -> stream.release.run());
        open.clear();
        kept = 0;
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** The responses of one streaming request. */
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
