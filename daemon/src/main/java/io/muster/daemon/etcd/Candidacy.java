package io.muster.daemon.etcd;

import java.time.Duration;

/** Decides when this daemon tries to lead, and whether it may lead when it is elected. Used by the thread {@code ledger} only. */
final class Candidacy {
    private final Tenure tenure;
    private final Duration ttl;
    /** The number of ended terms for which the daemon has not confirmed yet that it submits nothing more. */
    private int unconfirmed;
    /** A term in which the outcome of a change stayed open: this daemon writes nothing more in this term. */
    private long abandonedTerm;
    /** The time until which this daemon lets other daemons try to lead first. */
    private long yieldUntil = System.nanoTime();

    Candidacy(Tenure tenure, Duration ttl) {
        this.tenure = tenure;
        this.ttl = ttl;
    }

    /** Lets other daemons try to lead first, because a term of this daemon has ended. */
    void ended() {
        unconfirmed++;
        yieldUntil = System.nanoTime() + ttl.toNanos();
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
        boolean may = lease != 0 && isConfirmed() && System.nanoTime() - yieldUntil >= 0;
        return may && tenure.campaign(store, lease);
    }
}
