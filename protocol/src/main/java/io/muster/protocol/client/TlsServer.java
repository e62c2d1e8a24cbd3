package io.muster.protocol.client;

import io.muster.protocol.tls.ClientFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A server that listens for TLS, at {@code tls://HOST:PORT}. */
public record TlsServer(String host, int port) {
    static final String SCHEME = "tls://";
    static final int USUAL_PORT = 8650;

    private static final Pattern FORM =
            Pattern.compile("tls://(?<host>[A-Za-z0-9_.-]{1,255}|\\[[0-9a-fA-F:.]{2,45}])(:(?<port>[0-9]{1,5}))?/?");

    /** @throws IllegalArgumentException if the URI has another form */
    public static TlsServer parse(String uri) {
        Matcher parts = FORM.matcher(uri);
        int port = USUAL_PORT;
        if (parts.matches() && parts.group("port") != null) {
            port = Integer.parseInt(parts.group("port"));
        }
        if (!parts.matches() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("address \"" + uri + "\": expected tls://HOST[:PORT]");
        }
        return new TlsServer(parts.group("host").replaceAll("[\\[\\]]", ""), port);
    }

    /** Returns the URI. */
    public String name() {
        return SCHEME + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /**
     * Connects to the server and performs the handshake.
     *
     * @throws SocketTimeoutException if the server did not answer in time
     * @throws ConnectException if no connection is possible for another reason, with a sentence
     */
    Transport connect(@Nullable ClientFiles files, Deadline deadline) throws IOException {
        if (files == null) {
            throw new IllegalArgumentException(
                    name() + " needs a certificate: name certificate, key and ca in ~/.config/muster/client.toml");
        }
        ConnectException last = explained("cannot connect to " + name() + ": no host has this name", null);
        for (InetAddress address : addresses()) {
            try {
                return connect(new InetSocketAddress(address, port), files, deadline);
            } catch (ConnectException e) {
                last = e;
            }
        }
        throw last;
    }

    private List<InetAddress> addresses() {
        try {
            return List.of(InetAddress.getAllByName(host));
        } catch (UnknownHostException e) {
            return List.of();
        }
    }

    private Transport connect(InetSocketAddress address, ClientFiles files, Deadline deadline) throws IOException {
        SocketChannel socket = SocketChannel.open();
        boolean connected = false;
        try {
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            TlsChannel channel = new TlsChannel(socket, files.engine(host, port));
            shake(channel, socket, address, deadline);
            connected = true;
            return new Transport(name(), socket, channel);
        } catch (SSLException e) {
            throw explained(sentence(e), e);
        } catch (ConnectException | FileSystemException | InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw explained("cannot connect to " + name() + ": " + reason(e), e);
        } finally {
            if (!connected) {
                socket.close();
            }
        }
    }

    private void shake(TlsChannel channel, SocketChannel socket, InetSocketAddress address, Deadline deadline)
            throws IOException {
        try (Selector selector = Selector.open()) {
            socket.configureBlocking(false);
            SelectionKey key = socket.register(selector, SelectionKey.OP_CONNECT);
            boolean open = connect(socket, address);
            int next = open ? channel.handshake() : SelectionKey.OP_CONNECT;
            while (next != 0) {
                if (deadline.hasPassed()) {
                    throw new SocketTimeoutException(name()
                            + (open
                                    ? " accepted the connection, but does not answer in TLS"
                                    : " does not answer: no connection in time"));
                }
                key.interestOps(next);
                selector.select(deadline.selectMillis());
                selector.selectedKeys().clear();
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("interrupted while connecting to " + name());
                }
                open = open || finish(socket);
                next = open ? channel.handshake() : SelectionKey.OP_CONNECT;
            }
        }
    }

    private boolean connect(SocketChannel socket, InetSocketAddress address) throws IOException {
        try {
            return socket.connect(address);
        } catch (IOException e) {
            throw explained("cannot connect to " + name() + ": " + reason(e), e);
        }
    }

    private boolean finish(SocketChannel socket) throws IOException {
        try {
            return socket.finishConnect();
        } catch (IOException e) {
            throw explained("nothing listens on " + name() + ": " + reason(e), e);
        }
    }

    private String sentence(SSLException e) {
        String reason = reason(e);
        if (isAlert(e)) {
            return name() + " refused the handshake: " + reason;
        }
        return reason.contains("plaintext connection")
                ? name() + " does not speak TLS"
                : name() + " is not trusted: " + reason;
    }

    /** Returns whether the exception reports a fatal alert from the server. */
    static boolean isAlert(IOException e) {
        return e instanceof SSLException && reason(e).contains("fatal alert");
    }

    /** Returns the message of the innermost cause, which is the most specific one. */
    public static String reason(Throwable e) {
        Throwable inner = e;
        while (inner.getCause() != null) {
            inner = inner.getCause();
        }
        return String.valueOf(inner.getMessage());
    }

    private static ConnectException explained(String sentence, @Nullable IOException cause) {
        ConnectException explained = new ConnectException(sentence);
        if (cause != null) {
            explained.initCause(cause);
        }
        return explained;
    }
}
