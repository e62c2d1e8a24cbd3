package io.muster.daemon.net;

import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Kind;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.ListenAddress;
import io.muster.daemon.tls.Guest;
import io.muster.daemon.tls.HandshakeListener;
import io.muster.daemon.tls.Handshakes;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.util.AttributeKey;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An address on which the daemon accepts connections in TLS from peers on other hosts. A certificate identifies each peer.
 * Handshakes and encryption have threads of their own; requests are served on the core thread.
 */
public final class TlsSocket extends Listener implements HandshakeListener {
    private static final Logger log = LoggerFactory.getLogger("peer");

    /**
     * A peer whose host has lost its power does not close its connection. Therefore the kernel closes a connection that is
     * silent for {@link #IDLE_SECONDS} and then leaves {@link #PROBES} keepalive probes, {@link #PROBE_SECONDS} apart,
     * unanswered.
     */
    private static final int IDLE_SECONDS = 30;

    private static final int PROBES = 3;
    private static final int PROBE_SECONDS = 10;

    private static final AttributeKey<Rights> RIGHTS = AttributeKey.valueOf(TlsSocket.class, "rights");

    private final Channel server;

    /**
     * Begins to accept connections.
     *
     * @throws IOException if the address cannot be bound; the message says why
     */
    public TlsSocket(ListenAddress address, Terms terms, Handshakes handshakes) throws IOException {
        super("tls", true, terms);
        this.server = bind(address, handshakes);
    }

    private Channel bind(ListenAddress address, Handshakes handshakes) throws IOException {
        var bound = new ServerBootstrap()
                .group(handshakes.network())
                .channel(EpollServerSocketChannel.class)
                .handler(new Acceptor("tls"))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(EpollChannelOption.TCP_KEEPIDLE, IDLE_SECONDS)
                .childOption(EpollChannelOption.TCP_KEEPINTVL, PROBE_SECONDS)
                .childOption(EpollChannelOption.TCP_KEEPCNT, PROBES)
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(64, 2048, MOST_READ).maxMessagesPerRead(1))
                .childHandler(handshakes.beginning(address, true, this))
                .bind(address.inet())
                .awaitUninterruptibly();
        Throwable cause = bound.cause();
        if (cause != null) {
            throw new IOException("cannot listen on " + address + ": " + cause.getMessage(), cause);
        }
        return bound.channel();
    }

    public int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    @Override
    public String fault() {
        return "";
    }

    @Override
    Channel server() {
        return server;
    }

    @Override
    public void arrived(Channel channel, Guest guest) {
        Identity identity = Objects.requireNonNull(guest.identity());
        core().execute(() ->
                admit(channel, identity, guest.address(), rights -> welcome(channel, guest.address(), rights)));
    }

    private void welcome(Channel channel, String address, Rights rights) {
        channel.attr(RIGHTS).set(rights);
        Link link = connection(channel, address, rights);
        channel.pipeline().addLast("connection", new Hop(link, core()));
        channel.writeAndFlush(oneByte(channel, 0), channel.voidPromise());
        Handshakes.handOver(channel);
        link.begin();
    }

    @Override
    public void refused(String address, String reason, String sentence) {
        core().execute(() -> {
            refused(reason);
            if (!sentence.isEmpty()
                    && gate().accounts().account(Kind.STRANGER, address).mayLog()) {
                log.info("refused {} on {}: {}", address, name(), sentence);
            }
        });
    }

    @Override
    public void revoked(Channel channel, String why) {
        core().execute(() -> {
            Link link = link(channel);
            if (link == null) {
                channel.close();
            } else {
                link.closeNow(why);
            }
        });
    }

    /** Closes the connections of peers that have lost a right. Must not be called on the core thread. */
    @Override
    public void configure(Config next) {
        core().execute(() -> forEach((channel, link) -> {
            Rights before = channel.attr(RIGHTS).get();
            gate().rights(before.identity(), now -> {
                if (now == null || !now.include(before)) {
                    link.closeNow("the configuration has taken rights from the peer, which may connect again");
                }
            });
        }));
    }
}
