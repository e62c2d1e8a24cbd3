package io.muster.protocol.client;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** A server for one connection that runs a test's script on a separate thread, over a real UNIX socket. */
final class ScriptedPeer implements Closeable {
    static final Credentials SERVER = new Credentials(0, Credentials.OWNER | Credentials.LOCAL);

    private final Path path;
    private final ServerSocketChannel listener;
    private final FutureTask<@Nullable Void> running;
    private final Thread thread;

    /** The actions of the peer after it has accepted the connection. */
    interface Script {
        void play(Side side) throws Exception;
    }

    private ScriptedPeer(Path path, Script script) throws IOException {
        this.path = path;
        this.listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        this.running = new FutureTask<>(() -> {
            try (SocketChannel channel = listener.accept()) {
                script.play(new Side(channel));
            }
            return null;
        });
        this.thread = new Thread(running, "scripted-peer");
    }

    static ScriptedPeer start(Path path, Script script) throws IOException {
        ScriptedPeer peer = new ScriptedPeer(path, script);
        peer.thread.start();
        return peer;
    }

    /** Returns a peer that first accepts the client. */
    static ScriptedPeer welcoming(Path path, Script script) throws IOException {
        return start(path, side -> {
            side.write(new byte[] {0});
            script.play(side);
        });
    }

    String uri() {
        return "local://" + path;
    }

    /** Waits until the script ends, and fails if the script failed. */
    void join() throws Exception {
        try {
            running.get();
        } catch (ExecutionException e) {
            throw new AssertionError("the peer's script failed", e.getCause());
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        thread.interrupt();
    }

    /** The peer's side of the connection. */
    static final class Side {
        private final SocketChannel channel;
        private final FrameDecoder decoder = new FrameDecoder(1 << 20);
        private final ByteBuffer in = ByteBuffer.allocate(4096).flip();

        private Side(SocketChannel channel) {
            this.channel = channel;
        }

        void write(byte[] bytes) throws IOException {
            for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
                channel.write(rest);
            }
        }

        /** Returns the next request, or null at the end of the connection. */
        @Nullable
        Request readOrEnd() throws IOException {
            Message message = decoder.feed(in);
            while (message == null) {
                in.clear();
                int count = channel.read(in);
                in.flip();
                if (count < 0) {
                    return null;
                }
                message = decoder.feed(in);
            }
            return (Request) message;
        }

        Request read() throws IOException {
            Request request = readOrEnd();
            if (request == null) {
                throw new AssertionError("the client closed the connection");
            }
            return request;
        }

        void send(Message message) throws IOException {
            write(Bytes.copyOf(decoder.encoder().encode(message)).toByteArray());
        }

        void answer(Request request, String json) throws IOException {
            send(Response.success(request, SERVER, Bytes.text(json)));
        }

        void stream(Request request, String json) throws IOException {
            send(Response.streamed(request, SERVER, Bytes.text(json)));
        }

        void fail(Request request, int errnum, @Nullable String sentence) throws IOException {
            send(Response.error(request, SERVER, errnum, sentence));
        }
    }
}
