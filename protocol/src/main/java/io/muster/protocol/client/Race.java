package io.muster.protocol.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the first of several servers that answers. Each server has a head start before the next one is tried beside it, so that a
 * server that accepts connections and does not answer costs the head start only, and a usual connection costs nothing more.
 */
final class Race {
    private final Servers servers;
    private final Duration timeout;
    private final Attempt attempt;
    private final LinkedBlockingQueue<Result> results = new LinkedBlockingQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    /** The servers that have not answered yet, in the order of their start. */
    private final Set<String> running = new LinkedHashSet<>();

    private boolean over;

    /** Connects to one server. */
    @FunctionalInterface
    interface Attempt {
        ClientConnection open(String server, Deadline deadline) throws IOException;
    }

    private record Result(
            String server,
            @Nullable ClientConnection connection,
            @Nullable Throwable failure) {}

    /** @param timeout limit for connecting to the last server; zero waits without end */
    Race(Servers servers, Duration timeout, Attempt attempt) {
        this.servers = servers;
        this.timeout = timeout;
        this.attempt = attempt;
    }

    /** @throws IOException the last failure, if all attempts failed */
    ClientConnection run() throws IOException {
        List<String> order = servers.inOrder();
        int begun = 0;
        try {
            while (true) {
                String last = order.get(begun);
                start(last);
                begun++;
                ClientConnection winner = await(last, begun == order.size());
                if (winner != null) {
                    return winner;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while connecting");
        } finally {
            end();
        }
    }

    /**
     * Waits for an answer.
     *
     * @param isLast whether there is no server left to try
     * @return null if the next server is to be tried
     */
    private @Nullable ClientConnection await(String latest, boolean isLast) throws IOException, InterruptedException {
        long end = System.nanoTime() + Servers.headStart(latest).toNanos();
        while (true) {
            Result result = isLast ? results.take() : results.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (result == null) {
                return null;
            }
            running.remove(result.server);
            if (result.connection != null) {
                running.stream().takeWhile(server -> !server.equals(latest)).forEach(servers::isSilent);
                return result.connection;
            }
            Throwable failure = Objects.requireNonNull(result.failure);
            if (failure instanceof SocketTimeoutException) {
                servers.isSilent(result.server);
            }
            if (failure instanceof RuntimeException bug) {
                throw bug;
            }
            if (failure instanceof Error bug) {
                throw bug;
            }
            if (running.isEmpty()) {
                if (isLast) {
                    throw (IOException) failure;
                }
                return null;
            }
        }
    }

    private void start(String server) {
        running.add(server);
        Deadline deadline = Deadline.ofTimeout(servers.patience(server, timeout));
        Thread thread = new Thread(() -> finish(server, deadline), "connect");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void finish(String server, Deadline deadline) {
        Result result;
        try {
            result = new Result(server, attempt.open(server, deadline), null);
        } catch (IOException | RuntimeException | Error e) {
            result = new Result(server, null, e);
        }
        synchronized (this) {
            if (!over) {
                results.add(result);
                return;
            }
        }
        close(result);
    }

    private synchronized void end() {
        over = true;
        threads.forEach(Thread::interrupt);
        results.forEach(Race::close);
    }

    private static void close(Result result) {
        try {
            if (result.connection != null) {
                result.connection.close();
            }
        } catch (IOException e) {
            // nothing was sent over it
        }
    }
}
