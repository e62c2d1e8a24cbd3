package io.muster.daemon.net;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits how much memory the daemon holds for peers, for all of them together: messages that have not arrived completely,
 * requests that wait until the peer reads earlier responses, responses that the peer does not read, and requests that stay
 * open.
 *
 * <p>While at least half of the budget is free, every request may wait. After that, a request of a peer that does not read
 * and has more than {@link #FREE} bytes waiting already is responded to with an error ({@link Account#isTight}). When the
 * budget is used up, the connection of such a peer is closed ({@link Account#isFull}).
 *
 * <p>There are two budgets. The budget for guests also closes the connection for which most memory is held, and then the
 * next one, until the rest fits; a guest that is alone may use any amount, so that it can send any message that is allowed
 * and read any response. The budget for all other users, whom the configuration names, closes no connection because of responses
 * that others do not read: it refuses further large responses ({@link Account#refusal}). If messages from these users alone, unfinished
 * or waiting, exceed it, it closes the connection with most of them: no scheduler sends large messages. Used on the core thread.
 */
public final class MemoryBudget {
    /** The number of bytes that a peer may have waiting, regardless of the memory that is held for other peers. */
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
     * @param most the size of the budget in bytes
     * @param closes whether the connections for which most memory is held are closed if the budget is exceeded
     */
    public MemoryBudget(long most, boolean closes) {
        this.share = most;
        this.most = most;
        this.closes = closes;
    }

    /**
     * Returns the budget for guests: an eighth of the heap. Buffers outside the heap count as if they were inside; Netty has
     * as much room for them again.
     */
    public static MemoryBudget ofGuests() {
        return new MemoryBudget(ofHeap(GUESTS_SHARE_OF_HEAP), true);
    }

    /** Returns the budget for the owner, admins and schedulers: a quarter of the heap. */
    public static MemoryBudget ofOthers() {
        return new MemoryBudget(ofHeap(OTHERS_SHARE_OF_HEAP), false);
    }

    private static long ofHeap(int share) {
        return Math.max(LEAST, Runtime.getRuntime().maxMemory() / share);
    }

    /**
     * Sets the least size of the budget, even if its share of the heap is smaller, so that any message that is allowed fits.
     */
    public void atLeast(long bytes) {
        most = Math.max(share, bytes);
    }

    /** A connection for which memory is held. */
    public interface Holder {
        /** Returns the number of bytes that are held for this connection alone now. */
        long holds();

        /** Returns how many of these bytes are messages that are not complete, or that wait although the peer reads its responses. */
        default long unserved() {
            return 0;
        }

        /** Closes the connection and releases its memory at once. */
        void closeNow(String why);
    }

    /** A payload that waits to be read by one peer or by several. Its memory counts once. */
    private static final class Answer {
        private final Object payload;
        private final int length;
        private int readers;

        Answer(Object payload, int length) {
            this.payload = payload;
            this.length = length;
        }
    }

    /** Returns the number of bytes that are held for all peers. May be called from any thread. */
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

    /** The memory that is held for one peer. */
    public final class Account {
        private final Holder holder;
        private final List<Answer> unread = new ArrayList<>();
        private long own;

        private Account(Holder holder) {
            this.holder = holder;
        }

        /**
         * Computes the memory of the peer anew. If the budget is exceeded, connections are closed, which may include the one
         * of this peer.
         */
        public void update() {
            refresh();
            if (held > most && (closes || holder.unserved() > FREE)) {
                enforce();
            }
        }

        /**
         * Returns whether a request of this peer must be refused if the peer does not read its responses. Uses the sums of
         * the last {@link #update}.
         */
        public boolean isTight() {
            return own > FREE && held > most / 2;
        }

        /** Returns whether there is no room even for the refusal of a request. Uses the sums of the last {@link #update}. */
        public boolean isFull() {
            return own > FREE && held > most;
        }

        /**
         * Returns why a response cannot wait to be read; null if it can. A response can always wait if another peer waits
         * for the same payload already, or if the memory held for all peers is at most as large as the response itself.
         *
         * @param answer the payload, compared by identity
         */
        public @Nullable String refusal(Object answer, int length) {
            if (closes || answers.containsKey(answer) || fits(length)) {
                return null;
            }
            accounts.forEach(Account::refresh); // some of the responses may have been sent since the last update
            return fits(length)
                    ? null
                    : "there is no room for this answer of " + length
                            + " bytes: answers that connections have not read take "
                            + held + " of " + most
                            + " bytes; read these answers or close their connections, then ask again, or give the daemon a larger "
                            + "heap";
        }

        private boolean fits(int length) {
            return held + length <= Math.max(most, 2L * length);
        }

        /**
         * Notes that this peer waits for a payload.
         *
         * @param answer the payload, compared by identity
         */
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

        /**
         * Returns the number of bytes that are held for this peer alone, plus its share of payloads for which several peers
         * wait.
         */
        private long weight() {
            long sum = own;
            for (Answer shared : unread) {
                sum += shared.length / shared.readers;
            }
            return sum;
        }
    }

    /**
     * Closes connections until the budget suffices. All accounts are updated first, because some responses may have been
     * sent since they were last counted.
     */
    private void enforce() {
        if (enforcing) {
            return;
        }
        enforcing = true;
        try {
            accounts.forEach(Account::refresh);
            if (!closes) {
                limitUnserved();
                return;
            }
            for (Account next = heaviest(); held > most && next != null; next = heaviest()) {
                long megabytes = held >> 20;
                next.close();
                next.holder.closeNow("unfinished messages, waiting requests and unread answers take " + megabytes
                        + " MiB of all peers' " + (most >> 20) + ", and those of this peer take most");
            }
        } finally {
            enforcing = false;
        }
    }

    /** Closes connections until the messages that the rest have sent fit. A peer that is alone may send any message that is allowed. */
    private void limitUnserved() {
        while (true) {
            Account heaviest = null;
            long largest = 0;
            long sum = 0;
            for (Account account : accounts) {
                long unserved = account.holder.unserved();
                sum += unserved;
                if (unserved > largest) {
                    heaviest = account;
                    largest = unserved;
                }
            }
            if (heaviest == null || sum <= most || sum == largest) {
                return;
            }
            heaviest.close();
            heaviest.holder.closeNow("messages that are unfinished or wait take " + (sum >> 20) + " MiB of all peers' "
                    + (most >> 20) + ", and those of this peer take most");
        }
    }

    /** Returns the account with the most memory; null if at most one account has any. */
    private @Nullable Account heaviest() {
        Account heaviest = null;
        long weight = 0;
        int holding = 0;
        for (Account account : accounts) {
            long accountWeight = account.weight();
            holding += accountWeight > 0 ? 1 : 0;
            if (accountWeight > weight) {
                heaviest = account;
                weight = accountWeight;
            }
        }
        return holding > 1 ? heaviest : null;
    }
}
