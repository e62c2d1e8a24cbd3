package io.muster.daemon.tls;

import io.netty.channel.Channel;

/** A listener that accepts connections in TLS. The methods are called on the thread {@code network}, unless they say otherwise. */
public interface HandshakeListener {
    /**
     * A peer has arrived. No more data is read from the channel until the listener requests a read, and the data that was read
     * before waits until {@link Handshakes#handOver} is called.
     */
    void arrived(Channel channel, Guest guest);

    /**
     * A handshake has failed, and the connection is being closed.
     *
     * @param reason one word, for the metrics
     * @param sentence for the log; "" if the log has had it
     */
    void refused(String address, String reason, String sentence);

    /** The certificate of a peer that has arrived is not valid any more. Called on the thread {@code network} or {@code reload}. */
    void revoked(Channel channel, String why);
}
