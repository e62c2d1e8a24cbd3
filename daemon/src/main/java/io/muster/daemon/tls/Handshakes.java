package io.muster.daemon.tls;

import io.muster.daemon.access.Identity;
import io.muster.daemon.config.ListenAddress;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
import org.jspecify.annotations.Nullable;

/**
 * Makes the handshakes of all listeners that speak TLS, with limits on their number and duration for all of them together. A
 * connection whose handshake is complete belongs to the host. Its certificate is checked again whenever the accepted
 * certificates change, and the host is notified when the certificate is refused or has expired.
 */
public final class Handshakes {
    /** How long the peer may let this side wait for its first bytes. */
    private static final long FIRST_MILLIS = 30_000;

    /** How long the peer may let this side wait after its first bytes. */
    private static final long LONGEST_MILLIS = 10_000;

    /**
     * The number of connections whose handshake is not complete. Beyond it, new connections wait in the kernel. Before its turn, a
     * connection costs little more than its socket.
     */
    static final int MOST = 4096;

    /**
     * The number of handshakes that are computed at a time: enough to keep the workers busy although each peer takes its
     * time. The intermediate results of a handshake survive each garbage collection and lengthen its pause, so the number is
     * kept small.
     */
    static final int MOST_AT_A_TIME = 8;

    /**
     * A handshake loses its turn to others if its peer sends nothing for several times as long as other peers need. These
     * are the limits of that time.
     */
    private static final long LEAST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long MOST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long PASS_OVER_MILLIS = 25;

    /**
     * The longest pause of the workers after a part of a handshake, while other handshakes wait. The pause is as long as the
     * part took: peers that connected long ago use the same processors, and wait whenever the garbage of handshakes is
     * collected.
     */
    private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** After so many handshakes, their garbage is collected as soon as no handshake waits: not in the midst of a later burst. */
    private static final int BURST = 1000;

    private static final long CALM_MILLIS = 1000;

    /**
     * If a peer lets this side wait for this long, its handshake is aborted if other connections wait to be accepted or for
     * their turn.
     */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long LOOK_MILLIS = 250;

    private final Certificates certificates;
    private final EventLoop network;
    private final Executor workers;
    private final Map<Channel, Inside> inside = new ConcurrentHashMap<>();
    /** The handshakes in progress, the oldest first. */
    private final Map<Channel, Turn> running = new LinkedHashMap<>();
    /** The handshakes whose peers have sent their first bytes. */
    private final Line line = new Line();
    /** The handshakes whose turn it is. */
    private final Set<Turn> turns = new LinkedHashSet<>();
    /** The listeners that accept nothing at the moment. */
    private final Set<Channel> paused = new HashSet<>();

    private boolean looking;
    private volatile boolean crowded;
    private int made;
    private long patience = LEAST_PATIENCE_NANOS;

    /** @param change the number of changes of the accepted certificates, before the certificate was checked */
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
                Turn turn = new Turn(
                        address(channel.remoteAddress()),
                        Handshakes.this::compute,
                        part -> tls(address, demanded, part),
                        Handshakes.this::isReady);
                channel.pipeline().addLast(new Farewell(), turn, new Arrival(Handshakes.this, host));
                accepted(channel, turn);
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

    private void accepted(Channel channel, Turn turn) {
        running.put(channel, turn);
        channel.closeFuture().addListener(closed -> end(channel));
        network.schedule(() -> checkTime(channel), LONGEST_MILLIS, TimeUnit.MILLISECONDS);
        if (running.size() >= MOST && channel.parent() != null) {
            pause(channel.parent());
        }
    }

    private void checkTime(Channel channel) {
        Turn turn = running.get(channel);
        if (turn == null) {
            return;
        }
        long rest = (turn.isAwaited() ? FIRST_MILLIS : LONGEST_MILLIS) - TimeUnit.NANOSECONDS.toMillis(turn.waited());
        if (rest > 0) {
            network.schedule(() -> checkTime(channel), Math.min(rest, LONGEST_MILLIS), TimeUnit.MILLISECONDS);
        } else {
            giveUp(channel);
        }
    }

    private void giveUp(Channel channel) {
        end(channel);
        channel.pipeline().fireUserEventTriggered(new SslHandshakeCompletionEvent(new TimeoutException()));
        channel.close();
    }

    private void end(Channel channel) {
        Turn turn = running.remove(channel);
        if (turn != null) {
            line.end(turn);
            turns.remove(turn);
            network.execute(this::next);
        }
    }

    private void isReady(Turn turn) {
        line.add(turn);
        next();
    }

    /** Begins handshakes whose turn it is. */
    private void next() {
        while (turns.size() < MOST_AT_A_TIME && line.waits() && !line.isFull()) {
            Turn turn = line.take();
            if (turn.begin()) {
                turns.add(turn);
            }
        }
        crowded = line.waits();
        if (crowded && !looking) {
            looking = true;
            network.schedule(this::passOver, PASS_OVER_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Ends the turns of handshakes whose peers let this side wait; these handshakes continue beside others. */
    private void passOver() {
        looking = false;
        turns.removeIf(turn -> turn.waiting() >= patience);
        if (line.isFull()) {
            giveUpSlow();
        }
        next();
    }

    private void pause(Channel listener) {
        if (paused.add(listener)) {
            listener.config().setAutoRead(false);
            network.schedule(this::makeRoom, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Aborts slow handshakes if other connections wait. */
    private void giveUpSlow() {
        List<Channel> slow = new ArrayList<>();
        running.forEach((channel, turn) -> {
            if (turn.waited() >= SLOW_NANOS) {
                slow.add(channel);
            }
        });
        slow.forEach(this::giveUp);
    }

    /** Accepts connections again if there is room. */
    private void makeRoom() {
        giveUpSlow();
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
        Turn turn = running.get(channel);
        if (turn != null) {
            // A moving average of four times the time that the last peers needed.
            long usual = (7 * patience + 4 * turn.waited()) / 8;
            patience = Math.min(MOST_PATIENCE_NANOS, Math.max(LEAST_PATIENCE_NANOS, usual));
        }
        end(channel);
        if (++made == BURST) {
            network.schedule(this::collect, CALM_MILLIS, TimeUnit.MILLISECONDS);
        }
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

    private void collect() {
        if (crowded) {
            network.schedule(this::collect, CALM_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            made = 0;
            workers.execute(Heap::collect);
        }
    }

    /** Passes on what was read since the peer arrived, to the handlers that the host has added by now. */
    public static void handOver(Channel channel) {
        try {
            channel.pipeline().remove(Arrival.class);
        } catch (NoSuchElementException closed) {
            // The handlers of a closed channel are removed.
        }
    }

    /** Notifies the hosts of peers whose certificates are refused from now on. */
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
