package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.protocol.testing.NotifySocket;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
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

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @ParameterizedTest
    @ValueSource(strings = {"path", "abstract"})
    void everyNotificationReachesTheServiceManager(String kind) throws InterruptedException {
        String address = kind.equals("path")
                ? dir.resolve("notify").toString()
                : "@muster-test-" + ProcessHandle.current().pid();
        try (NotifySocket manager = new NotifySocket(address);
                SdNotify notify = SdNotify.open(Map.of("NOTIFY_SOCKET", address), group)) {
            notify.ready("serving seq=7\nnodes=3");
            notify.watchdog();
            notify.reloading();
            notify.status("read-only");
            notify.stopping("snapshot");
            assertThat(manager.received.take()).isEqualTo("READY=1\nSTATUS=serving seq=7 nodes=3");
            assertThat(manager.received.take()).isEqualTo("WATCHDOG=1");
            assertThat(manager.received.take()).matches("RELOADING=1\nMONOTONIC_USEC=\\d+");
            assertThat(manager.received.take()).isEqualTo("STATUS=read-only");
            assertThat(manager.received.take()).isEqualTo("STOPPING=1\nSTATUS=snapshot");
        }
    }

    @Test
    void aMissingOrWrongSocketIsIgnored() {
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
    void notificationsToAStoppedManagerAreIgnored() throws InterruptedException {
        try (NotifySocket manager = new NotifySocket(dir.resolve("notify").toString());
                SdNotify notify = SdNotify.open(Map.of("NOTIFY_SOCKET", dir + "/notify"), group)) {
            notify.status("one");
            assertThat(manager.received.take()).isEqualTo("STATUS=one");
            manager.stop();
            notify.status("two");
            notify.watchdog();
            assertThat(manager.received).isEmpty();
        }
    }

    @Test
    void theWatchdogIntervalIsHalfThePeriodAndOnlyForTheConfiguredPid() {
        String pid = Long.toString(ProcessHandle.current().pid());
        try (NotifySocket manager = new NotifySocket(dir.resolve("notify").toString())) {
            assertThat(interval("WATCHDOG_USEC", "30000000")).isEqualTo(Duration.ofSeconds(15));
            assertThat(interval("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", pid))
                    .isEqualTo(Duration.ofSeconds(15));
            assertThat(interval("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", "1"))
                    .isEqualTo(Duration.ZERO);
            assertThat(interval("WATCHDOG_USEC", "soon")).isEqualTo(Duration.ZERO);
            assertThat(interval("WATCHDOG_USEC", "0")).isEqualTo(Duration.ZERO);
            assertThat(manager.received).isEmpty();
        }
    }

    private Duration interval(String... variables) {
        Map<String, String> environment = new HashMap<>(Map.of("NOTIFY_SOCKET", dir + "/notify"));
        for (int i = 0; i < variables.length; i += 2) {
            environment.put(variables[i], variables[i + 1]);
        }
        try (SdNotify notify = SdNotify.open(environment, group)) {
            return notify.watchdogInterval().orElse(Duration.ZERO);
        }
    }
}
