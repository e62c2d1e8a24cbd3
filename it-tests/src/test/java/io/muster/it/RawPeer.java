package io.muster.it;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A peer that says on the wire what a well-behaved client would not. */
final class RawPeer implements Closeable {
    private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    private final FrameDecoder decoder = new FrameDecoder(1 << 26);
    private ByteBuffer unread = ByteBuffer.allocate(0);

    RawPeer(Path socket) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(socket));
    }

    /** The handshake's byte; -1 at the end of the connection. */
    int welcome() throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        return channel.read(one) < 0 ? -1 : one.get(0);
    }

    void send(byte[] bytes) throws IOException {
        channel.write(ByteBuffer.wrap(bytes));
    }

    void send(Request request) throws IOException {
        ByteBuffer frame = FrameEncoder.of(Dialect.DEPLOYED).encode(request);
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }

    void send(String topic, @Nullable String json, int flags, int matchtag, Credentials as) throws IOException {
        send(Request.of(topic, json == null ? null : Bytes.text(json), flags, matchtag)
                .with(as));
    }

    /** The next response; null at the end of the connection. */
    @Nullable
    Response receive() throws IOException {
        while (true) {
            Message message = decoder.feed(unread);
            if (message != null) {
                return (Response) message;
            }
            unread = ByteBuffer.allocate(1 << 16);
            if (channel.read(unread) < 0) {
                return null;
            }
            unread.flip();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
