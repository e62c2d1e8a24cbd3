package io.muster.daemon.relay;

import io.muster.protocol.client.TlsServer;
import io.netty.channel.ChannelHandler;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/** What a relay needs of its host. A simulator has its own host. */
interface RelayHost {
    /** Returns the executor of the relay's thread. */
    ScheduledExecutorService loop();

    /** Returns the time of a monotonic clock in nanoseconds. */
    long nanos();

    /** Finds the name of a user beside the relay's thread, and then calls {@code then} on that thread. */
    void name(int uid, Consumer<String> then);

    /**
     * Connects to a server.
     *
     * @param attempt counts the attempts: the addresses of a server are tried in turn
     * @param handler becomes the handler of the connection, and is called on the relay's thread
     * @param failed is called on the relay's thread, with the reason, if there will be no connection
     */
    void connect(TlsServer server, int attempt, ChannelHandler handler, Consumer<String> failed);
}
