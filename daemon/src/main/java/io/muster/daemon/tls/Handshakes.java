package io.muster.daemon.tls;

import io.muster.daemon.access.Identity;
import io.muster.daemon.config.ListenAddress;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the handshakes of all connections in TLS, of peers and of HTTP, with limits on their number and duration for all of them
 * together. A certificate is checked again whenever the accepted certificates change, and the {@link HandshakeListener} is notified when
 * it is refused or has expired. Methods and fields belong to the thread {@code network}, except what says otherwise; the computations of
 * a handshake and the checks of certificates run on the thread {@code handshakes}.
 */
public final class Handshakes {
    /**
     * The longest pause of the workers after a part of a handshake, while other handshakes wait. The pause is as long as the
     * part took: peers that connected long ago use the same processors, and wait whenever the garbage of handshakes is
     * collected.
     */
    private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long LOOK_MILLIS = 25;

    /** The log has one line in so long a time about the silent peers of an address. */
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Certificates certificates;
    private final EventLoop network;
    private final Executor workers;
    private final LongSupplier nanos;
    /** The peers that have arrived with a certificate, whose certificates the threads {@code reload} and {@code handshakes} check again. */
    private final Map<Channel, Inside> inside = new ConcurrentHashMap<>();

    private final Slots slots = new Slots();
    private final Set<Channel> servers = new HashSet<>();
    /** When the log last had a line about an address whose handshakes were given up. */
    private final Map<String, Long> logged = new HashMap<>();

    /** The connections without a complete handshake that wait for their peers to read why they are closed. */
    private final Set<ChannelHandlerContext> leaving = new LinkedHashSet<>();

    private boolean looking;
    /** Whether the servers accept nothing at the moment. */
    private boolean paused;

    /** Whether handshakes wait, so that the thread {@code handshakes} rests. */
    private volatile boolean crowded;

    /** @param change the number of changes of the accepted certificates, before the certificate was checked */
    private record Inside(HandshakeListener listener, String name, List<X509Certificate> chain, int change) {}

    /**
     * @param network the event loop of all channels in TLS
     * @param workers the thread that computes handshakes
     */
    public Handshakes(Certificates certificates, EventLoop network, Executor workers) {
        this(certificates, network, workers, System::nanoTime);
    }

    /** @param nanos a monotonic clock in nanoseconds */
    Handshakes(Certificates certificates, EventLoop network, Executor workers, LongSupplier nanos) {
        this.nanos = nanos;
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
    public ChannelHandler beginning(ListenAddress address, boolean demanded, HandshakeListener listener) {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.config().setAutoRead(false);
                String peer = address(channel.remoteAddress());
                String key = key(channel.remoteAddress());
                if (!slots.hasRoom(key)) {
                    listener.refused(
                            peer, "crowd", "the address has too many connections whose handshake is not complete");
                    channel.close();
                    return;
                }
                Handshake handshake = new Handshake(
                        key,
                        Handshakes.this::compute,
                        part -> tls(address, demanded, part),
                        () -> network.execute(Handshakes.this::next),
                        nanos);
                Farewell farewell = new Farewell(leaving, Farewell.LONGEST_MILLIS);
                channel.pipeline().addLast(farewell, handshake, new Arrival(Handshakes.this, listener));
                slots.add(handshake);
                channel.closeFuture().addListener(closed -> end(handshake));
                if (channel.parent() != null) {
                    servers.add(channel.parent());
                }
                next();
            }
        };
    }

    private SslHandler tls(ListenAddress address, boolean demanded, Executor computations) {
        SslHandler tls = new SslHandler(certificates.engine(address, demanded), computations);
        tls.setHandshakeTimeoutMillis(0); // would count the time that the handshake waits for this side
        return tls;
    }

    private void compute(Runnable part) {
        workers.execute(() -> {
            long start = System.nanoTime();
            part.run();
            if (crowded) {
                LockSupport.parkNanos(Math.min(System.nanoTime() - start, LONGEST_REST_NANOS));
            }
        });
    }

    /** Returns whether a connection is open, and this side has not ended its half, as {@link Farewell} does. */
    public static boolean canSend(Channel channel) {
        return channel.isActive() && !(channel instanceof DuplexChannel duplex && duplex.isOutputShutdown());
    }

    /** Gives the slot of a handshake to others: the connection may last. */
    void end(Channel channel) {
        Handshake handshake = channel.pipeline().get(Handshake.class);
        if (handshake != null) {
            end(handshake);
        }
    }

    private void end(Handshake handshake) {
        slots.remove(handshake);
        network.execute(this::next);
    }

    /** Begins the handshakes that may begin, after others have given way to them. */
    private void next() {
        for (Handshake silent = slots.givingWay(); silent != null; silent = slots.givingWay()) {
            giveUp(silent);
        }
        for (Handshake next = slots.next(); next != null; next = slots.next()) {
            next.begin();
        }
        crowded = slots.isCrowded();
        if (paused != slots.isFull()) {
            paused = slots.isFull();
            servers.forEach(server -> server.config().setAutoRead(!paused));
        }
        if (!looking && !slots.isEmpty()) {
            looking = true;
            network.schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        looking = false;
        slots.late().forEach(this::giveUp);
        next();
    }

    private void giveUp(Handshake handshake) {
        slots.remove(handshake);
        handshake.channel().pipeline().fireUserEventTriggered(new SslHandshakeCompletionEvent(new TimeoutException()));
        handshake.channel().close();
    }

    /** Returns the sentence for the log about a peer that was given up; "" if the log has had it within the last minute. */
    String late(String address) {
        long now = nanos.getAsLong();
        Long before = logged.get(address);
        if (before != null && now - before < QUIET_NANOS) {
            return "";
        }
        if (logged.size() >= Slots.MOST) {
            logged.clear();
        }
        logged.put(address, now);
        return "the peer did not complete the handshake in time";
    }

    /** Called when both sides have completed a handshake. */
    void completed(Channel channel, List<X509Certificate> chain, HandshakeListener listener) {
        workers.execute(() -> {
            int change = certificates.changes();
            try {
                String name = chain.isEmpty() ? null : certificates.identify(chain);
                network.execute(() ->
                        arrived(channel, name == null ? null : new Inside(listener, name, chain, change), listener));
            } catch (CertificateException e) { // revoked since the peer showed it first
                listener.refused(address(channel.remoteAddress()), "certificate", String.valueOf(e.getMessage()));
                channel.close();
            }
        });
    }

    /** @param peer null if the peer has shown no certificate */
    private void arrived(Channel channel, @Nullable Inside peer, HandshakeListener listener) {
        end(channel);
        if (!canSend(channel)) {
            return;
        }
        if (peer != null) {
            inside.put(channel, peer);
            if (certificates.changes() != peer.change) {
                workers.execute(() -> checkAgain(channel, peer)); // the change came before the connection was noted
            }
            var expiry = network.schedule(
                    () -> listener.revoked(channel, "its certificate has expired"),
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
        listener.arrived(channel, new Guest(identity, chain, address(channel.remoteAddress())));
    }

    /** Passes on what was read since the peer arrived, to the handlers that the listener has added by now. */
    public static void handOver(Channel channel) {
        try {
            channel.pipeline().remove(Arrival.class);
        } catch (NoSuchElementException closed) {
            // The handlers of a closed channel are removed.
        }
    }

    /** Notifies the listeners of peers whose certificates are refused from now on. Runs on the thread that has read the certificates. */
    private void checkAgain() {
        inside.forEach(this::checkAgain);
    }

    private void checkAgain(Channel channel, Inside peer) {
        try {
            if (!certificates.identify(peer.chain).equals(peer.name)) {
                peer.listener.revoked(channel, "the configuration names its certificate differently");
            }
        } catch (CertificateException e) {
            peer.listener.revoked(channel, String.valueOf(e.getMessage()));
        }
    }

    static String address(@Nullable SocketAddress peer) {
        return peer instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : "unknown";
    }

    /** Returns what counts as one address: of IPv6, the first 64 bits, because a host can choose the others. */
    static String key(@Nullable SocketAddress peer) {
        return peer instanceof InetSocketAddress inet && inet.getAddress() instanceof Inet6Address six
                ? HexFormat.of().formatHex(six.getAddress(), 0, Long.BYTES)
                : address(peer);
    }
}
