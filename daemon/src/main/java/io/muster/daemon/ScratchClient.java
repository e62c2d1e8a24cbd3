package io.muster.daemon;

import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A client of the scratch daemon that only counts the answers. */
final class ScratchClient implements Closeable {
    /** Rounds for each question about the past, which takes as long as all events before it. */
    private static final int HISTORY_EVERY = 16;

    private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    private final FrameEncoder encoder = FrameEncoder.of(Dialect.DEPLOYED);
    private final FrameDecoder decoder = new FrameDecoder(1 << 20);
    private final ByteBuffer in = ByteBuffer.allocateDirect(1 << 16);
    private int sent;
    private int answered;

    ScratchClient(Path socket) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(socket));
        channel.read(ByteBuffer.allocate(1)); // the handshake
    }

    void send(String topic, @Nullable String json, int flags) throws IOException {
        sent++;
        ByteBuffer frame = encoder.encode(Request.of(topic, json == null ? null : Bytes.text(json), flags, sent));
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }

    /** Sends one change at a time in early rounds, as most changes come, and many at once in later rounds, so that more fit into the time. */
    void change(int round) throws IOException {
        int changes = Math.min(1 + round / 16, 32);
        for (int i = 0; i < changes; i++) {
            int rank = (round + i) % 64;
            send("resource.drain", "{\"targets\":\"" + rank + "\",\"reason\":\"warm-up " + i + "\"}", 0);
            if (i % 2 == round % 2) {
                send("resource.undrain", "{\"targets\":\"" + rank + "\"}", 0);
            }
        }
        awaitAnswers();
        send("resource.undrain", "{\"targets\":\"0-63\",\"mode\":\"update\"}", 0);
        send("resource.status", null, 0);
        if (round % HISTORY_EVERY == 0) {
            send("resource.history", "{\"targets\":\"warm0\"}", 0);
        }
        awaitAnswers();
    }

    /** The number of requests that were answered so far. */
    int answered() {
        return answered;
    }

    private void awaitAnswers() throws IOException {
        while (answered < sent) {
            if (read() < 0) {
                throw new EOFException("the scratch daemon has closed the connection");
            }
        }
    }

    /** Reads the responses that have arrived, without waiting for more. */
    void skip() throws IOException {
        channel.configureBlocking(false);
        int count;
        do {
            count = read();
        } while (count > 0);
    }

    private int read() throws IOException {
        int count = channel.read(in.clear());
        in.flip();
        while (in.hasRemaining()) {
            if (decoder.feed(in) instanceof Response response) {
                answered += response.isLast() ? 1 : 0;
                if (response.errnum() != 0 && response.errnum() != Errno.ENODATA.value()) {
                    throw new IOException("the scratch daemon refuses a request: " + response.payload());
                }
            }
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
