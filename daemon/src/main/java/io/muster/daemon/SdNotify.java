package io.muster.daemon;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the state of the service to systemd, see sd_notify(3); does nothing without {@code NOTIFY_SOCKET}. Nothing here blocks or fails:
 * if systemd cannot be reached, that is worth one warning, not an outage. Safe on any thread.
 */
public final class SdNotify implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SdNotify.class);

    private final @Nullable Channel channel;
    private final Optional<Duration> watchdog;

    private SdNotify(@Nullable Channel channel, Optional<Duration> watchdog) {
        this.channel = channel;
        this.watchdog = watchdog;
    }

    /**
     * @param environment the variables of the process
     * @param group an epoll group, since Java itself has no UNIX datagram sockets
     */
    public static SdNotify open(Map<String, String> environment, EventLoopGroup group) {
        String socket = environment.getOrDefault("NOTIFY_SOCKET", "");
        if (socket.isEmpty()) {
            return new SdNotify(null, Optional.empty());
        }
        // A leading @ stands for the NUL of the abstract name space.
        String path = socket.charAt(0) == '@' ? "\0" + socket.substring(1) : socket;
        ChannelFuture connected = new Bootstrap()
                .group(group)
                .channel(EpollDomainDatagramChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(new DomainSocketAddress(path))
                .awaitUninterruptibly();
        if (!connected.isSuccess()) {
            LOG.warn("systemd cannot be notified at {}: {}", socket, String.valueOf(connected.cause()));
            return new SdNotify(null, Optional.empty());
        }
        return new SdNotify(connected.channel(), watchdogOf(environment));
    }

    /**
     * How often {@link #watchdog()} should be called: half of the time that the unit allows, as sd_watchdog_enabled(3)
     * advises.
     */
    public Optional<Duration> watchdogInterval() {
        return watchdog;
    }

    public void ready(String status) {
        send("READY=1\n" + statusLine(status));
    }

    public void status(String status) {
        send(statusLine(status));
    }

    public void watchdog() {
        send("WATCHDOG=1");
    }

    /** Reports that a reload has begun. Call {@link #ready} when it is over. */
    public void reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
    }

    public void stopping(String status) {
        send("STOPPING=1\n" + statusLine(status));
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.close().awaitUninterruptibly();
        }
    }

    private void send(String state) {
        if (channel != null) {
            channel.writeAndFlush(Unpooled.copiedBuffer(state, StandardCharsets.UTF_8))
                    .addListener(sent -> {
                        if (!sent.isSuccess()) {
                            LOG.debug("systemd did not receive {}", state, sent.cause());
                        }
                    });
        }
    }

    private static String statusLine(String status) {
        return "STATUS=" + status.replace('\n', ' ');
    }

    private static Optional<Duration> watchdogOf(Map<String, String> environment) {
        String pid = environment.getOrDefault("WATCHDOG_PID", "");
        if (!pid.isEmpty() && !pid.equals(Long.toString(ProcessHandle.current().pid()))) {
            return Optional.empty();
        }
        try {
            long micros = Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0"));
            return micros > 0 ? Optional.of(Duration.ofNanos(micros * 500)) : Optional.empty();
        } catch (NumberFormatException e) {
            LOG.warn("WATCHDOG_USEC is not a number: {}", environment.get("WATCHDOG_USEC"));
            return Optional.empty();
        }
    }
}
