package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Acquires, and follows the updates until the daemon is gone, which must not happen before the test expects it. */
final class Scheduler extends Thread {
    private final FluxClient client;
    private final AtomicBoolean mayEnd;
    private final CountDownLatch acquired = new CountDownLatch(1);
    private volatile @Nullable Follower follower;
    private volatile @Nullable Throwable failure;

    /** @param mayEnd whether the daemon may be gone */
    Scheduler(FluxClient client, AtomicBoolean mayEnd) {
        super("scheduler");
        this.client = client;
        this.mayEnd = mayEnd;
    }

    /** A scheduler that has read its first response. The daemon may end at any time. */
    static Scheduler of(DaemonProcess daemon) throws Exception {
        Scheduler scheduler = new Scheduler(daemon.connect(), new AtomicBoolean(true));
        scheduler.start();
        scheduler.awaitAcquired();
        return scheduler;
    }

    @Override
    public void run() {
        try (client) {
            ResponseStream stream = client.stream("resource.acquire", null);
            Follower model = new Follower(stream.next());
            follower = model;
            acquired.countDown();
            while (stream.hasNext()) {
                model.update(stream.next());
            }
            assertThat(mayEnd).as("it was to follow, and the stream has ended").isTrue();
        } catch (UncheckedIOException | IOException gone) {
            failure = mayEnd.get() ? null : gone;
            acquired.countDown();
        } catch (RpcException | AssertionError wrong) {
            failure = wrong;
            acquired.countDown();
        }
    }

    void awaitAcquired() throws InterruptedException {
        acquired.await();
    }

    Follower follower() {
        return Objects.requireNonNull(follower, "it never was told anything");
    }

    @Nullable
    Throwable failure() {
        return failure;
    }
}
