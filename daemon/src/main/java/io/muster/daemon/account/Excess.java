package io.muster.daemon.account;

import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;

/** The refusal of a request whose user is past a limit: EAGAIN for a peer on a socket, and 429 with Retry-After over HTTP. */
public final class Excess extends RpcException {
    private final int seconds;

    Excess(String sentence, int seconds) {
        super(Errno.EAGAIN, sentence);
        this.seconds = seconds;
    }

    /** Returns after how many seconds the request may be sent again. */
    public int seconds() {
        return seconds;
    }
}
