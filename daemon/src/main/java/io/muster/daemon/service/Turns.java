package io.muster.daemon.service;

import io.muster.daemon.access.Identity;
import io.muster.daemon.core.Aside;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.ProtocolException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Responds to requests that take long to compute, one at a time, beside the core thread. Users take turns, so that a user
 * with many requests delays only that user's own requests. Each response is computed from the situation at the moment when
 * the turn of the request comes.
 */
final class Turns<S> {
    /**
     * The highest number of waiting requests of one user. A connection has at most one request in progress, so a user that
     * sends requests over a few connections is slowed down, not refused.
     */
    private static final int MOST_OF_ONE_USER = 4096;

    private static final int MOST = 4 * MOST_OF_ONE_USER;

    /** The longest time in seconds that one response may take, so that others need not wait for minutes. */
    private static final int LONGEST = 20;

    /** The highest number of bytes of waiting requests, which are kept in the heap, and the heap may be small. */
    private static final long MOST_BYTES =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);

    private final String noun;
    private final Supplier<S> situation;
    private final Work<S> work;
    private final Aside beside;
    private final LongSupplier nanos;
    private final Map<String, Deque<Turn>> waiting = new LinkedHashMap<>();
    private int count;
    private long bytes;
    private boolean busy;

    /**
     * @param noun the requests in the plural, for refusals
     * @param situation called on the core thread
     * @param work called beside the core thread, once at a time
     * @param nanos a clock, called beside the core thread
     */
    Turns(String noun, Supplier<S> situation, Work<S> work, Aside beside, LongSupplier nanos) {
        this.noun = noun;
        this.situation = situation;
        this.work = work;
        this.beside = beside;
        this.nanos = nanos;
    }

    /** Computes a response from the payload of a request. */
    interface Work<S> {
        /**
         * Computes the response.
         *
         * @param step called from time to time; the exception that it throws ends work that takes too long, or whose client
         *     has disconnected
         * @throws RpcException if the request is refused
         */
        @Nullable
        Bytes answer(Bytes payload, S situation, Runnable step) throws ProtocolException;
    }

    private record Turn(Bytes payload, Replier reply) {}

    void ask(Bytes payload, Identity asker, Replier reply) {
        String userKey = asker.who();
        Deque<Turn> ofUser = waiting.get(userKey);
        boolean full = count >= MOST || bytes + payload.length() > MOST_BYTES;
        if (ofUser != null && ofUser.size() >= MOST_OF_ONE_USER) {
            reply.fail(
                    new RpcException(Errno.EAGAIN, ofUser.size() + " of this user's " + noun + " are waiting already"));
            return;
        }
        if (ofUser != null && full) {
            reply.fail(new RpcException(
                    Errno.EAGAIN, count + " " + noun + " are waiting already, of this user's " + ofUser.size()));
            return;
        }
        waiting.computeIfAbsent(userKey, user -> new ArrayDeque<>()).add(new Turn(payload, reply));
        count++;
        bytes += payload.length();
        next();
    }

    /** Starts the oldest request of the next user. If the user has more requests, the user goes to the end of the queue. */
    private void next() {
        if (busy || waiting.isEmpty()) {
            return;
        }
        Iterator<Map.Entry<String, Deque<Turn>>> line = waiting.entrySet().iterator();
        Map.Entry<String, Deque<Turn>> first = line.next();
        String userKey = first.getKey();
        Deque<Turn> ofUser = first.getValue();
        line.remove();
        Turn turn = ofUser.remove();
        if (!ofUser.isEmpty()) {
            waiting.put(userKey, ofUser);
        }
        count--;
        bytes -= turn.payload().length();
        busy = true;
        S now = situation.get();
        beside.run(
                () -> {
                    Runnable answer = answer(turn, now);
                    return () -> finish(answer);
                },
                bug -> finish(() -> turn.reply().fail(new RpcException(Errno.EIO, bug))));
    }

    private Runnable answer(Turn turn, S now) {
        try {
            long start = nanos.getAsLong();
            Bytes answer = work.answer(turn.payload(), now, () -> step(turn, start));
            return () -> turn.reply().done(answer);
        } catch (RpcException e) {
            return () -> turn.reply().fail(e);
        } catch (ProtocolException e) {
            return () -> turn.reply().fail(new RpcException(Errno.EPROTO, String.valueOf(e.getMessage())));
        }
    }

    private void step(Turn turn, long start) {
        if (turn.reply().isGone()) {
            throw new RpcException(Errno.ECANCELED, "the client closed the connection");
        }
        if (nanos.getAsLong() - start > TimeUnit.SECONDS.toNanos(LONGEST)) {
            throw new RpcException(
                    Errno.ETIMEDOUT,
                    "this takes longer than " + LONGEST + " seconds, which is the most for " + noun
                            + ": ask for less, with fewer terms");
        }
    }

    private void finish(Runnable answer) {
        busy = false;
        try {
            answer.run();
        } finally {
            next();
        }
    }
}
