package io.muster.daemon.etcd;

import java.io.IOException;

/** A request to etcd that was not answered with a result. */
final class EtcdException extends IOException {
    /** The known outcome of a request that failed. */
    enum Fate {
        /** The request never left this process, so it was not carried out and never will be. */
        NOT_SENT,
        /** etcd refused the request before carrying it out. */
        REFUSED,
        /** The database has reached its quota. etcd gives this answer to requests that it has carried out, too. */
        NO_SPACE,
        /** The request may have been carried out, or may be carried out later. */
        UNKNOWN
    }

    private final Fate fate;

    EtcdException(Fate fate, String sentence) {
        super(sentence);
        this.fate = fate;
    }

    EtcdException(Fate fate, String sentence, Throwable cause) {
        super(sentence, cause);
        this.fate = fate;
    }

    Fate fate() {
        return fate;
    }

    /** Returns whether etcd has answered that it does not carry out the request. */
    boolean answered() {
        return fate == Fate.REFUSED || fate == Fate.NO_SPACE;
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
