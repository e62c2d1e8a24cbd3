package io.muster.daemon;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Checks regularly whether the sockets still have their names: without a name clients cannot connect, and nothing else would
 * report this. The check may block, so it runs on the worker thread.
 */
final class SocketWatch {
    private static final long EVERY_SECONDS = 2;

    private final List<Supplier<String>> faults;
    private final Telemetry telemetry;
    private final AtomicBoolean waiting = new AtomicBoolean();

    /** @param faults return, for each socket, why clients cannot connect by its name; "" if connecting works */
    SocketWatch(List<Supplier<String>> faults, Telemetry telemetry) {
        this.faults = List.copyOf(faults);
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
        telemetry.unreachable(faults.stream()
                .map(Supplier::get)
                .filter(fault -> !fault.isEmpty())
                .collect(Collectors.joining("; ")));
    }
}
