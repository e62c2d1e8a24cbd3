package io.muster.daemon.http;

import io.muster.daemon.access.Identity;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Kind;
import io.muster.daemon.account.Limit;
import io.muster.daemon.config.ListenAddress;
import io.muster.daemon.net.SocketFile;
import io.muster.daemon.tls.Guest;
import io.muster.daemon.tls.HandshakeListener;
import io.muster.daemon.tls.Handshakes;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket on which the daemon speaks HTTP. Peers may be hostile: a connection serves one request, each step of it has a
 * deadline, and heads, bodies and the memory for all connections are limited. If there are too many connections, a new one
 * takes the place of a connection of the origin that has the most, so that a peer that holds connections open cannot keep a
 * probe out. The requests of users who have a right to them are never closed for that; each user may have a limited number. No other thread of the daemon waits
 * for this one.
 */
public final class HttpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("http");

    public static final Duration DEADLINE = Duration.ofSeconds(10);
    static final int LONGEST_LINE = 16 << 10;
    static final int LONGEST_HEADERS = 16 << 10;
    static final int LONGEST_BODY = 1 << 20;
    private static final int BACKLOG = 1024;

    /** One in this many connections is reserved for origins other than the one with the most connections. */
    private static final int OTHERS = 8;

    private static final int LOW_WATER = 1 << 15;
    private static final int HIGH_WATER = 1 << 16;
    static final HttpDecoderConfig LIMITS = new HttpDecoderConfig()
            .setMaxInitialLineLength(LONGEST_LINE)
            .setMaxHeaderSize(LONGEST_HEADERS)
            .setMaxChunkSize(8192)
            .setStrictLineParsing(true);

    private final Channel listener;
    private final @Nullable SocketFile file;

    private HttpServer(Channel listener, @Nullable SocketFile file) {
        this.listener = listener;
        this.file = file;
    }

    /**
     * How connections are served.
     *
     * @param most the highest number of connections
     * @param deadline how long a request may take to arrive, and how long a peer may read nothing
     */
    public record Terms(Site site, int most, Duration deadline, AccountBook accounts) {}

    /**
     * Opens a TCP socket.
     *
     * @param loop an event loop group with one thread
     * @throws IOException if the address cannot be bound; the message names the address
     */
    public static HttpServer start(EventLoopGroup loop, InetSocketAddress address, Terms terms) throws IOException {
        boolean loopback = address.getAddress().isLoopbackAddress();
        ServerBootstrap server = bootstrap(loop, new Connections(terms, loopback, channel -> null));
        return new HttpServer(bind(server, address, shown(address)), null);
    }

    /**
     * Opens a TCP socket for HTTP in TLS, whose peers may show a certificate.
     *
     * @throws IOException if the address cannot be bound; the message names the address
     */
    public static HttpServer start(Handshakes handshakes, ListenAddress address, Refusals refusals, Terms terms)
            throws IOException {
        HandshakeListener listener = new TlsConnections(new Connections(terms, false, channel -> null), refusals);
        ServerBootstrap server = bootstrap(handshakes.network(), handshakes.beginning(address, false, listener))
                .childOption(ChannelOption.TCP_NODELAY, true);
        return new HttpServer(bind(server, address.inet(), address.toString()), null);
    }

    private static Channel bind(ServerBootstrap server, InetSocketAddress address, String shown) throws IOException {
        var bind = server.channel(EpollServerSocketChannel.class).bind(address).awaitUninterruptibly();
        if (!bind.isSuccess()) {
            Throwable cause = bind.cause();
            throw new IOException("cannot listen on " + shown + ": " + cause.getMessage(), cause);
        }
        return bind.channel();
    }

    /**
     * Opens a UNIX socket, at which the kernel identifies the users.
     *
     * @param mode sets the mode of the socket's file before clients can connect
     * @throws IOException if the socket cannot be opened; the message says why
     */
    public static HttpServer start(EventLoopGroup loop, Path path, SocketFile.Mode mode, Terms terms)
            throws IOException {
        SocketFile file = SocketFile.claim(path, InstantSource.system().instant());
        boolean started = false;
        try {
            Channel listener =
                    file.serve(bootstrap(loop, new Connections(terms, false, HttpServer::kernel)), BACKLOG, mode);
            started = true;
            return new HttpServer(listener, file);
        } finally {
            if (!started) {
                file.close();
            }
        }
    }

    private static ServerBootstrap bootstrap(EventLoopGroup loop, ChannelHandler connections) {
        return new ServerBootstrap()
                .group(loop)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(LOW_WATER, HIGH_WATER))
                .childHandler(connections);
    }

    private static @Nullable Identity kernel(Channel channel) {
        try {
            PeerCredentials peer = ((EpollDomainSocketChannel) channel).peerCredentials();
            int[] gids = peer.gids();
            return Identity.ofKernel(peer.uid(), gids.length == 0 ? -1 : gids[0], peer.pid());
        } catch (IOException gone) {
            return null;
        }
    }

    public boolean isTcp() {
        return file == null;
    }

    /** Returns the address of a TCP socket, with the actual port if port 0 was configured. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** Returns why clients cannot connect by the name of a UNIX socket; "" if connecting works. May block. */
    public String fault() {
        return file == null ? "" : file.fault();
    }

    /** Sets the mode of a UNIX socket's file anew. May block. */
    public void mode(SocketFile.Mode mode) throws IOException {
        if (file != null) {
            file.set(mode);
        }
    }

    /** Stops accepting connections. Existing connections stay open until their request is served. */
    @Override
    public void close() {
        listener.close().awaitUninterruptibly();
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            LOG.warn("the name of a socket could not be removed: {}", e.getMessage());
        }
    }

    /** Returns the address in the form in which the configuration has it. */
    public static String shown(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** Receives the handshakes that fail. */
    public interface Refusals {
        /** @param reason one word, for the metrics */
        void refused(String address, String reason, String sentence);
    }

    /** Passes on connections whose handshake is complete. */
    private record TlsConnections(Connections connections, Refusals refusals) implements HandshakeListener {
        @Override
        public void arrived(Channel channel, Guest guest) {
            connections.add(channel, guest.identity());
            Handshakes.handOver(channel);
            channel.config().setAutoRead(true);
        }

        @Override
        public void refused(String address, String reason, String sentence) {
            refusals.refused(address, reason, sentence);
        }

        @Override
        public void revoked(Channel channel, String why) {
            LOG.info("connection of {} closed: {}", channel.remoteAddress(), why);
            channel.close();
        }
    }

    /** Accepts connections and limits their number. All methods run on the thread of the loop, so no lock is needed. */
    private static final class Connections extends ChannelInitializer<Channel> {
        private final Terms terms;
        private final boolean loopback;
        private final Function<Channel, @Nullable Identity> peers;
        /** The open connections, oldest first. */
        private final Map<Channel, HttpConnection> open = new LinkedHashMap<>();

        Connections(Terms terms, boolean loopback, Function<Channel, @Nullable Identity> peers) {
            this.terms = terms;
            this.loopback = loopback;
            this.peers = peers;
        }

        @Override
        protected void initChannel(Channel channel) {
            Identity peer = peers.apply(channel);
            add(channel, peer == null ? null : terms.site().accepted(peer));
        }

        /** Serves a connection of a peer; {@code peer} is null if only a token can identify the user. */
        void add(Channel channel, @Nullable Identity peer) {
            String source = channel.remoteAddress() instanceof InetSocketAddress || peer == null
                    ? HttpConnection.source(channel)
                    : peer.who();
            Account origin =
                    terms.accounts().begin(Kind.STRANGER, source, Limit.CONNECTIONS, Integer.MAX_VALUE, "connections");
            channel.closeFuture().addListener(closed -> origin.end(Limit.CONNECTIONS));
            if (!makeRoom(origin)) {
                var unused = terms.accounts()
                        .account(Kind.STRANGER, "a socket for HTTP")
                        .excess(
                                Limit.CONNECTIONS,
                                "connection of " + source + " closed: there are " + open.size() + " of "
                                        + terms.most() + " connections, and those that could give way to it serve"
                                        + " users who have a right to them",
                                1);
                channel.close();
                return;
            }
            HttpConnection connection = new HttpConnection(terms, loopback, peer, origin);
            open.put(channel, connection);
            channel.closeFuture().addListener(closed -> open.remove(channel));
            channel.pipeline().addLast(new RequestDecoder(LIMITS), new HttpResponseEncoder(), connection);
        }

        /**
         * Closes a connection if there are too many at this socket. If the origin already has its share, one of its own connections is
         * closed; otherwise one of the origin with the most connections, and of several such origins the one with the oldest.
         *
         * @return whether there is room for a connection of the origin
         */
        private boolean makeRoom(Account origin) {
            int share = terms.most() - terms.most() / OTHERS;
            if (open.size() < share) {
                return true;
            }
            Map<Account, Long> counts = open.values().stream()
                    .collect(Collectors.groupingBy(HttpConnection::origin, LinkedHashMap::new, Collectors.counting()));
            boolean hasItsShare = counts.getOrDefault(origin, 0L) >= share;
            if (open.size() < terms.most() && !hasItsShare) {
                return true;
            }
            Stream<Account> origins = hasItsShare
                    ? Stream.of(origin)
                    : counts.entrySet().stream()
                            .sorted(Map.Entry.<Account, Long>comparingByValue().reversed())
                            .map(Map.Entry::getKey);
            Optional<Channel> victim =
                    origins.flatMap(each -> victim(each).stream()).findFirst();
            victim.ifPresent(channel -> {
                open.remove(channel);
                channel.close().addListener(closed -> LOG.debug("connection closed to make room for a later one"));
            });
            return victim.isPresent();
        }

        /** Returns the oldest connection of an origin that is idle; if all are busy, the oldest that serves no user with a right. */
        private Optional<Channel> victim(Account origin) {
            List<Map.Entry<Channel, HttpConnection>> own = open.entrySet().stream()
                    .filter(entry -> entry.getValue().origin() == origin
                            && !entry.getValue().isEntitled())
                    .toList();
            return own.stream()
                    .filter(entry -> entry.getValue().isIdle())
                    .findFirst()
                    .or(() -> own.stream().findFirst())
                    .map(Map.Entry::getKey);
        }
    }
}
