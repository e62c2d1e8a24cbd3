package io.muster.daemon.net;

/** The states of a connection, in the order in which they may follow each other. */
enum Lifecycle {
    /** The peer may send requests and read responses. */
    OPEN,
    /** The connection will be closed as soon as the peer has read everything that was sent. */
    FINISHING,
    /** Everything has been written to the socket's buffer, and the connection will be closed after it. */
    FINISHED,
    /** The peer has closed the connection, but changes that it requested before must still be made. */
    GONE,
    /** The connection is closed and nothing is held for the peer any more. */
    CLOSED;

    /** Returns {@code next}, which must be a state that may follow this one. */
    Lifecycle become(Lifecycle next) {
        if (next == FINISHED ? this != FINISHING : next.compareTo(this) <= 0) {
            throw new IllegalStateException("a connection that is " + this + " cannot become " + next);
        }
        return next;
    }
}
