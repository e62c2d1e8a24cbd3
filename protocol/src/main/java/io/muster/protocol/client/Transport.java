package io.muster.protocol.client;

import io.muster.protocol.tls.ClientFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A way to exchange bytes with a server without blocking: a socket, which is one channel in both directions, or the standard
 * input and output of a process.
 */
final class Transport implements Closeable {
    private final String server;
    private final ReadableByteChannel source;
    private final WritableByteChannel sink;
    private final Closeable closer;
    private final Selector selector;
    private final SelectionKey reading;
    private final SelectionKey writing;

    /**
     * @param server the name of the server in messages
     * @param closer closes both channels and everything that they need
     */
    <R extends SelectableChannel & ReadableByteChannel, W extends SelectableChannel & WritableByteChannel> Transport(
            String server, R source, W sink, Closeable closer) throws IOException {
        this(server, source, sink, source, sink, closer);
    }

    /** Exchanges bytes in TLS. */
    Transport(String server, SocketChannel socket, TlsChannel channel) throws IOException {
        this(server, socket, socket, channel, channel, channel);
    }

    private Transport(
            String server,
            SelectableChannel readable,
            SelectableChannel writable,
            ReadableByteChannel source,
            WritableByteChannel sink,
            Closeable closer)
            throws IOException {
        this.server = server;
        this.source = source;
        this.sink = sink;
        this.closer = closer;
        this.selector = Selector.open();
        try {
            readable.configureBlocking(false);
            writable.configureBlocking(false);
            this.reading = readable.register(selector, SelectionKey.OP_READ);
            this.writing = readable.equals(writable) ? reading : writable.register(selector, 0);
        } catch (IOException | RuntimeException e) {
            selector.close();
            throw e;
        }
    }

    /**
     * Connects to a server, once.
     *
     * @param uri {@code local:///PATH}, {@code ssh://[USER@]HOST[:PORT][/PATH]} or {@code tls://HOST[:PORT]}
     * @throws IllegalArgumentException if the URI is none of these
     */
    static Transport open(String uri, @Nullable ClientFiles files, Deadline deadline) throws IOException {
        if (uri.startsWith(TlsServer.SCHEME)) {
            return TlsServer.parse(uri).connect(files, deadline);
        }
        if (uri.startsWith(SshServer.SCHEME)) {
            return SshServer.parse(uri).connect();
        }
        SocketChannel channel = LocalServer.connect(uri);
        return new Transport(LocalServer.path(uri), channel, channel, channel);
    }

    String server() {
        return server;
    }

    boolean isOpen() {
        return source.isOpen() && sink.isOpen();
    }

    /** Reads available bytes; returns 0 if there are none and -1 at the end. */
    int read(ByteBuffer into) throws IOException {
        return source.read(into);
    }

    /** Writes as many bytes as the server accepts now. Returns whether nothing remains. */
    boolean write(ByteBuffer from) throws IOException {
        sink.write(from);
        return !from.hasRemaining() && isFlushed();
    }

    private boolean isFlushed() {
        return !(sink instanceof TlsChannel tls) || tls.isFlushed();
    }

    /** Waits until one of these operations may succeed, or until the time is over. */
    void await(int operations, long millis) throws IOException {
        if (reading.equals(writing)) {
            reading.interestOps(isFlushed() ? operations : operations | SelectionKey.OP_WRITE);
        } else {
            reading.interestOps(operations & SelectionKey.OP_READ);
            writing.interestOps(operations & SelectionKey.OP_WRITE);
        }
        selector.select(millis);
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        try {
            closer.close();
        } finally {
            selector.close(); // releases the file descriptors
        }
    }
}
