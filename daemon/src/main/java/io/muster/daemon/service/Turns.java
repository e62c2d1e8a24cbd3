package io.muster.daemon.service;

import io.muster.daemon.core.Aside;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.ProtocolException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Responds to requests that take long to compute, one at a time, beside the core thread. Users take turns. Equal requests that wait
 * are computed once, for all who ask: many requests cost as much as one. Each response is computed from the situation at the moment
 * when the turn of the request comes, so a client that changed something sees its change.
 */
final class Turns<S> {
    /** The longest time in seconds that one response may take, so that others need not wait for minutes. */
    private static final int LONGEST = 20;

    /** The longest payload that is compared with others, because this happens on the core thread. */
    private static final int MOST_COMPARED = 4096;

    private final String noun;
    private final Supplier<S> situation;
    private final Work<S> work;
    private final Aside beside;
    private final LongSupplier nanos;
    private final boolean keeps;
    private final FairQueue<Object, Turn> waiting = new FairQueue<>();
    /** The questions that wait and are short, by their payloads. Not by hashes: clients could choose payloads with equal hashes. */
    private final Map<Bytes, Turn> questions = new TreeMap<>();

    private volatile @Nullable Kept<S> kept;
    private boolean busy;

    /**
     * @param noun the requests in the plural, for refusals
     * @param situation called on the core thread
     * @param work called beside the core thread, once at a time
     * @param nanos a clock, called beside the core thread
     * @param keeps whether the last answer is kept until {@code situation} returns another object
     */
    Turns(String noun, Supplier<S> situation, Work<S> work, Aside beside, LongSupplier nanos, boolean keeps) {
        this.noun = noun;
        this.situation = situation;
        this.work = work;
        this.beside = beside;
        this.nanos = nanos;
        this.keeps = keeps;
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

    /** A question, and those who asked it, by user. When its turn has come, nobody is added and nobody leaves. */
    private static final class Turn {
        private final Bytes payload;
        private final Map<Object, Set<Replier>> askers = new LinkedHashMap<>();
        private boolean begun;

        Turn(Bytes payload) {
            this.payload = payload;
        }

        List<Replier> replies() {
            return askers.values().stream().flatMap(Set::stream).toList();
        }
    }

    /** An answer that was computed from a situation. */
    private record Kept<S>(
            S situation, Bytes payload, @Nullable Bytes answer) {}

    /** @param asker the user, whose account counts the bytes of the user's waiting requests, which limits their number */
    void ask(Bytes payload, Object asker, Replier reply) {
        Turn turn =
                payload.length() <= MOST_COMPARED ? questions.computeIfAbsent(payload, Turn::new) : new Turn(payload);
        turn.askers.computeIfAbsent(asker, user -> new LinkedHashSet<>()).add(reply);
        waiting.add(asker, turn);
        reply.whenGone(() -> drop(asker, turn, reply));
        next();
    }

    /** Drops a request whose client has disconnected, unless its turn has come: its bytes do not count any more. */
    private void drop(Object asker, Turn turn, Replier reply) {
        Set<Replier> ofUser = turn.askers.get(asker);
        if (!turn.begun && ofUser != null && ofUser.remove(reply)) {
            if (ofUser.isEmpty()) {
                turn.askers.remove(asker);
                waiting.remove(asker, turn);
            }
            if (turn.askers.isEmpty()) {
                forget(turn);
            }
            reply.fail(gone());
        }
    }

    private void forget(Turn turn) {
        if (turn.payload.length() <= MOST_COMPARED) {
            questions.remove(turn.payload);
        }
    }

    /** Answers the oldest question of the next user. */
    @SuppressWarnings("ReferenceEquality") // comparing situations may take longer than computing an answer again
    private void next() {
        Turn turn = busy ? null : waiting.next(user -> true);
        if (turn == null) {
            return;
        }
        turn.begun = true;
        turn.askers.keySet().forEach(user -> waiting.remove(user, turn));
        forget(turn);
        List<Replier> replies = turn.replies();
        S now = situation.get();
        Kept<S> last = kept;
        if (last != null && last.situation == now && last.payload.equals(turn.payload)) {
            finish(replies, reply -> reply.done(last.answer));
            return;
        }
        busy = true;
        beside.run(
                () -> {
                    Consumer<Replier> answer = answer(turn.payload, replies, now);
                    return () -> finish(replies, answer);
                },
                bug -> finish(replies, reply -> failBug(reply, bug)));
    }

    private Consumer<Replier> answer(Bytes payload, List<Replier> replies, S now) {
        try {
            long start = nanos.getAsLong();
            checkWaits(replies);
            Bytes answer = work.answer(payload, now, () -> step(replies, start));
            kept = keeps ? new Kept<>(now, payload, answer) : null;
            return reply -> reply.done(answer);
        } catch (RpcException e) {
            return reply -> reply.fail(e);
        } catch (ProtocolException e) {
            return reply -> reply.fail(new RpcException(Errno.EPROTO, String.valueOf(e.getMessage())));
        }
    }

    private static void checkWaits(List<Replier> replies) {
        if (replies.stream().allMatch(Replier::isGone)) {
            throw gone();
        }
    }

    private void step(List<Replier> replies, long start) {
        checkWaits(replies);
        if (nanos.getAsLong() - start > TimeUnit.SECONDS.toNanos(LONGEST)) {
            throw new RpcException(
                    Errno.ETIMEDOUT,
                    "this takes longer than " + LONGEST + " seconds, which is the most for " + noun
                            + ": ask for less, with fewer terms");
        }
    }

    static RpcException gone() {
        return new RpcException(Errno.ECANCELED, "the client closed the connection");
    }

    private static void failBug(Replier reply, String sentence) {
        reply.fail(new RpcException(Errno.EIO, sentence));
    }

    private void finish(List<Replier> replies, Consumer<Replier> answer) {
        busy = false;
        try {
            beside.each(replies.iterator(), answer, Turns::failBug);
        } finally {
            next();
        }
    }
}
