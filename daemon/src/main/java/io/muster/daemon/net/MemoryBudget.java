package io.muster.daemon.net;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How much memory the daemon may hold for peers, for all of them together: messages that they have not sent to the end, requests that
 * wait until they read the answers to earlier ones, answers that they do not read, requests that stay open.
 *
 * <p>While half of it is free, every request may wait. After that, a request of a peer that does not read and has more than
 * {@link #FREE} bytes waiting already is answered with an error ({@link Account#isTight}); when all of it is taken, such a peer is
 * closed ({@link Account#isFull}). There are two budgets. That of guests also closes the peer for which most is held, and the next
 * one, until the rest fits; a guest that is alone may hold what it likes, so that it can send any message that is allowed at all and
 * read any answer. That of the others, whom the configuration names, closes nobody for what others hold: it refuses further large
 * answers ({@link Account#refusal}). For the core thread.
 */
public final class MemoryBudget {
    /** What a peer may have waiting whatever others have. */
    static final long FREE = 1 << 16;

    private static final int GUESTS_SHARE_OF_HEAP = 8;
    private static final int OTHERS_SHARE_OF_HEAP = 4;
    private static final long LEAST = 4 << 20;

    private final long share;
    private final boolean closes;
    private long most;
    private final Set<Account> accounts = new HashSet<>();
    private final IdentityHashMap<Object, Answer> answers = new IdentityHashMap<>();
    private boolean enforcing;
    private long held;
    private volatile long shown;

    /**
     * @param most in bytes
     * @param closes whether the peers for which most is held are closed when they hold more than this together
     */
    public MemoryBudget(long most, boolean closes) {
        this.share = most;
        this.most = most;
        this.closes = closes;
    }

    /** An eighth of the heap. What is held in buffers outside it has as much room again, and counts as if it were inside. */
    public static MemoryBudget ofGuests() {
        return new MemoryBudget(ofHeap(GUESTS_SHARE_OF_HEAP), true);
    }

    /** A quarter of the heap, for the owner, admins and schedulers. */
    public static MemoryBudget ofOthers() {
        return new MemoryBudget(ofHeap(OTHERS_SHARE_OF_HEAP), false);
    }

    private static long ofHeap(int share) {
        return Math.max(LEAST, Runtime.getRuntime().maxMemory() / share);
    }

    /** Whatever the share of the heap is: for what anybody is allowed. */
    public void atLeast(long bytes) {
        most = Math.max(share, bytes);
    }

    /** Somebody for whom memory is held. */
    public interface Holder {
        /** Bytes held for this one alone, as of now. */
        long holds();

        /** Gives all of it back at once. */
        void letGo(String why);
    }

    /** An answer that waits to be read, by one peer or by many: it is there once. */
    private static final class Answer {
        private final Object payload;
        private final int length;
        private int readers;

        Answer(Object payload, int length) {
            this.payload = payload;
            this.length = length;
        }
    }

    /** Bytes held for all peers. From any thread. */
    public long held() {
        return shown;
    }

    public Account open(Holder holder) {
        Account account = new Account(holder);
        accounts.add(account);
        return account;
    }

    private void change(long bytes) {
        held += bytes;
        shown = held;
    }

    /** What one peer costs. */
    public final class Account {
        private final Holder holder;
        private final List<Answer> unread = new ArrayList<>();
        private long own;

        private Account(Holder holder) {
            this.holder = holder;
        }

        /** What is held for the peer may have become more or less. The peer may be closed before this returns. */
        public void update() {
            refresh();
            if (held > most && closes) {
                enforce();
            }
        }

        /** Whether a request of a peer that does not read its answers is to be refused, by what the last {@link #update} found. */
        public boolean isTight() {
            return own > FREE && held > most / 2;
        }

        /** Whether there is no room even for the refusal of a request, by what the last {@link #update} found. */
        public boolean isFull() {
            return own > FREE && held > most;
        }

        /**
         * Why an answer cannot wait to be read; null if it can, as one always can where nobody else holds more than it is long, and
         * one that another peer waits for already.
         *
         * @param answer by its identity
         */
        public @Nullable String refusal(Object answer, int length) {
            if (closes || answers.containsKey(answer) || fits(length)) {
                return null;
            }
            accounts.forEach(Account::refresh); // some of it may have been sent since
            return fits(length)
                    ? null
                    : "there is no room for this answer of " + length
                            + " bytes: what connections have asked for and not read takes "
                            + held + " of " + most
                            + " bytes; read answers that wait or close connections that do not, then ask"
                            + " again, or give the daemon a larger heap";
        }

        private boolean fits(int length) {
            return held + length <= Math.max(most, 2L * length);
        }

        /** @param answer by its identity */
        public void waits(Object answer, int length) {
            Answer shared = answers.computeIfAbsent(answer, key -> new Answer(key, length));
            if (shared.readers++ == 0) {
                change(length);
            }
            unread.add(shared);
        }

        public void isRead(Object answer) {
            Answer shared = answers.get(answer);
            if (shared != null && unread.remove(shared)) {
                leave(shared);
            }
        }

        public void close() {
            if (accounts.remove(this)) {
                change(-own);
                own = 0;
                unread.forEach(this::leave);
                unread.clear();
            }
        }

        private void leave(Answer shared) {
            if (--shared.readers == 0) {
                answers.remove(shared.payload);
                change(-shared.length);
            }
        }

        private void refresh() {
            if (accounts.contains(this)) {
                long now = holder.holds();
                change(now - own);
                own = now;
            }
        }

        /** Bytes held for this peer alone, plus its share of answers that several peers wait for. */
        private long weight() {
            long sum = own;
            for (Answer shared : unread) {
                sum += shared.length / shared.readers;
            }
            return sum;
        }
    }

    /** What was sent since it was last counted is free already, so that is looked at first. */
    private void enforce() {
        if (enforcing) {
            return;
        }
        enforcing = true;
        try {
            accounts.forEach(Account::refresh);
            for (Account next = heaviest(); held > most && next != null; next = heaviest()) {
                long megabytes = held >> 20;
                next.close();
                next.holder.letGo("unfinished messages, waiting requests and unread answers take " + megabytes
                        + " MiB of all peers' " + (most >> 20) + ", and its own take most");
            }
        } finally {
            enforcing = false;
        }
    }

    /** Null if nobody but one holds anything. */
    private @Nullable Account heaviest() {
        Account heaviest = null;
        long weight = 0;
        int holding = 0;
        for (Account account : accounts) {
            long its = account.weight();
            holding += its > 0 ? 1 : 0;
            if (its > weight) {
                heaviest = account;
                weight = its;
            }
        }
        return holding > 1 ? heaviest : null;
    }
}
