package io.muster.daemon.etcd;

import java.util.concurrent.TimeUnit;

/** Decides when this daemon tries to lead, and whether it may lead when it is elected. Used by the thread {@code ledger} only, except {@link #allow}. */
final class Candidacy {
    /** How often a leader writes its time. */
    static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(15);
    /** What has changed in etcd since a look that is no older than this is recent, even if etcd was restored from a backup. */
    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(15);

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
    /** The term of the leader that this daemon sees. */
    private long term;
    /** A time up to this revision may be that of a backup of etcd, like the leader's key; a later time is that of a leader that lives. */
    private long doubtful;

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
     * others try to lead first. It does not continue the leader's time before it has seen that the leader was elected or wrote its time: the
     * key may be that of a backup of etcd, and the time too.
     */
    void look(Store.View view, RoleActions actions) {
        Etcd.Entry clock = view.clock();
        long revision = clock == null ? 0 : clock.modRevision();
        boolean wasAway = view.asked() - lookedAt > RECENT_NANOS;
        if (wasAway || view.term() < term || revision < read) { // revisions go back if etcd is restored from a backup
            doubtful = revision;
        } else if (view.term() > term) {
            doubtful = view.term();
        }
        term = view.term();
        if (clock != null && revision != compared && revision > term) {
            writtenAt = revision == read ? writtenAt : lookedAt;
            read = revision;
            boolean lives = revision > doubtful;
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
