package io.muster.protocol.client;

import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client to a server that has accepted the client. Only {@link #await} waits; the transport itself never
 * blocks, because a blocking socket has no timeouts, and because client and server would wait for ever if each waited for the
 * other to read.
 */
final class ClientConnection implements Closeable {
    private static final int BUFFER = 64 * 1024;
    /** The size of the largest frame that the client accepts, larger than an inventory of a million ranks. */
    private static final int MAX_FRAME = 1 << 30;

    private final Transport transport;
    private final FrameDecoder decoder = new FrameDecoder(MAX_FRAME);
    private final ByteBuffer in = ByteBuffer.allocate(BUFFER).flip();
    private boolean usable = true;

    private ClientConnection(Transport transport) {
        this.transport = transport;
    }

    // ---- connecting

    /**
     * Connects to the first server that answers.
     *
     * @param uris {@code local:///PATH}, {@code ssh://[USER@]HOST[:PORT][/PATH]} or {@code tls://HOST[:PORT]}, or several of
     *     these with commas between them
     * @throws ConnectException if no server listens there
     * @throws RpcException if the server refused the connection
     */
    static ClientConnection open(String uris, Options options) throws IOException {
        Servers servers = Servers.parse(uris);
        Duration pause = options.backoff();
        for (int attempt = 1; ; attempt++) {
            try {
                return open(servers, options);
            } catch (IOException e) {
                if (attempt >= options.attempts() || !isWorthRepeating(e, servers)) {
                    throw e;
                }
            }
            sleep(pause);
            pause = pause.multipliedBy(2);
        }
    }

    /** Returns whether another attempt is useful: a server that does not listen may be starting; a silent server is not tried again. */
    private static boolean isWorthRepeating(IOException e, Servers servers) {
        return e instanceof ConnectException || (servers.areSeveral() && !servers.areAllSilent());
    }

    private static ClientConnection open(Servers servers, Options options) throws IOException {
        return servers.areSeveral()
                ? new Race(servers, options.timeout(), (server, deadline) -> open(server, options, deadline)).run()
                : open(servers.inOrder().get(0), options, Deadline.ofTimeout(options.timeout()));
    }

    private static ClientConnection open(String uri, Options options, Deadline deadline) throws IOException {
        Transport transport = Transport.open(uri, options.tls(), deadline);
        try {
            ClientConnection connection = new ClientConnection(transport);
            connection.readWelcome(deadline);
            return connection;
        } catch (IOException | RuntimeException e) {
            closeAfter(e, transport);
            throw e;
        }
    }

    private static void sleep(Duration pause) throws InterruptedIOException {
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted between two attempts to connect");
        }
    }

    /**
     * Reads the server's first byte (RFC 3 "Message Framing and Security"): zero, or an error number, after which the server
     * closes the connection.
     */
    private void readWelcome(Deadline deadline) throws IOException {
        while (!fill()) {
            if (!await(SelectionKey.OP_READ, deadline)) {
                throw new SocketTimeoutException(server() + " accepted the connection, but does not answer");
            }
        }
        int errnum = in.get() & 0xff;
        if (errnum != 0) {
            Errno errno = new Errno(errnum);
            throw new RpcException(errno, server() + " refused the connection: " + errno.text());
        }
    }

    private static void closeAfter(Exception cause, Closeable resource) {
        try {
            resource.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    // ---- connected

    String server() {
        return transport.server();
    }

    /** Returns whether the connection is open and no error has occurred on it. */
    boolean isUsable() {
        return usable && transport.isOpen();
    }

    /** Returns the next message, or null if there is none at the moment. */
    @Nullable
    Message poll() throws IOException {
        try {
            Message message = decoder.feed(in);
            while (message == null && fill()) {
                message = decoder.feed(in);
            }
            return message;
        } catch (ProtocolException e) {
            usable = false;
            throw new ProtocolException(server() + ": " + e.getMessage());
        }
    }

    /** Reads available bytes into the empty buffer; returns false if there are none. */
    private boolean fill() throws IOException {
        in.clear();
        int count;
        try {
            count = transport.read(in);
        } catch (IOException e) {
            throw broken(e);
        } finally {
            in.flip();
        }
        if (count < 0) {
            usable = false;
            throw new EOFException(
                    server() + " closed the connection" + (decoder.isInsideFrame() ? " inside a frame" : ""));
        }
        return count > 0;
    }

    /** Writes as many bytes as the socket accepts now. Returns true if nothing remains. */
    boolean write(ByteBuffer frame) throws IOException {
        try {
            return transport.write(frame);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private IOException broken(IOException cause) {
        usable = false;
        if (TlsServer.isAlert(cause)) {
            throw new RpcException(
                    Errno.EPERM,
                    server() + " refused the connection (" + TlsServer.reason(cause)
                            + "): the certificate of this side is not valid there, or no [[grant]] names it; the daemon's log"
                            + " says which");
        }
        String reason = transport.isOpen() ? cause.getMessage() : "this side has closed it";
        return new IOException("connection to " + server() + " is broken: " + reason, cause);
    }

    /**
     * Waits until one of these operations may succeed. Returns false if the deadline has passed. An interrupted thread
     * cannot wait, so this method then throws.
     */
    boolean await(int operations, Deadline deadline) throws IOException {
        if (deadline.hasPassed()) {
            return false;
        }
        transport.await(operations, deadline.selectMillis());
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while waiting for " + server());
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        transport.close();
    }
}
