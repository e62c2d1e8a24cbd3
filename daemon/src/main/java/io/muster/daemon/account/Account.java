package io.muster.daemon.account;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Request;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one user has in the daemon: memory, connections, requests, streams, readers of events, and changes in a second. Bytes are
 * counted from the first one of a request until its answer is read, whatever the request waits for.
 */
public final class Account extends Memory {
    /** Bytes for which there is always room: of a connection of the owner, so that one program of the owner never stops another one. */
    private static final long FREE_OF_OWNER = 1 << 16;

    /** Bytes for which there is always room: of any other connection. The number of connections is limited. */
    private static final long FREE = 1 << 12;

    /** The number of lines in the log about one user, and of wrong tokens of one address that are answered individually, in a minute. */
    public static final int A_MINUTE = 20;

    private static final long OF_REQUEST = 512;
    private static final int OF_ROUTE = 64;
    private static final double ONCE_A_MINUTE = 1 / 60.0;
    private static final int MOST_NESTED = 20_000;

    private final AccountBook book;
    private final Kind kind;
    private final String who;
    private final Map<Limit, AtomicInteger> counts = new EnumMap<>(Limit.class);
    private final Rate lines = new Rate();
    private final Rate complaints = new Rate();
    private final Rate guesses = new Rate();
    private final Rate changes = new Rate();
    private final Map<Integer, Account> nested = new HashMap<>();

    Account(AccountBook book, Kind kind, String who, Memory total) {
        super(total, book.most(kind));
        this.book = book;
        this.kind = kind;
        this.who = who;
        total.parts.incrementAndGet();
        for (Limit limit : Limit.values()) {
            counts.put(limit, new AtomicInteger());
        }
    }

    private AtomicInteger counter(Limit limit) {
        return Objects.requireNonNull(counts.get(limit));
    }

    AccountBook book() {
        return book;
    }

    /** Begins to count the memory of a connection. */
    public Holding open(Holding.Holder holder) {
        return book.open(this, holder);
    }

    Kind kind() {
        return kind;
    }

    @Override
    public String toString() {
        return who;
    }

    public boolean isOwners() {
        return kind == Kind.OWNER;
    }

    /** Returns the account of a user for whom this user sends requests. The bytes of the user count in both accounts. */
    public Account nested(int uid) {
        Account known = nested.get(uid);
        if (known != null) {
            return known;
        }
        if (nested.size() >= MOST_NESTED) {
            return this;
        }
        Account fresh = new Account(book, Kind.NESTED, who + "/" + Integer.toUnsignedString(uid), this);
        nested.put(uid, fresh);
        return fresh;
    }

    // ---- memory

    /** Returns the memory of a request that is kept, in bytes: what an open stream takes, and everything that the request has. */
    public static long size(Request request) {
        Bytes payload = request.payload();
        long size = OF_REQUEST + request.topic().length() + (payload == null ? 0 : payload.length());
        for (String route : request.routes()) {
            size += OF_ROUTE + route.length();
        }
        return size;
    }

    /**
     * Takes memory, until {@link #give}.
     *
     * @param already the bytes that the connection has taken before
     * @throws Excess if there is no room
     */
    public void take(long bytes, long already) {
        checkRoom(bytes, already);
        add(bytes);
    }

    /** Takes memory after {@link #checkRoom}. */
    public void take(long bytes) {
        add(bytes);
    }

    public void give(long bytes) {
        add(-bytes);
    }

    /** @throws Excess if there is no room for more bytes */
    public void checkRoom(long bytes, long already) {
        Memory full = already + bytes <= (kind == Kind.OWNER ? FREE_OF_OWNER : FREE) ? null : without(bytes);
        if (full != null) {
            String bytesOf = full.withoutAnswers() + " of " + full.most() + " bytes";
            boolean isUsers = full instanceof Account;
            String sentence = isUsers
                    ? "the requests and unread answers of " + full + " take " + bytesOf
                            + ": read the answers and end streams, then send this request again"
                    : "the daemon's memory for requests of " + full + " is used up (" + bytesOf
                            + "): send this request again later";
            complain(Limit.BYTES, isUsers ? full.toString() : "the daemon", sentence);
            throw new Excess(sentence, 1);
        }
    }

    // ---- what is counted

    /** @throws Excess if the user has as many already */
    public void begin(Limit limit, int most, String noun) {
        count(limit, 1);
        check(limit, most, noun);
    }

    void count(Limit limit, int change) {
        counter(limit).addAndGet(change);
    }

    void check(Limit limit, int most, String noun) {
        if (count(limit) > most) {
            end(limit);
            throw excess(limit, who + " has " + most + " " + noun + " already, which is the limit", 1);
        }
    }

    public void end(Limit limit) {
        count(limit, -1);
    }

    public int count(Limit limit) {
        return counter(limit).get();
    }

    /** @throws Excess if the user may open no further stream or waiting request */
    public void checkStreams() {
        int most = book.streams(kind);
        if (count(Limit.STREAMS) >= most) {
            throw excess(Limit.STREAMS, who + " has " + most + " streams and waiting requests open already", 1);
        }
    }

    public void beginStream() {
        count(Limit.STREAMS, 1);
    }

    /** Begins a reader of events over HTTP. */
    public void beginReader() {
        begin(Limit.READERS, book.limits().readers(), "readers of events (muster.max-readers)");
    }

    /**
     * Counts a change: once for each KiB that is begun, because the journal keeps it.
     *
     * @throws Excess if the user makes too many
     */
    public void change(int bytes) {
        AccountBook.Limits limits = book.limits();
        double wait = changes.take(book.now(), 1 + (bytes >> 10), limits.changes(), limits.burst());
        if (wait > 0) {
            int seconds = (int) Math.min(Integer.MAX_VALUE, Math.ceil(wait));
            throw excess(
                    Limit.CHANGES,
                    "not done: " + who + ", who lacks the right change, makes more than " + limits.changes()
                            + " changes of 1 KiB a second (muster.hold-rate): send this request again in " + seconds
                            + " s",
                    seconds);
        }
    }

    /** Counts a refusal, which the log has once a minute. */
    public Excess excess(Limit limit, String sentence, int seconds) {
        complain(limit, who, sentence);
        return new Excess(sentence, seconds);
    }

    private void complain(Limit limit, String by, String sentence) {
        boolean loud = complaints.take(book.now(), 1, ONCE_A_MINUTE, 1) == 0;
        book.refused(limit, loud ? by + " is past a limit, which is logged once a minute: " + sentence : null);
    }

    // ---- what the log has

    /** Returns whether one more line about this user may be written to the log now, and counts it. */
    public boolean mayLog() {
        return lines.take(book.now(), 1, A_MINUTE * ONCE_A_MINUTE, A_MINUTE) == 0;
    }

    /** Counts a wrong token. Returns whether the log is to have it, which is so once a minute. */
    public boolean guess() {
        var unused = guesses.take(book.now(), 1, A_MINUTE * ONCE_A_MINUTE, A_MINUTE + 1);
        return complaints.take(book.now(), 1, ONCE_A_MINUTE, 1) == 0;
    }

    /** Returns whether more wrong tokens came from this address than are answered individually. */
    public boolean isGuessing() {
        return guesses.used(book.now(), A_MINUTE * ONCE_A_MINUTE) > A_MINUTE;
    }

    // ---- the end

    /** Returns whether nothing would be lost if the account were forgotten. */
    boolean isBlank(long now) {
        boolean unused = held() == 0
                && lines.used(now, A_MINUTE * ONCE_A_MINUTE) == 0
                && complaints.used(now, ONCE_A_MINUTE) == 0
                && guesses.used(now, A_MINUTE * ONCE_A_MINUTE) == 0
                && changes.used(now, book.limits().changes()) == 0;
        return unused && nested.isEmpty() && counts.values().stream().allMatch(each -> each.get() == 0);
    }

    /** Leaves the total if the account is not used. Returns whether the account is not used. */
    boolean leaves(long now) {
        boolean blank = isBlank(now);
        if (blank && total != null) {
            total.parts.decrementAndGet();
        }
        return blank;
    }

    void dropNested(long now) {
        nested.values().removeIf(each -> each.leaves(now));
    }
}
