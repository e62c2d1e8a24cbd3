package io.muster.daemon.net;

import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.SourceFile;
import io.muster.daemon.service.Backend;
import io.muster.daemon.service.Session;
import io.muster.daemon.service.Tracer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A UNIX socket on which the daemon accepts connections from peers. */
public final class PeerSocket implements Configurable, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /**
     * The number of connections that may wait to be accepted: a thousand schedulers that connect again at once, and more.
     * The kernel may allow fewer.
     */
    private static final int BACKLOG = 4096;

    /** The number of bytes that are read from one peer before other peers have their turn. */
    private static final int MOST_READ = 1 << 14;

    private static final long GRACE_MILLIS = 2000;

    private final Place place;
    private final SocketFile file;
    private final Gate gate;
    private final Backend backend;
    private final Tracer trace;
    private final ChannelGroup peers = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE);
    private final Channel server;
    /** Whether the daemon stops. Used on the core thread. */
    private boolean stopping;

    private PeerSocket(Place place, SocketFile file, Gate gate, Backend backend, EventLoopGroup loop, Tracer trace)
            throws IOException {
        this.place = place;
        this.file = file;
        this.gate = gate;
        this.backend = backend;
        this.trace = trace;
        this.server = bind(loop);
    }

    /**
     * The name and path of a socket.
     *
     * @param name name for people and metrics: main or admin
     * @param changes whether requests that change the inventory are accepted on this socket
     */
    public record Place(String name, Path path, boolean changes) {}

    /**
     * Opens the socket and begins to accept connections.
     *
     * @param loop the event loop of the core thread, and no other
     * @throws IOException if the socket cannot be opened; the message says why
     */
    public static PeerSocket bind(Place place, Gate gate, Backend backend, EventLoopGroup loop, Tracer trace)
            throws IOException {
        Path directory = place.path.getParent();
        if (directory != null) {
            gate.makeDirectory(directory);
        }
        SocketFile file = SocketFile.claim(place.path, InstantSource.system().instant());
        boolean bound = false;
        try {
            PeerSocket socket = new PeerSocket(place, file, gate, backend, loop, trace);
            bound = true;
            return socket;
        } finally {
            if (!bound) {
                file.close();
            }
        }
    }

    private Channel bind(EventLoopGroup loop) throws IOException {
        ChannelHandler onAccept = new ChannelInitializer<EpollDomainSocketChannel>() {
            @Override
            protected void initChannel(EpollDomainSocketChannel channel) {
                channel.pipeline().addLast(new Doorstep(PeerSocket.this));
            }
        };
        Socket socket = listening();
        var registered = new ServerBootstrap()
                .group(loop)
                .channelFactory(() -> new EpollServerDomainSocketChannel(socket.intValue(), true))
                .handler(new Acceptor(place.name))
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(64, 2048, MOST_READ).maxMessagesPerRead(1))
                .childHandler(onAccept)
                .register()
                .awaitUninterruptibly();
        Throwable cause = registered.cause();
        if (cause != null) {
            throw new IOException("cannot listen on " + place.path + ": " + cause.getMessage(), cause);
        }
        return registered.channel();
    }

    /**
     * Binds the socket without Netty, because Netty, when it closes a socket that it has bound, deletes whatever has the
     * socket's name by then.
     */
    private Socket listening() throws IOException {
        Socket socket = LinuxSocket.newSocketDomain();
        boolean listening = false;
        try {
            socket.bind(new DomainSocketAddress(place.path.toFile()));
            file.bound();
            gate.mode(place.path);
            socket.listen(BACKLOG);
            listening = true;
            return socket;
        } catch (IOException e) {
            throw new IOException("cannot listen on " + place.path + ": " + e.getMessage(), e);
        } finally {
            if (!listening) {
                socket.close();
            }
        }
    }

    /**
     * Returns why nobody can connect by the socket's name; "" if connecting works. May block, so it must not be called on
     * the core thread.
     */
    public String fault() {
        return file.fault();
    }

    Gate gate() {
        return gate;
    }

    public String name() {
        return place.name;
    }

    public int connections() {
        return peers.size();
    }

    void enter(Channel channel) {
        peers.add(channel);
        gate.enter(channel);
    }

    /** Sets the mode of the socket's file by the admission in force. Must not be called on the core thread. */
    @Override
    public void configure(Config next) throws IOException {
        if (file.isLinked()) {
            gate.mode(place.path);
        }
    }

    void refused(String reason) {
        backend.queries().meters().refused(reason);
    }

    Link connection(Channel channel, Rights rights) {
        backend.queries().meters().connected(place.name);
        Session.Peer peer = new Session.Peer(rights, place.changes);
        Identity identity = rights.identity();
        return new Link(
                channel,
                rights.principal() + ":" + identity.pid(),
                new Link.Terms(
                        gate.maxFrame(rights),
                        gate.memory(rights.areAGuests()),
                        () -> gate.admissions().budget().take(identity),
                        () -> stopping),
                trace,
                outbox -> new Session(backend, gate.admissions(), peer, outbox));
    }

    /** Closes connections that make no progress. Must be called every few seconds, on the core thread. */
    public void sweep(long nanos) {
        peers.forEach(channel -> {
            Link connection = channel.pipeline().get(Link.class);
            if (connection != null) {
                connection.sweep(nanos);
            }
        });
    }

    /** Stops accepting connections. Existing connections stay open. */
    public void stopAccepting() {
        server.close().awaitUninterruptibly();
    }

    /** Stops serving requests. Responses are still sent. Must be called on the core thread. */
    public void stopServing() {
        stopping = true;
        peers.forEach(channel -> {
            Link connection = channel.pipeline().get(Link.class);
            if (connection != null) {
                connection.stopServing();
            }
        });
    }

    private static void finish(Channel channel) {
        Link connection = channel.pipeline().get(Link.class);
        if (connection == null) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        } else {
            connection.finish();
        }
    }

    /**
     * Closes the socket and all connections. A connection stays open for at most {@link #GRACE_MILLIS}, until its peer has
     * read the last response.
     */
    @Override
    public void close() {
        stopAccepting();
        peers.forEach(channel -> channel.eventLoop().execute(() -> finish(channel)));
        if (!peers.newCloseFuture().awaitUninterruptibly(GRACE_MILLIS)) {
            peers.close().awaitUninterruptibly();
        }
        try {
            file.close();
        } catch (IOException e) { // the next start removes the file
            log.warn("the socket file could not be removed: {}", SourceFile.sentence(e));
        }
    }
}
