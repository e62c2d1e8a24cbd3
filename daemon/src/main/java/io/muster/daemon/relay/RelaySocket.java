package io.muster.daemon.relay;

import io.muster.daemon.access.Accounts;
import io.muster.daemon.config.SourceFile;
import io.muster.daemon.net.SocketFile;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.tls.ClientFiles;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A UNIX socket on this host whose users reach a daemon on another host. */
public final class RelaySocket implements RelayHost, Closeable {
    private static final Logger log = LoggerFactory.getLogger("relay");

    private static final int BACKLOG = 4096;
    private static final int LOOKUPS = 4;
    private static final int CONNECT_MILLIS = 3000;

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;
    private final ExecutorService files;
    /** Each thread may wait for an answer of a name service that hangs. */
    private final ExecutorService names;

    private final Accounts accounts = new Accounts();
    private final ClientFiles certificate;
    private final SocketFile file;
    private final Channel server;
    private final RelayLoop relay;

    /**
     * Listens, and begins to connect to the daemon.
     *
     * @param host name of this host, for the names of acquisitions
     * @throws IOException if the socket cannot be opened; the message says why
     */
    public RelaySocket(Path socket, List<TlsServer> servers, ClientFiles certificate, String host) throws IOException {
        this(socket, servers, certificate, host, PATIENCE);
    }

    /** @param patience how long a request waits for the daemon */
    public RelaySocket(Path socket, List<TlsServer> servers, ClientFiles certificate, String host, Duration patience)
            throws IOException {
        group = new MultiThreadIoEventLoopGroup(1, named("relay"), EpollIoHandler.newFactory());
        loop = group.next();
        files = Executors.newSingleThreadExecutor(named("files"));
        names = Executors.newFixedThreadPool(LOOKUPS, named("names"));
        this.certificate = certificate;
        relay = new RelayLoop(this, servers, host, patience);
        file = SocketFile.claim(socket, InstantSource.system().instant());
        boolean bound = false;
        try {
            server = bind();
            bound = true;
        } finally {
            if (!bound) {
                file.close();
                group.shutdownGracefully();
                files.shutdownNow();
                names.shutdownNow();
            }
        }
        loop.execute(relay::start);
    }

    private static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    private Channel bind() throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .childHandler(new ChannelInitializer<EpollDomainSocketChannel>() {
                    @Override
                    protected void initChannel(EpollDomainSocketChannel channel) {
                        relay.serve(channel, () -> channel.peerCredentials().uid());
                    }
                });
        return file.serve(
                bootstrap,
                BACKLOG,
                path -> Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-")));
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    /** Runs work that may block, such as reading a file, and then, on the event loop, the action that the work returns. */
    void aside(Supplier<Runnable> work) {
        files.execute(() -> hand(work.get()));
    }

    @Override
    public void name(int uid, Consumer<String> then) {
        names.execute(() -> {
            String name = accounts.name(uid);
            hand(() -> then.accept(name));
        });
    }

    /** Runs an action on the event loop, unless the relay has stopped meanwhile. */
    private void hand(Runnable action) {
        try {
            loop.execute(action);
        } catch (RejectedExecutionException stopped) {
            log.debug("work has ended after the relay: {}", stopped.getMessage());
        }
    }

    @Override
    public void connect(TlsServer to, int attempt, ChannelHandler handler, Consumer<String> failed) {
        aside(() -> {
            try {
                SSLEngine engine = certificate.engine(to.host(), to.port());
                InetAddress[] addresses = InetAddress.getAllByName(to.host());
                InetAddress address = addresses[Math.floorMod(attempt, addresses.length)];
                return () -> connect(new InetSocketAddress(address, to.port()), engine, handler, failed);
            } catch (UnknownHostException e) {
                return () -> failed.accept("no host has this name");
            } catch (IOException e) {
                return () -> failed.accept(SourceFile.sentence(e));
            }
        });
    }

    private void connect(InetSocketAddress address, SSLEngine engine, ChannelHandler handler, Consumer<String> failed) {
        SslHandler tls = new SslHandler(engine);
        tls.setHandshakeTimeoutMillis(CONNECT_MILLIS);
        new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .handler(new ChannelInitializer<EpollSocketChannel>() {
                    @Override
                    protected void initChannel(EpollSocketChannel channel) {
                        channel.pipeline().addLast(tls, handler);
                    }
                })
                .connect(address)
                .addListener(connected -> {
                    if (!connected.isSuccess()) {
                        failed.accept(connectFault(connected.cause()));
                    }
                });
    }

    /** Returns the reason without Netty's name of the system call. */
    private static String connectFault(Throwable cause) {
        return String.valueOf(cause.getMessage()).replaceFirst("^.* failed with error\\(-?\\d+\\): ", "");
    }

    @Override
    public void close() {
        server.close().awaitUninterruptibly();
        loop.submit(relay::close).awaitUninterruptibly();
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        files.shutdownNow();
        names.shutdownNow();
        try {
            file.close();
        } catch (IOException e) {
            log.warn("the socket file could not be removed: {}", e.getMessage());
        }
    }
}
