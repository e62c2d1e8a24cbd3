package io.muster.daemon.net;

/** The states of a connection, in the order in which they may follow each other. */
enum Lifecycle {
    /** The peer may send requests and read answers. */
    OPEN,
    /** The connection ends as soon as the peer has read what it was sent. */
    FINISHING,
    /** Everything is in the socket's buffer, and the end of the connection is behind it. */
    FINISHED,
    /** The peer has ended the connection, and changes that it asked for before are still to be made. */
    GONE,
    /** Nothing is held for the peer any more. */
    CLOSED;

    /** Returns {@code next}, which has to be a state that may follow this one. */
    Lifecycle become(Lifecycle next) {
        if (next == FINISHED ? this != FINISHING : next.compareTo(this) <= 0) {
            throw new IllegalStateException("a connection that is " + this + " cannot become " + next);
        }
        return next;
    }
}
