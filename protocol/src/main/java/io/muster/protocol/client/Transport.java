package io.muster.protocol.client;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;

/**
 * A way to exchange bytes with a server without blocking: a UNIX socket, which is one channel in both directions, or the
 * standard input and output of a process.
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
     * @param server what messages call the server
     * @param closer closes both channels and everything that they need
     */
    <R extends SelectableChannel & ReadableByteChannel, W extends SelectableChannel & WritableByteChannel> Transport(
            String server, R source, W sink, Closeable closer) throws IOException {
        this.server = server;
        this.source = source;
        this.sink = sink;
        this.closer = closer;
        this.selector = Selector.open();
        try {
            source.configureBlocking(false);
            sink.configureBlocking(false);
            this.reading = source.register(selector, SelectionKey.OP_READ);
            this.writing = source.equals(sink) ? reading : sink.register(selector, 0);
        } catch (IOException | RuntimeException e) {
            selector.close();
            throw e;
        }
    }

    /**
     * Connects to a server, once.
     *
     * @param uri {@code local:///PATH} or {@code ssh://[USER@]HOST[:PORT][/PATH]}
     * @throws IllegalArgumentException if the URI is neither
     */
    static Transport open(String uri) throws IOException {
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

    /** Writes the bytes that the server takes now. */
    void write(ByteBuffer from) throws IOException {
        sink.write(from);
    }

    /** Waits until one of these operations may succeed, or until the time is over. */
    void await(int operations, long millis) throws IOException {
        if (reading.equals(writing)) {
            reading.interestOps(operations);
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
