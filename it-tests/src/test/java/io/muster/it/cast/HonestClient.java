package io.muster.it.cast;

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
public final class HonestClient extends Thread {
    /** Time limit. The machine and its disk may be slow, but a request that waits for another peer would never be answered. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final long PAUSE = Duration.ofMillis(1).toNanos();

    private final FluxClient client;
    private final boolean changes;
    private final AtomicLong slowest = new AtomicLong();
    private volatile boolean stopping;
    private volatile long answers;
    private volatile @Nullable Exception failure;

    private HonestClient(FluxClient client, boolean changes) {
        super("honest client");
        this.client = client;
        this.changes = changes;
    }

    public static HonestClient at(DaemonProcess daemon) throws IOException {
        return started(daemon, true);
    }

    /** An honest client that may change nothing. */
    public static HonestClient guestOf(DaemonProcess daemon) throws IOException {
        return started(daemon, false);
    }

    private static HonestClient started(DaemonProcess daemon, boolean changes) throws IOException {
        HonestClient client = new HonestClient(daemon.connect(), changes);
        client.start();
        return client;
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
    public Duration slowest() {
        return Duration.ofNanos(slowest.getAndSet(0));
    }

    /** Changes the last rank, which no other client of the test changes. */
    private void change(int i) throws IOException {
        String verb = i % 2 == 0 ? "drain" : "undrain";
        client.rpc(
                "resource." + verb,
                JsonNodeFactory.instance.objectNode().put("targets", Integer.toString(RecordingAdmin.RANKS - 1)));
    }

    public void awaitAnswers(int more) {
        long wanted = answers + more;
        await().atMost(PATIENCE).until(() -> answers >= wanted || failure != null);
    }

    /** Ends this client, after two more answers, and checks that no request failed. */
    public void finish() throws InterruptedException {
        if (!stopping) {
            awaitAnswers(2);
        }
        stopping = true;
        join();
        assertThat(failure).as("what an honest client was answered").isNull();
    }
}
