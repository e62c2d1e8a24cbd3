package io.muster.bench;

import static java.util.Objects.requireNonNull;

import io.muster.it.harness.Peer;
import io.muster.measure.Samples;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

/**
 * Drains all ranks one after the other and then ends the drains, over the UNIX socket of a daemon and at a fixed rate. A change does not wait
 * for the answer to the one before, and its time begins when the rate makes it due.
 */
final class Changes implements AutoCloseable {
    private final Peer peer;
    private final int ranks;
    /** When the last change of each rank was due. */
    private final AtomicLongArray due;

    private final Map<Integer, Long> asked = new ConcurrentHashMap<>();
    private int step;

    Changes(Path socket, int ranks) throws IOException {
        this.peer = Peer.welcomed(socket);
        this.ranks = ranks;
        this.due = new AtomicLongArray(ranks);
    }

    /** @param nanos from when the first change was due until the last one was answered */
    record Result(Samples answers, int count, long nanos) {
        double rate() {
            return count * 1e9 / nanos;
        }
    }

    /** Returns the nanoseconds since the last change of a rank was due. */
    long since(int rank) {
        return System.nanoTime() - due.get(rank);
    }

    /** Makes changes while {@code more} accepts the nanoseconds since the first one. */
    Result run(int perSecond, LongPredicate more) throws IOException {
        int first = step;
        long start = System.nanoTime();
        Samples answers = new Samples(perSecond);
        CompletableFuture<Integer> last = new CompletableFuture<>();
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> receive(first, answers, last));
        while (more.test(System.nanoTime() - start)) {
            long at = start + TimeUnit.SECONDS.toNanos(step - first) / perSecond;
            for (long rest = at - System.nanoTime(); rest > 0; rest = at - System.nanoTime()) {
                LockSupport.parkNanos(rest);
            }
            send(at);
        }
        last.complete(step);
        send(System.nanoTime());
        reader.join();
        return new Result(answers, step - first, System.nanoTime() - start);
    }

    private void send(long at) throws IOException {
        int rank = step % ranks;
        boolean drains = step / ranks % 2 == 0;
        due.set(rank, at);
        asked.put(step, at);
        String json = "{\"targets\":\"" + rank + "\"}";
        peer.send(Peer.request(drains ? "resource.drain" : "resource.undrain", json, 0, step + 1));
        step++;
    }

    /** Reads the answers up to that of the change whose number {@code last} has in the end. */
    private void receive(int first, Samples answers, CompletableFuture<Integer> last) {
        try {
            for (int number = first; number <= last.getNow(Integer.MAX_VALUE); number++) {
                Response response = peer.receive();
                if (response == null || response.errnum() != 0) {
                    throw new IllegalStateException("a change failed: " + response);
                }
                answers.add(System.nanoTime() - requireNonNull(asked.remove(response.matchtag() - 1)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        peer.close();
    }
}
