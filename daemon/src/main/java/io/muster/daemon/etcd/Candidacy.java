package io.muster.daemon.etcd;

import java.util.concurrent.TimeUnit;

/** Decides when this daemon tries to lead, and whether it may lead when it is elected. Used by the thread {@code ledger} only, except {@link #allow}. */
final class Candidacy {
    /** How often a leader writes its time. */
    static final long TELL_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** How much longer than its time a lease lasts if etcd elects a leader. */
    private static final long EXTENSION_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Tenure tenure;
    private final EtcdSettings settings;
    /** The number of ended terms for which the daemon has not confirmed yet that it submits nothing more. */
    private int unconfirmed;
    /** A term in which the outcome of a change stayed open: this daemon writes nothing more in this term. */
    private long abandonedTerm;
    /** The time until which this daemon lets other daemons try to lead first. */
    private long yieldUntil;
    /** When this daemon last saw a leader. */
    private long lookedAt;
    /** The revision of the last time of a leader that this daemon has read. */
    private long read;
    /** When the leader may have written this time at the earliest. */
    private long writtenAt;
    /** The revision of the time that was compared last. */
    private long compared;
    /** The term of the leader that this daemon sees, and since when it has seen this leader. */
    private long term;

    private long seenSince;

    private boolean agrees = true;
    private volatile boolean allowed;

    Candidacy(Tenure tenure, EtcdSettings settings) {
        this.tenure = tenure;
        this.settings = settings;
        this.yieldUntil = settings.machine().nanos();
        this.lookedAt = yieldUntil - oldest();
    }

    /** Any thread may call this, when the daemon can serve. */
    void allow() {
        allowed = true;
    }

    /** The age of the time in etcd at most, while a daemon leads. */
    private long oldest() {
        return TELL_NANOS + settings.ttl().toNanos() + settings.patience().toNanos();
    }

    /**
     * Compares the clock of this daemon with that of the leader, if the leader has written its time. If the clock is wrong, this daemon lets
     * others try to lead first. It does not continue the leader's time before the leader has outlived its lease: the key may be that of a
     * backup of etcd, and the time too.
     */
    void look(Store.View view, RoleActions actions) {
        long lasting = settings.ttl().toNanos() + EXTENSION_NANOS;
        if (view.term() != term || view.asked() - lookedAt > lasting) {
            term = view.term();
            seenSince = view.asked();
        }
        Etcd.Entry clock = view.clock();
        // not ">": revisions go back if etcd is restored from a backup
        if (clock != null && clock.modRevision() != compared && clock.modRevision() > view.term()) {
            writtenAt = clock.modRevision() == read ? writtenAt : lookedAt;
            read = clock.modRevision();
            boolean lives = view.asked() - seenSince > lasting;
            compared = lives ? read : compared;
            long age = Math.min(settings.machine().nanos() - writtenAt, oldest());
            agrees = agrees(clock.text(), age, lives, actions);
        }
        lookedAt = view.asked();
        if (!agrees) {
            yieldUntil = settings.machine().nanos() + settings.ttl().toNanos();
        }
    }

    private static boolean agrees(String time, long age, boolean lives, RoleActions actions) {
        try {
            return actions.agrees(Double.parseDouble(time), age / 1e9, lives);
        } catch (NumberFormatException e) {
            return true; // somebody else wrote it
        }
    }

    /** Lets other daemons try to lead first, because a term of this daemon has ended. */
    void ended() {
        unconfirmed++;
        yieldUntil = settings.machine().nanos() + settings.ttl().toNanos();
    }

    /** Called for each term that has ended, when the daemon submits nothing more in it. */
    void confirmed() {
        unconfirmed--;
    }

    boolean isConfirmed() {
        return unconfirmed == 0;
    }

    void abandon(long term) {
        abandonedTerm = term;
    }

    boolean isAbandoned(long term) {
        return term == abandonedTerm;
    }

    /**
     * Tries to lead, if this daemon may.
     *
     * @return whether this daemon may have become the leader
     */
    boolean campaign(Store store) throws EtcdException {
        long lease = tenure.lease();
        boolean may =
                allowed && lease != 0 && isConfirmed() && settings.machine().nanos() - yieldUntil >= 0;
        return may && tenure.campaign(store, lease);
    }
}
