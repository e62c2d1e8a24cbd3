package io.muster.daemon.service;

import io.muster.daemon.account.Account;
import io.muster.daemon.core.Aside;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.ProtocolException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
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
    /** The longest time in seconds that one response may take, so that others need not wait for minutes. */
    private static final int LONGEST = 20;

    private final String noun;
    private final Supplier<S> situation;
    private final Work<S> work;
    private final Aside beside;
    private final LongSupplier nanos;
    private final Map<Account, Set<Turn>> waiting = new LinkedHashMap<>();
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

    /** A request, which equals no other one, whatever its payload is. */
    private static final class Turn {
        private final Bytes payload;
        private final Replier reply;

        Turn(Bytes payload, Replier reply) {
            this.payload = payload;
            this.reply = reply;
        }
    }

    /** @param asker counts the bytes of the user's waiting requests, which limits their number */
    void ask(Bytes payload, Account asker, Replier reply) {
        Turn turn = new Turn(payload, reply);
        waiting.computeIfAbsent(asker, user -> new LinkedHashSet<>()).add(turn);
        reply.whenGone(() -> drop(asker, turn));
        next();
    }

    /** Drops a request whose client has disconnected, unless its turn has come: its bytes do not count any more. */
    private void drop(Account asker, Turn turn) {
        Set<Turn> ofUser = waiting.get(asker);
        if (ofUser != null && ofUser.remove(turn)) {
            if (ofUser.isEmpty()) {
                waiting.remove(asker);
            }
            turn.reply.fail(gone());
        }
    }

    /** Starts the oldest request of the next user. If the user has more requests, the user goes to the end of the queue. */
    private void next() {
        if (busy || waiting.isEmpty()) {
            return;
        }
        Iterator<Map.Entry<Account, Set<Turn>>> line = waiting.entrySet().iterator();
        Map.Entry<Account, Set<Turn>> first = line.next();
        Account asker = first.getKey();
        Set<Turn> ofUser = first.getValue();
        line.remove();
        Turn turn = ofUser.iterator().next();
        ofUser.remove(turn);
        if (!ofUser.isEmpty()) {
            waiting.put(asker, ofUser);
        }
        busy = true;
        S now = situation.get();
        beside.run(
                () -> {
                    Runnable answer = answer(turn, now);
                    return () -> finish(answer);
                },
                bug -> finish(() -> turn.reply.fail(new RpcException(Errno.EIO, bug))));
    }

    private Runnable answer(Turn turn, S now) {
        try {
            long start = nanos.getAsLong();
            checkWaits(turn);
            Bytes answer = work.answer(turn.payload, now, () -> step(turn, start));
            return () -> turn.reply.done(answer);
        } catch (RpcException e) {
            return () -> turn.reply.fail(e);
        } catch (ProtocolException e) {
            return () -> turn.reply.fail(new RpcException(Errno.EPROTO, String.valueOf(e.getMessage())));
        }
    }

    private static void checkWaits(Turn turn) {
        if (turn.reply.isGone()) {
            throw gone();
        }
    }

    private void step(Turn turn, long start) {
        checkWaits(turn);
        if (nanos.getAsLong() - start > TimeUnit.SECONDS.toNanos(LONGEST)) {
            throw new RpcException(
                    Errno.ETIMEDOUT,
                    "this takes longer than " + LONGEST + " seconds, which is the most for " + noun
                            + ": ask for less, with fewer terms");
        }
    }

    private static RpcException gone() {
        return new RpcException(Errno.ECANCELED, "the client closed the connection");
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
