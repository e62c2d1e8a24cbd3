package io.muster.it.harness;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A peer that sends any bytes that a test gives it, and reads only when the test asks it to. */
public final class Peer implements AutoCloseable {
    private static final long SECOND = 1000;

    private final SocketChannel channel;
    private final FrameDecoder decoder = new FrameDecoder(1 << 30);
    private final ByteBuffer in = ByteBuffer.allocate(1 << 16).flip();

    private Peer(SocketChannel channel) {
        this.channel = channel;
    }

    public static Peer connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return new Peer(channel);
    }

    /** Connects and reads the handshake. */
    public static Peer welcomed(Path socket) throws IOException {
        Peer peer = connect(socket);
        int errno = peer.welcome();
        if (errno != 0) {
            peer.close();
            throw new IOException("turned away with " + errno);
        }
        return peer;
    }

    /** The errno byte of the handshake; -1 if there was none. */
    public int welcome() throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        return channel.read(one) == 1 ? one.get(0) & 0xff : -1;
    }

    public static ByteBuffer frame(Message message) {
        return FrameEncoder.of(Dialect.DEPLOYED).encode(message);
    }

    public static Request request(String topic, String json, int flags, int matchtag) {
        Bytes payload = json.isEmpty() ? null : Bytes.wrap((json + "\0").getBytes(StandardCharsets.UTF_8));
        return Request.of(topic, payload, flags, matchtag);
    }

    public static Request acquire(int matchtag) {
        return request("resource.acquire", "", Header.STREAMING, matchtag);
    }

    public Peer send(Message... messages) throws IOException {
        for (Message message : messages) {
            send(frame(message));
        }
        return this;
    }

    public void send(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /**
     * Writes without ever blocking in write(2): while the daemon's socket accepts no more bytes, waits for a limited time.
     *
     * @return whether the socket accepted all bytes
     */
    public boolean sendWithoutBlocking(ByteBuffer bytes) throws IOException {
        channel.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_WRITE);
            boolean taken = true;
            while (taken && bytes.hasRemaining()) {
                taken = selector.select(Output.PATIENCE.toMillis()) > 0;
                selector.selectedKeys().clear();
                channel.write(bytes);
            }
        } finally {
            channel.configureBlocking(true);
        }
        return !bytes.hasRemaining();
    }

    /** Writes as much as the daemon's socket accepts at once, and does not wait for the daemon to read. */
    public boolean fits(ByteBuffer bytes) throws IOException {
        channel.configureBlocking(false);
        try {
            channel.write(bytes);
            return !bytes.hasRemaining();
        } finally {
            channel.configureBlocking(true);
        }
    }

    /** The next response; null at the end of the connection, also if the connection was reset. */
    @Nullable
    public Response receive() throws IOException {
        while (true) {
            Message message = decoder.feed(in);
            if (message instanceof Response response) {
                return response;
            }
            if (message == null && !fill()) {
                return null;
            }
        }
    }

    private boolean fill() {
        in.clear();
        try {
            return channel.read(in) > 0;
        } catch (IOException reset) {
            return false;
        } finally {
            in.flip();
        }
    }

    /** Waits, with a limit, for the daemon to close the connection; responses before that are ignored. */
    public boolean isClosed() throws IOException {
        long deadline = System.nanoTime() + Output.PATIENCE.toNanos();
        channel.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_READ);
            boolean more = true;
            while (more && System.nanoTime() < deadline) {
                more = selector.select(SECOND) == 0 || fill();
                selector.selectedKeys().clear();
            }
            return !more;
        } finally {
            channel.configureBlocking(true);
        }
    }

    /** Shuts down the sending side; responses may still come. */
    public void endSending() throws IOException {
        channel.shutdownOutput();
    }

    /** Returns whether the daemon has closed the connection. The connection is reset if the daemon did not read all bytes. */
    public boolean isGone() throws IOException {
        channel.configureBlocking(false);
        try {
            boolean gone = false;
            int n = 1;
            while (n > 0) {
                n = channel.read(in.clear());
                gone = n < 0;
            }
            return gone;
        } catch (IOException reset) {
            return true;
        } finally {
            in.clear().flip();
            if (channel.isOpen()) {
                channel.configureBlocking(true);
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
