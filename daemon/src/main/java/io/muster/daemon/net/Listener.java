package io.muster.daemon.net;

import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.Kind;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.service.Backend;
import io.muster.daemon.service.Caller;
import io.muster.daemon.service.Session;
import io.muster.daemon.service.Tracer;
import io.muster.daemon.tls.Handshakes;
import io.muster.protocol.rpc.Errno;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A socket on which the daemon accepts connections from peers that speak Flux's wire protocol. */
public abstract class Listener implements Configurable, Door {
    private static final Logger log = LoggerFactory.getLogger("peer");

    /**
     * The number of connections that may wait to be accepted: a thousand schedulers that connect again at once, and more.
     * The kernel may allow fewer.
     */
    static final int BACKLOG = 4096;

    /** The number of bytes that are read from one peer before other peers have their turn. */
    static final int MOST_READ = 1 << 14;

    private static final long GRACE_MILLIS = 2000;

    private static final AttributeKey<Link> LINK = AttributeKey.valueOf(Listener.class, "link");
    private static final AttributeKey<Account> ACCOUNT = AttributeKey.valueOf(Listener.class, "account");

    private final String name;
    private final boolean changes;
    private final Terms terms;
    private final ChannelGroup peers = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE);
    /** Whether the daemon stops. Used on the core thread. */
    private boolean stopping;

    /**
     * The objects that all listeners share.
     *
     * @param core the thread on which requests are served
     */
    public record Terms(Gate gate, Backend backend, Tracer trace, EventExecutor core) {}

    /**
     * @param name name for people and metrics
     * @param changes whether requests that change the inventory are accepted here
     */
    Listener(String name, boolean changes, Terms terms) {
        this.name = name;
        this.changes = changes;
        this.terms = terms;
    }

    public final String name() {
        return name;
    }

    public final int connections() {
        return peers.size();
    }

    /**
     * Returns why clients cannot connect here; "" if connecting works. May block, so it must not be called on the core
     * thread.
     */
    public abstract String fault();

    abstract Channel server();

    final Gate gate() {
        return terms.gate;
    }

    final EventExecutor core() {
        return terms.core;
    }

    /**
     * Decides whether a peer is admitted. If not, the peer is sent an error number and the connection is closed: Flux's
     * handshake is one byte from the server, 0 or an error number. Must be called on the core thread.
     *
     * @param process the peer's process or address, for the log
     */
    final void admit(Channel channel, Identity identity, String process, Consumer<Rights> welcome) {
        if (gate().isFull(identity)) {
            refuse(channel, Errno.EAGAIN, "full");
            return;
        }
        peers.add(channel);
        gate().enter(channel, this::onCore);
        gate().rights(identity, rights -> decide(channel, identity, process, rights, welcome));
    }

    private void decide(
            Channel channel, Identity identity, String process, @Nullable Rights rights, Consumer<Rights> welcome) {
        if (rights == null) {
            if (gate().accounts().account(Kind.GUEST, identity.who()).mayLog()) {
                log.info("refused {} {}: guests are not allowed", identity.who(), process);
            }
            refuse(channel, Errno.EPERM, "denied");
        } else if (Handshakes.canSend(channel)) {
            Account account = gate().seat(channel, rights, this::onCore);
            channel.attr(ACCOUNT).set(account);
            if (account == null) {
                refuse(channel, Errno.EAGAIN, "full");
            } else {
                welcome.accept(rights);
            }
        }
    }

    private void onCore(Runnable task) {
        if (core().inEventLoop()) {
            task.run();
        } else {
            core().execute(task);
        }
    }

    private void refuse(Channel channel, Errno errno, String reason) {
        refused(reason);
        channel.writeAndFlush(oneByte(channel, errno.value())).addListener(ChannelFutureListener.CLOSE);
    }

    /** Counts a connection that is refused. Must be called on the core thread. */
    final void refused(String reason) {
        terms.backend.answers().queries().meters().refused(reason);
    }

    static ByteBuf oneByte(Channel channel, int value) {
        return channel.alloc().buffer(1).writeByte(value);
    }

    /** @param process the peer's process or address, for the log */
    final Link connection(Channel channel, String process, Rights rights) {
        terms.backend.answers().queries().meters().connected(name);
        Account account = channel.attr(ACCOUNT).get();
        Caller peer = new Caller(rights, changes, account);
        Link link = new Link(
                channel,
                rights.principal() + ":" + process,
                new Link.Terms(gate().maxFrame(rights), account, () -> stopping, core()),
                terms.trace,
                outbox -> new Session(terms.backend, gate().admissions(), peer, outbox));
        channel.attr(LINK).set(link);
        return link;
    }

    /** Returns the connection of a peer that was admitted; null before that. */
    static @Nullable Link link(Channel channel) {
        return channel.attr(LINK).get();
    }

    final void forEach(BiConsumer<Channel, Link> action) {
        peers.forEach(channel -> {
            Link connection = link(channel);
            if (connection != null) {
                action.accept(channel, connection);
            }
        });
    }

    @Override
    public void configure(Config next) throws IOException {}

    /** Closes connections that make no progress. Must be called every few seconds, on the core thread. */
    public final void sweep(long nanos) {
        forEach((channel, connection) -> connection.sweep(nanos));
    }

    @Override
    public final void stopAccepting() {
        server().close().awaitUninterruptibly();
    }

    @Override
    public final void stopServing() {
        stopping = true;
        forEach((channel, connection) -> connection.stopServing());
    }

    private static void finish(Channel channel) {
        Link connection = link(channel);
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
        peers.forEach(channel -> core().execute(() -> finish(channel)));
        if (!peers.newCloseFuture().awaitUninterruptibly(GRACE_MILLIS)) {
            peers.close().awaitUninterruptibly();
        }
    }
}
