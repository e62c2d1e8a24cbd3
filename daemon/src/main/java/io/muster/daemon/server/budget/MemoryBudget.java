package io.muster.daemon.server.budget;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How much memory peers may have held for them, all together: messages that they have not sent to the end, answers that they do
 * not read, requests that stay open. Past it, whoever holds most is let go, and the next one, until the rest fits. One that is
 * left alone may hold what it likes, so that any message that is allowed at all can be sent and any answer read. For the core
 * thread.
 */
public final class MemoryBudget {
    private static final int SHARE_OF_HEAP = 8;
    private static final long LEAST = 4 << 20;

    private final long share;
    private long most;
    private final Set<Account> accounts = new HashSet<>();
    private final IdentityHashMap<Object, Answer> answers = new IdentityHashMap<>();
    private boolean enforcing;
    private long held;
    private volatile long shown;

    /** @param most in bytes */
    public MemoryBudget(long most) {
        this.share = most;
        this.most = most;
    }

    /** An eighth of the heap. What is held in buffers outside it has as much room again, and counts as if it were inside. */
    public static MemoryBudget ofHeap() {
        return new MemoryBudget(Math.max(LEAST, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
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

    /** Bytes held for all of them; on any thread. */
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

        /** What is held for the peer may have become more or less. It may be let go before this returns. */
        public void update() {
            refresh();
            if (held > most) {
                enforce();
            }
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

        /** Of what it shares with others, its part. */
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
                next.holder.letGo("unfinished messages and unread answers take " + megabytes + " MiB of all peers' "
                        + (most >> 20) + ", and its own take most");
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
