package io.muster.it.system;

import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Acquires, and follows until the daemon is gone. */
final class Scheduler extends Thread {
    private final FluxClient client;
    private final CountDownLatch acquired = new CountDownLatch(1);
    private volatile @Nullable Follower follower;
    private volatile @Nullable Throwable failure;

    Scheduler(FluxClient client) {
        super("scheduler");
        this.client = client;
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
        } catch (UncheckedIOException | IOException gone) {
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
