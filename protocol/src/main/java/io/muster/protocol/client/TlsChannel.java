package io.muster.protocol.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * The client's side of a connection in TLS, over a socket that does not block. No call waits: each does as much as is possible at
 * once. One thread uses the channel.
 */
final class TlsChannel implements ByteChannel {
    private final SocketChannel socket;
    private final SSLEngine engine;
    /** Bytes from the server that are not decrypted yet; ready to be read. */
    private final ByteBuffer in;
    /** Bytes for the server that are encrypted and not sent yet; ready to be read. */
    private final ByteBuffer out;
    /** Decrypted bytes that the caller has not taken yet; ready to be read. */
    private final ByteBuffer plain;

    private boolean ended;

    TlsChannel(SocketChannel socket, SSLEngine engine) {
        this.socket = socket;
        this.engine = engine;
        this.in = ByteBuffer.allocate(engine.getSession().getPacketBufferSize()).flip();
        this.out =
                ByteBuffer.allocate(engine.getSession().getPacketBufferSize()).flip();
        this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize())
                .flip();
    }

    /**
     * Continues the handshake.
     *
     * @return the operation of the socket that the handshake waits for; 0 if the handshake is complete
     * @throws SSLException if one side does not accept the other
     */
    int handshake() throws IOException {
        if (engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING) {
            engine.beginHandshake();
        }
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> {
                    if (!encrypt(ByteBuffer.allocate(0))) {
                        return SelectionKey.OP_WRITE;
                    }
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (!flush()) {
                        return SelectionKey.OP_WRITE;
                    }
                    if (!decrypt()) {
                        if (ended) {
                            throw new IOException("closed the connection during the handshake");
                        }
                        return SelectionKey.OP_READ;
                    }
                }
                default -> {
                    return flush() ? 0 : SelectionKey.OP_WRITE;
                }
            }
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Encrypts as much as the buffer has room for, and sends it. Returns false if the socket does not accept all of it now. */
    private boolean encrypt(ByteBuffer from) throws IOException {
        if (!flush()) {
            return false;
        }
        out.clear();
        try {
            engine.wrap(from, out);
        } finally {
            out.flip();
        }
        return flush();
    }

    private boolean flush() throws IOException {
        while (out.hasRemaining()) {
            if (socket.write(out) == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Decrypts the next record, which may contain no data.
     *
     * @return false if the record has not arrived as a whole, or the server has ended the connection
     */
    private boolean decrypt() throws IOException {
        plain.clear();
        SSLEngineResult result;
        try {
            result = engine.unwrap(in, plain);
        } finally {
            plain.flip();
        }
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            ended = true;
            return false;
        }
        if (result.getStatus() != SSLEngineResult.Status.BUFFER_UNDERFLOW) {
            return true;
        }
        in.compact();
        int count;
        try {
            count = socket.read(in);
        } finally {
            in.flip();
        }
        ended = count < 0;
        return count > 0;
    }

    /** Returns whether the socket has taken everything that was written. */
    boolean isFlushed() {
        return !out.hasRemaining();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        flush();
        while (!plain.hasRemaining()) {
            if (!decrypt()) {
                return ended ? -1 : 0;
            }
            followUp();
        }
        int count = Math.min(into.remaining(), plain.remaining());
        into.put(plain.slice().limit(count));
        plain.position(plain.position() + count);
        return count;
    }

    /** Processes a message of the server that is not data, such as a change of keys. */
    private void followUp() throws IOException {
        if (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
            runTasks();
        }
        if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
            encrypt(ByteBuffer.allocate(0));
        }
    }

    /** Sends as many bytes as the socket accepts now. If the server has refused this side, throws the server's reason. */
    @Override
    public int write(ByteBuffer from) throws IOException {
        int before = from.remaining();
        try {
            while (flush() && from.hasRemaining()) {
                encrypt(from);
            }
        } catch (SSLException e) {
            throw e;
        } catch (IOException broken) {
            while (decrypt()) {
                followUp(); // throws if the server has sent an alert
            }
            throw broken;
        }
        return before - from.remaining();
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public void close() throws IOException {
        try (socket) {
            engine.closeOutbound();
            encrypt(ByteBuffer.allocate(0));
        } catch (SSLException e) {
            // The connection is broken, so no close_notify is sent.
        }
    }
}
