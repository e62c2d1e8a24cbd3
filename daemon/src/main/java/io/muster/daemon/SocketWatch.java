package io.muster.daemon;

import io.muster.daemon.net.PeerSocket;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * Checks regularly whether the sockets still have their names: without a name nobody can connect, and nothing else would report it. The
 * check may block, so it runs on the worker thread.
 */
final class SocketWatch {
    private static final long EVERY_SECONDS = 2;

    private final List<PeerSocket> sockets;
    private final Telemetry telemetry;
    private final AtomicBoolean waiting = new AtomicBoolean();

    SocketWatch(List<PeerSocket> sockets, Telemetry telemetry) {
        this.sockets = List.copyOf(sockets);
        this.telemetry = telemetry;
    }

    void start(ScheduledExecutorService core, Executor worker) {
        var unused = core.scheduleWithFixedDelay(
                () -> {
                    if (waiting.compareAndSet(false, true)) {
                        worker.execute(this::look);
                    }
                },
                EVERY_SECONDS,
                EVERY_SECONDS,
                TimeUnit.SECONDS);
    }

    void look() {
        waiting.set(false);
        telemetry.unreachable(sockets.stream()
                .map(PeerSocket::fault)
                .filter(fault -> !fault.isEmpty())
                .collect(Collectors.joining("; ")));
    }
}
