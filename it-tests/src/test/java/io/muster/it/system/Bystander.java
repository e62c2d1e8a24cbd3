package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** An honest client that queries and changes something all the time, and measures how long that takes. */
final class Bystander extends Thread {
    /** Time limit. The machine and its disk may be slow, but a request that waits for another peer would never be answered. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final long PAUSE = Duration.ofMillis(1).toNanos();

    private final FluxClient client;
    private final boolean changes;
    private final AtomicLong slowest = new AtomicLong();
    private volatile boolean stopping;
    private volatile long answers;
    private volatile @Nullable Exception failure;

    private Bystander(FluxClient client, boolean changes) {
        super("bystander");
        this.client = client;
        this.changes = changes;
    }

    static Bystander at(DaemonProcess daemon) throws IOException {
        return started(daemon, true);
    }

    /** A bystander that may change nothing. */
    static Bystander guestOf(DaemonProcess daemon) throws IOException {
        return started(daemon, false);
    }

    private static Bystander started(DaemonProcess daemon, boolean changes) throws IOException {
        Bystander bystander = new Bystander(daemon.connect(), changes);
        bystander.start();
        return bystander;
    }

    @Override
    public void run() {
        try (client) {
            for (int i = 0; !stopping; i++) {
                long asked = System.nanoTime();
                client.rpc("resource.status", null);
                answered(asked);
                if (changes) {
                    long changed = System.nanoTime();
                    change(i);
                    answered(changed);
                }
                answers = i + 1L;
                LockSupport.parkNanos(PAUSE);
            }
        } catch (IOException | RpcException e) {
            failure = e;
        }
    }

    private void answered(long since) {
        slowest.accumulateAndGet(System.nanoTime() - since, Math::max);
    }

    /** The time of the slowest request since the last call. */
    Duration slowest() {
        return Duration.ofNanos(slowest.getAndSet(0));
    }

    /** Changes the last rank, which is the bystander's own. */
    private void change(int i) throws IOException {
        String verb = i % 2 == 0 ? "drain" : "undrain";
        client.rpc(
                "resource." + verb,
                JsonNodeFactory.instance.objectNode().put("targets", Integer.toString(Scribe.RANKS - 1)));
    }

    void awaitAnswers(int more) {
        long wanted = answers + more;
        await().atMost(PATIENCE).until(() -> answers >= wanted || failure != null);
    }

    /** Ends the bystander, after two more answers, and checks that no request failed. */
    void finish() throws InterruptedException {
        if (!stopping) {
            awaitAnswers(2);
        }
        stopping = true;
        join();
        assertThat(failure).as("what an honest client was told").isNull();
    }
}
