package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class SdNotifyTest {
    @TempDir
    private Path dir;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Plays systemd: a bound datagram socket. */
    private Channel listen(String address) {
        return new Bootstrap()
                .group(group)
                .channel(EpollDomainDatagramChannel.class)
                .handler(new SimpleChannelInboundHandler<DomainDatagramPacket>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, DomainDatagramPacket packet) {
                        received.add(packet.content().toString(StandardCharsets.UTF_8));
                    }
                })
                .bind(new DomainSocketAddress(address))
                .syncUninterruptibly()
                .channel();
    }

    @ParameterizedTest
    @ValueSource(strings = {"path", "abstract"})
    void everyStateReachesTheManager(String kind) throws InterruptedException {
        boolean path = kind.equals("path");
        String name = path
                ? dir.resolve("notify").toString()
                : "muster-test-" + ProcessHandle.current().pid();
        listen(path ? name : "\0" + name);
        try (SdNotify notify = SdNotify.open(Map.of("NOTIFY_SOCKET", path ? name : "@" + name), group)) {
            notify.ready("serving seq=7\nnodes=3");
            notify.watchdog();
            notify.reloading();
            notify.status("read-only");
            notify.stopping("snapshot");
            assertThat(received.take()).isEqualTo("READY=1\nSTATUS=serving seq=7 nodes=3");
            assertThat(received.take()).isEqualTo("WATCHDOG=1");
            assertThat(received.take()).matches("RELOADING=1\nMONOTONIC_USEC=\\d+");
            assertThat(received.take()).isEqualTo("STATUS=read-only");
            assertThat(received.take()).isEqualTo("STOPPING=1\nSTATUS=snapshot");
        }
    }

    @Test
    void silentWithoutASocketAndWithAWrongOne() {
        try (SdNotify none = SdNotify.open(Map.of(), group);
                SdNotify wrong =
                        SdNotify.open(Map.of("NOTIFY_SOCKET", dir + "/none", "WATCHDOG_USEC", "1000"), group)) {
            none.ready("x");
            wrong.ready("x");
            assertThat(none.watchdogInterval()).isEmpty();
            assertThat(wrong.watchdogInterval()).isEmpty();
        }
    }

    @Test
    void theManagerMayGoAway() throws InterruptedException {
        Channel manager = listen(dir.resolve("notify").toString());
        try (SdNotify notify = SdNotify.open(Map.of("NOTIFY_SOCKET", dir + "/notify"), group)) {
            notify.status("one");
            assertThat(received.take()).isEqualTo("STATUS=one");
            manager.close().syncUninterruptibly();
            notify.status("two");
            notify.watchdog();
        }
        assertThat(received).isEmpty();
    }

    @Test
    void theWatchdogIsFedTwicePerPeriodAndOnlyByTheProcessThatIsMeant() {
        listen(dir.resolve("notify").toString());
        String pid = Long.toString(ProcessHandle.current().pid());
        assertThat(interval("WATCHDOG_USEC", "30000000")).isEqualTo(Duration.ofSeconds(15));
        assertThat(interval("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", pid)).isEqualTo(Duration.ofSeconds(15));
        assertThat(interval("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", "1")).isEqualTo(Duration.ZERO);
        assertThat(interval("WATCHDOG_USEC", "soon")).isEqualTo(Duration.ZERO);
        assertThat(interval("WATCHDOG_USEC", "0")).isEqualTo(Duration.ZERO);
    }

    private Duration interval(String... variables) {
        Map<String, String> environment = new java.util.HashMap<>(Map.of("NOTIFY_SOCKET", dir + "/notify"));
        for (int i = 0; i < variables.length; i += 2) {
            environment.put(variables[i], variables[i + 1]);
        }
        try (SdNotify notify = SdNotify.open(environment, group)) {
            return notify.watchdogInterval().orElse(Duration.ZERO);
        }
    }
}
