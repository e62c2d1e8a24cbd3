package io.muster.daemon.account;

import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory that one connection of a user holds. Belongs to the thread that serves the connections.
 *
 * <p>While at least half of the memory of the user and of the total is free, every request may wait. After that, a request of a peer
 * that does not read and has more than {@link #FREE} bytes waiting already is responded to with an error ({@link #isTight}). When the
 * memory is used up, the connection of such a peer is closed ({@link #isFull}). Payloads that were allowed to wait ({@link #refusal})
 * do not count for that, because one of them may be longer than the memory of the user.
 */
public final class Holding {
    /** The number of bytes that a peer that does not read may have waiting, regardless of the memory that is held for others. */
    public static final long FREE = 1 << 16;

    private final Account account;
    private final Holder holder;
    /** The answers that this connection waits to read, with their lengths. */
    private final IdentityHashMap<Object, Integer> unread = new IdentityHashMap<>();

    private long own;
    private boolean closed;

    Holding(Account account, Holder holder) {
        this.account = account;
        this.holder = holder;
    }

    /** A connection for which memory is held. */
    public interface Holder {
        /** Returns the number of bytes that are held for this connection alone, without those that it has taken itself. */
        long holds();

        /** Returns how many of these bytes are messages that are not complete, or that wait although the peer reads its responses. */
        default long unserved() {
            return 0;
        }

        /** Returns the number of bytes that the connection has taken from the account, or from a nested one. */
        default long taken() {
            return 0;
        }

        /** Returns how many of these bytes are answers that wait to be read. */
        default long answers() {
            return 0;
        }

        /** Closes the connection and releases its memory at once. */
        void closeNow(String why);
    }

    public Account account() {
        return account;
    }

    /** Computes the memory anew. If a limit is exceeded, connections are closed, which may include this one. */
    public void update() {
        refresh();
        boolean guest = account.kind().isGuest();
        if (guest || holder.unserved() > (account.kind() == Kind.OWNER ? FREE : 0)) {
            for (Memory scope = account; scope != null; scope = scope.total) {
                if (scope.isOver(guest)) {
                    account.book().relieve(scope, guest);
                }
            }
        }
    }

    void refresh() {
        if (!closed) {
            long now = holder.holds();
            if (now != own) {
                account.add(now - own);
                own = now;
            }
        }
    }

    /** Returns whether a request of this peer must be refused if the peer does not read its responses. */
    public boolean isTight() {
        return isOver(2);
    }

    /** Returns whether there is no room even for the refusal of a request. */
    public boolean isFull() {
        return isOver(1);
    }

    private boolean isOver(int parts) {
        boolean over = false;
        for (Memory scope = account; scope != null; scope = scope.total) {
            over |= scope.withoutAnswers() > scope.most() / parts;
        }
        return over && own > FREE;
    }

    /**
     * Returns why a response cannot wait to be read; null if it can. A response can always wait if another peer of the user waits for the
     * same payload already. A guest may always be sent a response, and loses the connection that holds most if there are too many.
     */
    public @Nullable Excess refusal(Object answer, int length) {
        if (account.kind().isGuest()) {
            return null;
        }
        Memory full = account.without(answer, length);
        if (full != null) {
            account.book().refresh(full); // some of the responses may have been sent since the last update
            full = account.without(answer, length);
        }
        return full == null
                ? null
                : account.excess(
                        Limit.BYTES,
                        "there is no room for this answer of " + length + " bytes: unread answers of " + full
                                + " take " + full.held() + " of " + full.most()
                                + " bytes; read these answers or close their connections, then ask again, or give the"
                                + " daemon a larger heap",
                        1);
    }

    /** Notes that this peer waits for a payload, which is compared by identity. */
    public void waits(Object answer, int length) {
        if (unread.putIfAbsent(answer, length) == null) {
            account.waits(answer, length);
        }
    }

    public void isRead(Object answer) {
        Integer length = unread.remove(answer);
        if (length != null) {
            account.isRead(answer, length);
        }
    }

    public void close() {
        if (!closed) {
            closed = true;
            account.add(-own);
            own = 0;
            unread.forEach(account::isRead);
            unread.clear();
            account.book().leave(this);
        }
    }

    long unserved() {
        return holder.unserved();
    }

    /** Returns the bytes of this connection alone, and its share of payloads for which several connections in a memory wait. */
    long weight(Memory scope) {
        return own + holder.taken() + shared(scope);
    }

    /** Returns how much of that are answers that wait to be read. */
    long answers(Memory scope) {
        return holder.answers() + shared(scope);
    }

    private long shared(Memory scope) {
        long sum = 0;
        for (Map.Entry<Object, Integer> each : unread.entrySet()) {
            sum += each.getValue() / Math.max(1, scope.readers(each.getKey()));
        }
        return sum;
    }

    void closeNow(String why) {
        close();
        holder.closeNow(why);
    }
}
