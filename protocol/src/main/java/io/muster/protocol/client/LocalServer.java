package io.muster.protocol.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A server on this host, which listens on a UNIX socket. */
public final class LocalServer {
    private static final String SCHEME = "local://";

    private LocalServer() {}

    /**
     * Connects to the server; the channel does not block.
     *
     * @param uri {@code local:///PATH}
     * @throws ConnectException if no server listens there, with a sentence that says why
     * @throws IllegalArgumentException if the URI is of another form
     */
    public static SocketChannel connect(String uri) throws IOException {
        UnixDomainSocketAddress address = address(path(uri));
        try {
            return connect(address);
        } catch (IOException e) {
            throw explained(address.getPath(), e);
        }
    }

    static String path(String uri) {
        if (!uri.startsWith(SCHEME) || uri.length() == SCHEME.length()) {
            throw new IllegalArgumentException(
                    "socket address \"" + uri + "\": expected local:///PATH, ssh://HOST[/PATH] or tls://HOST[:PORT]");
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

    private static SocketChannel connect(UnixDomainSocketAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.configureBlocking(false);
            if (!channel.connect(address)) {
                throw new IOException("the server accepts no connections at the moment");
            }
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
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
}
