package io.muster.daemon.account;

import java.util.Locale;

/** What an account limits. */
public enum Limit {
    BYTES,
    CONNECTIONS,
    /** Requests over HTTP that are being served, or whose answer is being read. */
    REQUESTS,
    /** Streams and waiting requests of the wire protocol. */
    STREAMS,
    /** Readers of events over HTTP. */
    READERS,
    CHANGES;

    /** Returns the word in the metrics. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
