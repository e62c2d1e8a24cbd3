package io.muster.it.cast;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.testing.SchedulerModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A scheduler that acquires, and follows the updates until the daemon is gone, which must not happen before the test expects it. */
public final class FollowingScheduler extends Thread {
    private final FluxClient client;
    private final AtomicBoolean mayEnd;
    private final CountDownLatch acquired = new CountDownLatch(1);
    private final SchedulerModel knowledge = new SchedulerModel();
    private volatile @Nullable Throwable failure;

    /** @param mayEnd whether the daemon may be gone */
    FollowingScheduler(FluxClient client, AtomicBoolean mayEnd) {
        super("scheduler");
        this.client = client;
        this.mayEnd = mayEnd;
    }

    /** A scheduler that has read its first response. The daemon may end at any time. */
    public static FollowingScheduler of(DaemonProcess daemon) throws Exception {
        FollowingScheduler scheduler = new FollowingScheduler(daemon.connect(), new AtomicBoolean(true));
        scheduler.start();
        scheduler.awaitAcquired();
        return scheduler;
    }

    @Override
    public void run() {
        try (client) {
            ResponseStream stream = client.stream("resource.acquire", null);
            knowledge.receive(stream.next());
            acquired.countDown();
            while (stream.hasNext()) {
                knowledge.receive(stream.next());
            }
            assertThat(mayEnd)
                    .as("the stream of updates has ended, so the daemon may end")
                    .isTrue();
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

    public SchedulerModel knowledge() {
        return knowledge;
    }

    public @Nullable Throwable failure() {
        return failure;
    }
}
