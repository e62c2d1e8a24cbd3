package io.muster.daemon.tls;

import io.muster.daemon.access.Identity;
import io.muster.daemon.config.ListenAddress;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes the handshakes of all listeners that speak TLS, with limits on their number and duration for all of them together. A
 * connection whose handshake is complete is the host's; its certificate is checked again whenever the accepted certificates change,
 * and the host is told when it is refused or has expired.
 */
public final class Handshakes {
    /** How long a handshake may take. */
    public static final long LONGEST_MILLIS = 10_000;

    /** The number of handshakes in progress. Beyond it, new connections wait in the kernel. */
    static final int MOST = 1024;

    /** The age from which a handshake is given up if others wait to begin. A handshake takes milliseconds if its peer takes part. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long LOOK_MILLIS = 250;

    private final Certificates certificates;
    private final EventLoop network;
    private final Executor workers;
    private final Map<Channel, Inside> inside = new ConcurrentHashMap<>();
    /** The handshakes in progress, the oldest first, and when each began. */
    private final Map<Channel, Long> running = new LinkedHashMap<>();
    /** The listeners that accept nothing at the moment. */
    private final Set<Channel> paused = new HashSet<>();

    /** @param change the number of changes of what is accepted, before the certificate was checked */
    private record Inside(Host host, String name, List<X509Certificate> chain, int change) {}

    /**
     * @param network the event loop of all channels in TLS
     * @param workers the thread that computes handshakes
     */
    public Handshakes(Certificates certificates, EventLoop network, Executor workers) {
        this.certificates = certificates;
        this.network = network;
        this.workers = workers;
        certificates.listen(this::checkAgain);
    }

    public EventLoop network() {
        return network;
    }

    /**
     * Returns the handler that begins a handshake on each connection that is accepted.
     *
     * @param demanded whether the peer must show a certificate; otherwise it may
     */
    public ChannelHandler beginning(ListenAddress address, boolean demanded, Host host) {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.config().setAutoRead(false);
                SslHandler tls = new SslHandler(certificates.engine(address, demanded), workers);
                tls.setHandshakeTimeoutMillis(LONGEST_MILLIS);
                channel.pipeline().addLast(new Farewell(), tls, new Arrival(Handshakes.this, host));
                begin(channel);
            }
        };
    }

    private void begin(Channel channel) {
        running.put(channel, System.nanoTime());
        channel.closeFuture().addListener(closed -> running.remove(channel));
        if (running.size() >= MOST && channel.parent() != null) {
            pause(channel.parent());
        }
    }

    private void pause(Channel listener) {
        if (paused.add(listener)) {
            listener.config().setAutoRead(false);
            network.schedule(this::makeRoom, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Gives up handshakes that are slow, for the sake of connections that wait, and accepts connections again if there is room. */
    private void makeRoom() {
        long now = System.nanoTime();
        List<Channel> slow = new ArrayList<>();
        running.forEach((channel, began) -> {
            if (now - began >= SLOW_NANOS) {
                slow.add(channel);
            }
        });
        slow.forEach(running::remove);
        slow.forEach(Channel::close);
        if (running.size() < MOST) {
            paused.forEach(listener -> listener.config().setAutoRead(true));
            paused.clear();
        } else {
            network.schedule(this::makeRoom, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Called when both sides have completed a handshake. */
    void completed(Channel channel, List<X509Certificate> chain, Host host) {
        workers.execute(() -> {
            int change = certificates.changes();
            try {
                String name = chain.isEmpty() ? null : certificates.identify(chain);
                network.execute(
                        () -> arrived(channel, name == null ? null : new Inside(host, name, chain, change), host));
            } catch (CertificateException e) { // revoked since the peer showed it first
                host.refused(address(channel.remoteAddress()), "certificate", String.valueOf(e.getMessage()));
                channel.close();
            }
        });
    }

    /** @param peer null if the peer has shown no certificate */
    private void arrived(Channel channel, @Nullable Inside peer, Host host) {
        running.remove(channel);
        if (!channel.isActive()) {
            return;
        }
        if (peer != null) {
            inside.put(channel, peer);
            if (certificates.changes() != peer.change) {
                workers.execute(() -> checkAgain(channel, peer)); // the change came before the connection was noted
            }
            var expiry = network.schedule(
                    () -> host.revoked(channel, "its certificate has expired"),
                    Math.max(
                            0,
                            Duration.between(
                                            Instant.now(),
                                            peer.chain.get(0).getNotAfter().toInstant())
                                    .toMillis()),
                    TimeUnit.MILLISECONDS);
            channel.closeFuture().addListener(closed -> {
                inside.remove(channel);
                expiry.cancel(false);
            });
        }
        Identity identity = peer == null ? null : Identity.ofCertificate(peer.name);
        List<X509Certificate> chain = peer == null ? List.of() : peer.chain;
        host.arrived(channel, new Guest(identity, chain, address(channel.remoteAddress())));
    }

    /** Passes on what was read since the peer arrived, to the handlers that the host has added by now. */
    public static void handOver(Channel channel) {
        try {
            channel.pipeline().remove(Arrival.class);
        } catch (NoSuchElementException closed) {
            // The handlers of a closed channel are removed.
        }
    }

    /** Tells hosts of the peers whose certificate is refused from now on. */
    private void checkAgain() {
        inside.forEach(this::checkAgain);
    }

    private void checkAgain(Channel channel, Inside peer) {
        try {
            if (!certificates.identify(peer.chain).equals(peer.name)) {
                peer.host.revoked(channel, "the configuration names its certificate differently");
            }
        } catch (CertificateException e) {
            peer.host.revoked(channel, String.valueOf(e.getMessage()));
        }
    }

    static String address(@Nullable SocketAddress peer) {
        return peer instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : "unknown";
    }
}
