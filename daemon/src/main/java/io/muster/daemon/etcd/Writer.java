package io.muster.daemon.etcd;

import io.muster.daemon.etcd.Etcd.Compare;
import io.muster.daemon.etcd.Etcd.Entry;
import io.muster.daemon.etcd.Etcd.Op;
import io.muster.daemon.etcd.Etcd.Result;
import io.muster.daemon.etcd.EtcdException.Fate;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes the log in one term. A transaction is sent repeatedly, to any member, until etcd's answer shows its outcome. The
 * conditions of the transaction ensure that it is carried out at most once. Belongs to one thread, except {@link #listen}.
 */
final class Writer {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int LONGEST_PAUSE = 10;
    /** How long after a failure the leader tries again to write its time. */
    private static final long TELL_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Store store;
    private final long term;
    private final long lease;
    private final String nonce;
    private final Duration patience;
    private final Machine machine;
    private volatile EventGroup.Head head;
    private long groups;
    /** When the last transaction was sent whose answer showed that this daemon led. */
    private volatile long ledAt;
    /** Whether another daemon may lead, because etcd has not renewed the lease for so long. */
    private volatile boolean silent;

    private long toldAt;

    /**
     * @param lease the lease of the key of the leader
     * @param nonce a random text: a restored etcd gives out the same revisions again
     */
    Writer(Store store, long term, EventGroup.Head head, long lease, String nonce, Duration patience) {
        this.store = store;
        this.term = term;
        this.lease = lease;
        this.head = head;
        this.nonce = nonce;
        this.patience = patience;
        this.machine = store.machine();
        this.ledAt = machine.nanos();
        this.toldAt = ledAt - Candidacy.TELL_NANOS;
    }

    long term() {
        return term;
    }

    long lease() {
        return lease;
    }

    EventGroup.Head head() {
        return head;
    }

    long ledAt() {
        return ledAt;
    }

    void led(long asked) {
        ledAt = asked;
    }

    /** The group that follows the last one. */
    EventGroup next(long last, Level level, byte[] lines) {
        String txn = Keys.digits(head.seq() + 1, 16) + "-" + Long.toHexString(term) + "-" + Long.toHexString(++groups)
                + "-" + nonce;
        return EventGroup.of(head.seq() + 1, last, txn, head.txn(), level, lines);
    }

    /** Tests whether etcd accepts writes again, with a key that has no meaning. */
    boolean probe() {
        try {
            return store.fenced(term, List.of(new Op.Put(store.keys().prefix() + "probe", "")), Store.ATTEMPT_MILLIS);
        } catch (EtcdException e) {
            return false;
        }
    }

    /** Reads whether the term still lasts. */
    boolean lasts() throws EtcdException, ForeignException {
        Store.View view = store.view(head.seq() + 1, 1, Store.ATTEMPT_MILLIS);
        boolean lasts = view.term() == term;
        if (lasts && !view.head().txn().equals(head.txn())) {
            throw new ForeignException("somebody else has written to the ledger in the term of this daemon");
        }
        if (lasts) {
            ledAt = view.asked();
        }
        store.etcd().nearLeader();
        return lasts;
    }

    /**
     * Notes whether another daemon may lead. Called on the thread lease-clock.
     *
     * @param lives whether the lease lives; an answered write shows only that the lease lived when etcd made the write
     * @return whether this has changed
     */
    boolean listen(boolean lives) {
        boolean before = silent;
        silent = !lives;
        return silent != before;
    }

    boolean isSilent() {
        return silent;
    }

    /** Writes the time of this daemon every 15 seconds, for the others to compare, if this daemon knows the time. */
    void tell(RoleActions actions) {
        long now = machine.nanos();
        if (now - toldAt < Candidacy.TELL_NANOS) {
            return;
        }
        toldAt = now;
        OptionalDouble time = actions.time();
        if (time.isEmpty()) {
            return;
        }
        String seconds = String.format(Locale.ROOT, "%.6f", time.getAsDouble());
        try {
            store.fenced(term, List.of(new Op.Put(store.keys().clock(), seconds)), Store.ATTEMPT_MILLIS);
        } catch (EtcdException e) {
            toldAt = now - Candidacy.TELL_NANOS + TELL_AGAIN_NANOS;
        }
    }

    enum Kind {
        /** The group is in the log. */
        DURABLE,
        /** The group is not in the log and never will be; this daemon still leads. */
        FAILED,
        /** The group is not in the log yet, and may come into it as long as the term lasts. */
        UNCERTAIN,
        /** The term has ended. The log shows whether it has the group. */
        ENDED
    }

    /** @param reason one sentence; "" if the group is durable */
    record Verdict(Kind kind, String reason) {
        static final Verdict DURABLE = new Verdict(Kind.DURABLE, "");
    }

    /** Writes a group, and waits for the outcome for no longer than the patience. */
    Verdict write(EventGroup group) throws ForeignException {
        long start = machine.nanos();
        Compare parts = null;
        List<byte[]> pieces = group.parts() == 0 ? List.of() : Pack.pieces(group.body());
        for (int i = 0; i < pieces.size(); i++) {
            try {
                parts = writePart(group, parts == null ? store.leads(term) : parts, i, pieces.get(i), start);
                if (parts == null) {
                    return refused(group, ends());
                }
            } catch (EtcdException e) {
                return new Verdict(Kind.FAILED, e.sentence());
            }
        }
        boolean unanswered = false;
        for (int attempt = 1; ; attempt++) {
            String reason;
            try {
                long asked = machine.nanos();
                Result result = store.append(term, head, parts, group);
                if (result.succeeded()) {
                    ledAt = asked;
                    head = new EventGroup.Head(group.last(), group.txn(), result.revision());
                    return Verdict.DURABLE;
                }
                return refused(group, result);
            } catch (EtcdException e) {
                reason = e.sentence();
                unanswered |= e.fate() == Fate.UNKNOWN;
                Verdict found = null;
                try {
                    found = e.fate() == Fate.NO_SPACE ? judge(group, ends()) : null;
                } catch (EtcdException unknown) {
                    unanswered = true;
                }
                if (found != null) {
                    return found;
                }
                if (!unanswered && e.answered()) {
                    return new Verdict(Kind.FAILED, reason);
                }
            }
            if (machine.nanos() - start > patience.toNanos()) {
                return unanswered
                        ? new Verdict(Kind.UNCERTAIN, reason + ": the change may have been made")
                        : new Verdict(Kind.FAILED, reason);
            }
            machine.park(PAUSE_NANOS * Math.min(attempt, LONGEST_PAUSE));
        }
    }

    /** Determines the outcome of a group from the keys of leader and head, after a condition was not true. */
    private Verdict refused(EventGroup group, Result result) throws ForeignException {
        Verdict verdict = judge(group, result);
        if (verdict != null) {
            return verdict;
        }
        Entry found = result.one(1);
        long end = found == null ? 0 : found.modRevision();
        if (group.parts() > 0 && end == head.revision()) {
            return new Verdict(Kind.FAILED, "etcd was restored from a backup without a part of the change");
        }
        throw new ForeignException(
                "somebody else has written to the ledger in the term of this daemon: the last event is "
                        + (found == null ? "gone" : found.text()));
    }

    /**
     * Determines the outcome of a group from the keys of leader and head.
     *
     * @return null if the term lasts and the log does not have the group
     */
    private @Nullable Verdict judge(EventGroup group, Result result) throws ForeignException {
        Entry leader = result.one(0);
        Entry entry = result.one(1);
        EventGroup.Head found = entry == null ? EventGroup.Head.NONE : EventGroup.Head.parse(entry);
        if (found.txn().equals(group.txn())) {
            head = found;
            return Verdict.DURABLE;
        }
        boolean leads = leader != null && leader.modRevision() == term;
        return leads ? null : new Verdict(Kind.ENDED, "another daemon leads now");
    }

    /** Reads the keys of leader and head. */
    private Result ends() throws EtcdException {
        Keys keys = store.keys();
        return store.read(List.of(Op.Get.one(keys.leader()), Op.Get.one(keys.head())));
    }

    /**
     * Writes a part, which counts only when the group is written: therefore an outcome that stays open counts as a failure.
     *
     * @param before the condition that the part before is in etcd
     * @return the condition that this part is in etcd; null if a condition was not true
     */
    private @Nullable Compare writePart(EventGroup group, Compare before, int number, byte[] piece, long start)
            throws EtcdException {
        while (true) {
            try {
                return store.putPiece(term, before, store.keys().parts(group.txn()), number, piece);
            } catch (EtcdException e) {
                if (e.answered() || machine.nanos() - start > patience.toNanos()) {
                    throw e;
                }
                machine.park(PAUSE_NANOS);
            }
        }
    }
}
