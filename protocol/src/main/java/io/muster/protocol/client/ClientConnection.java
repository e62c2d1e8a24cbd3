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
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client to a server: a UNIX stream socket on which the server has accepted the client. Only {@link
 * #await} waits; the socket itself never blocks, because a blocking socket has no timeouts, and because client and server
 * would wait for ever if each waited for the other to read.
 */
final class ClientConnection implements Closeable {
    private static final String SCHEME = "local://";
    private static final int BUFFER = 64 * 1024;
    /** The size of the largest frame that the client accepts, larger than an inventory of a million ranks. */
    private static final int MAX_FRAME = 1 << 30;

    private final String path;
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final FrameDecoder decoder = new FrameDecoder(MAX_FRAME);
    private final ByteBuffer in = ByteBuffer.allocate(BUFFER).flip();
    private boolean usable = true;

    private ClientConnection(String path, SocketChannel channel, Selector selector) throws IOException {
        this.path = path;
        this.channel = channel;
        this.selector = selector;
        this.key = channel.register(selector, SelectionKey.OP_READ);
    }

    // ---- connecting

    /**
     * Connects to a server.
     *
     * @param uri {@code local:///path/of/the/socket}
     * @throws ConnectException if no server listens there
     * @throws RpcException if the server refused the connection
     */
    static ClientConnection open(String uri, Options options) throws IOException {
        String path = path(uri);
        UnixDomainSocketAddress address = address(path);
        SocketChannel channel = connect(address, options);
        ClientConnection connection = null;
        try {
            connection = new ClientConnection(path, channel, Selector.open());
            connection.readWelcome(Deadline.ofTimeout(options.timeout()));
            return connection;
        } catch (IOException | RuntimeException e) {
            closeAfter(e, connection == null ? channel : connection);
            throw e;
        }
    }

    private static String path(String uri) {
        if (!uri.startsWith(SCHEME) || uri.length() == SCHEME.length()) {
            throw new IllegalArgumentException("socket address \"" + uri + "\": expected local:///PATH");
        }
        return uri.substring(SCHEME.length());
    }

    private static UnixDomainSocketAddress address(String path) {
        try {
            return UnixDomainSocketAddress.of(path);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("socket path \"" + path + "\": " + e.getMessage(), e);
        }
    }

    private static SocketChannel connect(UnixDomainSocketAddress address, Options options) throws IOException {
        Duration pause = options.backoff();
        for (int attempt = 1; ; attempt++) {
            try {
                return connect(address);
            } catch (IOException e) {
                if (attempt >= options.attempts()) {
                    throw explained(address.getPath(), e);
                }
            }
            sleep(pause);
            pause = pause.multipliedBy(2);
        }
    }

    private static SocketChannel connect(UnixDomainSocketAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.configureBlocking(false);
            if (!channel.connect(address)) {
                throw new IOException("the server accepts no connections at the moment");
            }
            return channel;
        } catch (IOException | RuntimeException e) {
            closeAfter(e, channel);
            throw e;
        }
    }

    private static ConnectException explained(Path path, IOException cause) {
        String sentence;
        if (Files.notExists(path)) {
            sentence = "nothing listens on " + path + ": is muster running? There is no such socket";
        } else if (cause instanceof ConnectException) {
            sentence = "nothing listens on " + path + ": is muster running? " + cause.getMessage();
        } else {
            sentence = "cannot connect to " + path + ": " + cause.getMessage();
        }
        ConnectException explained = new ConnectException(sentence);
        explained.initCause(cause);
        return explained;
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
                throw new SocketTimeoutException(path + " accepted the connection, but does not answer");
            }
        }
        int errnum = in.get() & 0xff;
        if (errnum != 0) {
            Errno errno = new Errno(errnum);
            throw new RpcException(errno, path + " refused the connection: " + errno.text());
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

    String path() {
        return path;
    }

    /** Returns whether the connection is open and no error has occurred on it. */
    boolean isUsable() {
        return usable && channel.isOpen();
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
            throw e;
        }
    }

    /** Reads available bytes into the empty buffer; returns false if there are none. */
    private boolean fill() throws IOException {
        in.clear();
        int count;
        try {
            count = channel.read(in);
        } catch (IOException e) {
            throw broken(e);
        } finally {
            in.flip();
        }
        if (count < 0) {
            usable = false;
            throw new EOFException(
                    path + " closed the connection" + (decoder.isInsideFrame() ? " inside a frame" : ""));
        }
        return count > 0;
    }

    /** Writes what the socket takes now. Returns true if nothing remains. */
    boolean write(ByteBuffer frame) throws IOException {
        try {
            channel.write(frame);
        } catch (IOException e) {
            throw broken(e);
        }
        return !frame.hasRemaining();
    }

    private IOException broken(IOException cause) {
        usable = false;
        String reason = channel.isOpen() ? cause.getMessage() : "this side has closed it";
        return new IOException("connection to " + path + " is broken: " + reason, cause);
    }

    /**
     * Waits until one of these operations may succeed. Returns false if the deadline has passed. An interrupted thread
     * cannot wait, so this method then throws.
     */
    boolean await(int operations, Deadline deadline) throws IOException {
        if (deadline.hasPassed()) {
            return false;
        }
        key.interestOps(operations);
        selector.select(deadline.selectMillis());
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while waiting for " + path);
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            selector.close(); // releases the file descriptor
        }
    }
}
