package io.muster.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.JournalStream;
import io.muster.daemon.core.Sink;
import io.muster.inventory.state.Principal;
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

/** What goes on for one peer after the request that asked for it: streams of responses, and waits for the one. */
final class Streams {
    /** A peer that opens streams without end is a peer that leaks them. */
    private static final int MOST = 4096;

    private final Backend backend;
    private final Outbox outbox;
    private final Map<Key, Open> open = new HashMap<>();

    Streams(Backend backend, Outbox outbox) {
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
     * @param resume the peer reads again
     * @param release the peer is gone: nothing can be sent
     * @param cancel the peer wants no more, and is told so
     */
    private record Open(String topic, Runnable resume, Runnable release, Runnable cancel) {}

    /** @throws RpcException EBUSY, naming who holds the resources */
    void acquire(Request request, Principal by) {
        Reply reply = begin(request);
        AcquireStream stream = backend.acquires().acquire(reply, by);
        open.put(
                reply.key,
                new Open(
                        request.topic(),
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
        open.put(
                reply.key,
                new Open(
                        request.topic(),
                        () -> backend.journals().resume(stream),
                        () -> backend.journals().release(stream),
                        () -> {
                            backend.journals().release(stream);
                            reply.cancel();
                        }));
    }

    /** @param then called when as many ranks are online, which may be at once */
    void await(Request request, ObjectNode payload, Runnable then) {
        Key key = checkRoom(request);
        Runnable forget = backend.waiters().await(payload, () -> {
            open.remove(key);
            then.run();
        });
        if (forget == null) {
            then.run();
        } else {
            open.put(key, new Open(request.topic(), () -> {}, forget, forget));
        }
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
            open.remove(key);
            stream.cancel.run();
        }
    }

    /** This sender is gone, though the connection that spoke for it may live on. */
    void disconnect(List<String> sender) {
        open.entrySet().removeIf(entry -> {
            boolean its = entry.getKey().sender.equals(sender);
            if (its) {
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
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** The responses of one streaming request. */
    private final class Reply implements Sink {
        private final Key key;
        private final ReplyStream stream;

        Reply(Key key, ReplyStream stream) {
            this.key = key;
            this.stream = stream;
        }

        @Override
        public boolean isWritable() {
            return outbox.isWritable();
        }

        @Override
        public void send(Bytes payload) {
            outbox.send(stream.next(payload));
        }

        @Override
        public void end(RpcException reason) {
            open.remove(key);
            outbox.send(stream.fail(reason));
        }

        void cancel() {
            outbox.send(stream.cancel());
        }
    }
}
