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
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A peer that says what it likes, byte by byte, and reads only when it feels like it. */
public final class Peer implements AutoCloseable {
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

    /** Past the welcome. */
    public static Peer welcomed(Path socket) throws IOException {
        Peer peer = connect(socket);
        int errno = peer.welcome();
        if (errno != 0) {
            peer.close();
            throw new IOException("turned away with " + errno);
        }
        return peer;
    }

    /** The errno byte, or -1 where there was none. */
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

    /** Writes as much as the daemon's socket takes without being read. */
    public boolean fits(ByteBuffer bytes) throws IOException {
        channel.configureBlocking(false);
        try {
            channel.write(bytes);
            return !bytes.hasRemaining();
        } finally {
            channel.configureBlocking(true);
        }
    }

    /** The next response; null at the end of the connection, however it came. */
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

    /** Waits for the daemon to close the connection; what it says before is passed over. */
    public boolean isLetGo() {
        boolean more = fill();
        while (more) {
            more = fill();
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
