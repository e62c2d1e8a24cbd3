package io.muster.daemon.tls;

import io.netty.channel.Channel;

/** Receives the outcome of the handshakes on one address. A connection whose handshake is complete belongs to the listener. */
public interface HandshakeListener {
    /**
     * A peer has arrived. Called on the thread {@code network}. No more data is read from the channel until the listener requests a read, and the data that was read
     * before waits until {@link Handshakes#handOver} is called.
     */
    void arrived(Channel channel, Guest guest);

    /**
     * A handshake has failed, and the connection is being closed. Called on the thread {@code network} or {@code handshakes}.
     *
     * @param reason one word, for the metrics
     * @param sentence for the log; "" if the log has had it
     */
    void refused(String address, String reason, String sentence);

    /** The certificate of a peer that has arrived is not valid any more. Called on {@code network}, {@code handshakes} or {@code reload}. */
    void revoked(Channel channel, String why);
}
