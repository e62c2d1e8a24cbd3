package io.muster.daemon.account;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The accounts of all users, inside totals: guests together may use an eighth of the heap, all others a quarter, of which a quarter is
 * reserved for the owner. Buffers outside the heap count as if they were inside; Netty has as much room for them again. One person may
 * have very many users, so the number of accounts is limited for guests and for addresses, each on its own: an account
 * that is not used is dropped.
 */
public final class AccountBook {
    private static final int HEAP_TO_OTHERS = 4;
    private static final int OTHERS_TO_USER = 8;
    private static final long LEAST = 8 << 20;
    private static final int MOST_STREAMS = 4096;
    private static final int MOST_STREAMS_NESTED = 64;
    /** Guests beyond this number share an account, and so do addresses. */
    private static final int MOST_ACCOUNTS = 10_000;

    private final LongSupplier nanos;
    private final Memory others;
    private final Memory users;
    private final Memory guests;
    private final Memory strangers;
    private final Map<Kind, Map<String, Account>> accounts = new EnumMap<>(Kind.class);
    /** The connections, which belong to the thread that serves them. */
    private final Set<Holding> holdings = new HashSet<>();

    private boolean relieving;
    private volatile long ofUser;
    private volatile Limits limits = new Limits(32, 50, 5000);
    private volatile Refusals refusals = (limit, line) -> {};

    /** Receives each refusal, on any thread. */
    public interface Refusals {
        /** @param line a line for the log, which is there once a minute for each account */
        void refused(Limit limit, @Nullable String line);
    }

    /**
     * @param readers how many readers of events a user may have
     * @param changes how many changes a user who may only place holds may make in a second
     * @param burst how many of these changes at once
     */
    public record Limits(int readers, int changes, int burst) {}

    /** A total with a name for people. */
    private static final class Total extends Memory {
        private final String name;

        Total(String name, @Nullable Memory outer, long most) {
            super(outer, most);
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * @param most the bytes for all users who are no guests
     * @param nanos a monotonic clock in nanoseconds
     */
    public AccountBook(long most, LongSupplier nanos) {
        this.nanos = nanos;
        for (Kind kind : Kind.values()) {
            accounts.put(kind, new ConcurrentHashMap<>());
        }
        this.others = new Total("all users", null, most);
        this.users = new Total("all users but the owner", others, most - most / 4);
        this.guests = new Total("all guests", null, most / 2);
        this.strangers = new Total("all addresses", guests, most / 4);
        this.ofUser = most / OTHERS_TO_USER;
    }

    /** Returns a book whose totals follow from the heap. */
    public static AccountBook ofHeap() {
        return new AccountBook(Math.max(LEAST, Runtime.getRuntime().maxMemory() / HEAP_TO_OTHERS), System::nanoTime);
    }

    /**
     * Sets the limits of accounts that are opened from now on.
     *
     * @param ofGuest the least number of bytes for a user
     */
    public void configure(Limits next, long ofGuest) {
        limits = next;
        ofUser = Math.max(others.most() / OTHERS_TO_USER, ofGuest);
        guests.atMost(Math.max(others.most() / 2, ofGuest));
    }

    public void onRefusal(Refusals next) {
        refusals = next;
    }

    public Limits limits() {
        return limits;
    }

    long now() {
        return nanos.getAsLong();
    }

    long most(Kind kind) {
        return switch (kind) {
            case OWNER -> others.most();
            case SPEAKER -> others.most() / 2;
            default -> ofUser;
        };
    }

    /** The owner's streams are limited for each connection only: a bridge of Flux may be the owner's as well as an admin. */
    int streams(Kind kind) {
        return switch (kind) {
            case OWNER, SPEAKER -> Integer.MAX_VALUE;
            case NESTED -> MOST_STREAMS_NESTED;
            default -> MOST_STREAMS;
        };
    }

    /** Returns the bytes that are held for guests or for all other users. May be called on any thread. */
    public long held(boolean ofGuests) {
        return (ofGuests ? guests : others).held();
    }

    /** Returns the account of a user, or of an address. May be called on any thread. */
    public Account account(Kind kind, String who) {
        return of(kind).computeIfAbsent(name(kind, who), name -> open(kind, name));
    }

    /**
     * Returns the account of a user, which stays until {@link Account#end}. May be called on any thread.
     *
     * @throws Excess if the user has as many already
     */
    public Account begin(Kind kind, String who, Limit limit, int most, String noun) {
        Account account = of(kind).compute(name(kind, who), (name, known) -> {
            Account found = known == null ? open(kind, name) : known;
            found.count(limit, 1);
            return found;
        });
        account.check(limit, most, noun);
        return account;
    }

    private Map<String, Account> of(Kind kind) {
        return Objects.requireNonNull(accounts.get(kind));
    }

    private String name(Kind kind, String who) {
        String shared = kind.shared(MOST_ACCOUNTS);
        Map<String, Account> known = of(kind);
        return shared == null || known.size() < MOST_ACCOUNTS || known.containsKey(who) ? who : shared;
    }

    private Account open(Kind kind, String who) {
        Memory total = switch (kind) {
            case OWNER -> others;
            case GUEST -> guests;
            case STRANGER -> strangers;
            default -> users;
        };
        return new Account(this, kind, who, total);
    }

    /** Drops accounts that are not used. To be called every few seconds, on the thread that serves the connections. */
    public void sweep() {
        long now = now();
        for (Map<String, Account> known : accounts.values()) {
            for (String who : known.keySet()) {
                known.computeIfPresent(who, (same, each) -> {
                    each.dropNested(now);
                    return each.leaves(now) ? null : each;
                });
            }
        }
    }

    /** Returns the number of accounts. */
    int size() {
        return accounts.values().stream().mapToInt(Map::size).sum();
    }

    void refused(Limit limit, @Nullable String line) {
        refusals.refused(limit, line);
    }

    // ---- connections

    Holding open(Account account, Holding.Holder holder) {
        Holding holding = new Holding(account, holder);
        holdings.add(holding);
        return holding;
    }

    void leave(Holding holding) {
        holdings.remove(holding);
    }

    void refresh(Memory scope) {
        holdings.stream().filter(each -> each.account().isIn(scope)).forEach(Holding::refresh);
    }

    /**
     * Closes connections until the rest fits. Of guests, the connection that holds most of the guest who holds most is closed first. Of
     * all others, only messages that are unfinished or wait cause that: a scheduler whose connection is closed loses its acquisition, and
     * it sends no large messages. A connection that is alone may send any message that is allowed. One connection of each user may read any
     * response.
     */
    void relieve(Memory scope, boolean guestsOnly) {
        if (relieving) {
            return;
        }
        relieving = true;
        try {
            refresh(scope);
            List<Holding> among =
                    holdings.stream().filter(each -> each.account().isIn(scope)).toList();
            if (guestsOnly) {
                String what = "unfinished messages, waiting requests and unread answers";
                relieve(scope, among, what, each -> each.weight(scope), left -> counted(scope, left));
            } else {
                String what = "messages that are unfinished or wait";
                relieve(scope, among, what, Holding::unserved, AccountBook::unserved);
            }
            scope.relieved(guestsOnly);
        } finally {
            relieving = false;
        }
    }

    /**
     * Returns the bytes of connections of guests, without what guests hold over HTTP: to close a connection releases none of that. For a single user, the longest answers of one connection do not count: an answer may be
     * longer than the memory of the user, who may read it while other connections are open.
     */
    private static long counted(Memory scope, List<Holding> among) {
        long answers = scope instanceof Account
                ? among.stream().mapToLong(each -> each.answers(scope)).max().orElse(0)
                : 0;
        return among.stream().mapToLong(each -> each.weight(scope)).sum() - answers;
    }

    private static long unserved(List<Holding> among) {
        return among.stream().mapToLong(Holding::unserved).sum();
    }

    private static void relieve(
            Memory scope,
            List<Holding> among,
            String what,
            ToLongFunction<Holding> size,
            ToLongFunction<List<Holding>> sum) {
        List<Holding> left = new ArrayList<>(among);
        left.removeIf(each -> size.applyAsLong(each) == 0);
        Comparator<Holding> order =
                Comparator.<Holding>comparingLong(each -> each.account().held()).thenComparingLong(size);
        while (left.size() > 1 && sum.applyAsLong(left) > scope.most()) {
            Holding heaviest = Collections.max(left, order);
            left.remove(heaviest);
            heaviest.closeNow(what + " take " + (scope.held() >> 20) + " MiB of the " + (scope.most() >> 20)
                    + " MiB of " + scope + ", and those of this connection take most");
        }
    }
}
