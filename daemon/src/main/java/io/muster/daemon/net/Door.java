package io.muster.daemon.net;

/** A way for peers into the daemon, as the daemon closes it when it stops. */
public interface Door extends AutoCloseable {
    /** Stops accepting connections. Existing connections stay open. */
    void stopAccepting();

    /** Stops serving requests. Responses are still sent. Must be called on the core thread. */
    void stopServing();

    /** Closes all connections. */
    @Override
    void close();
}
