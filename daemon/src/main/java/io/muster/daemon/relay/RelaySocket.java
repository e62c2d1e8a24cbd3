package io.muster.daemon.relay;

import io.muster.daemon.access.Accounts;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Excess;
import io.muster.daemon.account.Kind;
import io.muster.daemon.account.Limit;
import io.muster.daemon.net.SocketFile;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.tls.ClientFiles;
import io.muster.protocol.wire.Response;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A UNIX socket on this host whose users reach a daemon on another host. */
public final class RelaySocket implements Closeable {
    private static final Logger log = LoggerFactory.getLogger("relay");

    private static final int BACKLOG = 4096;
    private static final int LOOKUPS = 4;
    private static final int MOST_LOCALS = 16_384;
    /** The connections of one user, each of which may have one request, whatever the others have. */
    static final int MOST_OF_USER = 512;

    private static final int SWEEP_SECONDS = 10;

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;
    private final ExecutorService files;
    /** Each thread may wait for an answer of a name service that hangs. */
    private final ExecutorService names;

    private final Accounts accounts = new Accounts();
    private final AccountBook book = AccountBook.ofHeap();
    private final SocketFile file;
    private final Channel server;
    private final Upstream upstream;
    private final Map<String, Local> locals = new HashMap<>();
    private long lastRoute;

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
        upstream = new Upstream(this, servers, certificate, host, patience);
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
        book.onRefusal((limit, line) -> {
            if (line != null) {
                log.warn("{}", line);
            }
        });
        loop.execute(upstream::start);
        loop.scheduleWithFixedDelay(book::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
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
                        channel.pipeline().addLast(new Local(RelaySocket.this, channel, "u" + ++lastRoute));
                    }
                });
        return file.serve(
                bootstrap,
                BACKLOG,
                path -> Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-")));
    }

    /** Returns the event loop on which everything runs. */
    public EventLoop loop() {
        return loop;
    }

    Upstream upstream() {
        return upstream;
    }

    /** Runs work that may block, such as reading a file, and then, on the event loop, the action that the work returns. */
    void aside(Supplier<Runnable> work) {
        files.execute(() -> hand(work.get()));
    }

    /** Finds the name of a user beside the event loop. */
    void name(int uid, Consumer<String> then) {
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

    /** Adds a user's connection. Returns the account of the user; null if there is no room. */
    @Nullable
    Account enter(Local local, int uid) {
        if (locals.size() >= MOST_LOCALS) {
            return null;
        }
        try {
            String who = "uid=" + Integer.toUnsignedString(uid);
            Account account = book.begin(Kind.GUEST, who, Limit.CONNECTIONS, MOST_OF_USER, "connections");
            locals.put(local.route(), local);
            return account;
        } catch (Excess full) {
            return null;
        }
    }

    void leave(Local local, Account account) {
        if (locals.remove(local.route()) != null) {
            account.end(Limit.CONNECTIONS);
        }
    }

    /** Does something with each connection. A bug closes only the connection that it happens to. */
    void forEach(Consumer<Local> action) {
        List.copyOf(locals.values()).forEach(local -> guard(local, action));
    }

    private static void guard(Local local, Consumer<Local> action) {
        try {
            action.accept(local);
        } catch (RuntimeException bug) {
            local.broken(bug);
        }
    }

    /** Continues to read from the connections of a user. */
    void resume(Account user) {
        loop.execute(() -> forEach(local -> {
            if (local.isOf(user)) {
                local.resume();
            }
        }));
    }

    /** Passes a response to the connection whose route is the last one. */
    void deliver(Response response) {
        List<String> routes = response.routes();
        Local local = routes.isEmpty() ? null : locals.get(routes.get(routes.size() - 1));
        if (local != null) {
            guard(local, each -> each.receive(response));
        }
    }

    @Override
    public void close() {
        server.close().awaitUninterruptibly();
        loop.submit(() -> {
                    upstream.close();
                    forEach(Local::end);
                })
                .awaitUninterruptibly();
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
