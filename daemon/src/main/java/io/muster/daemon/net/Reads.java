package io.muster.daemon.net;

import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;

/**
 * Decides when a channel reads. The channel of a UNIX socket is on the core thread and reads as long as the connection wants
 * it to. A channel of another thread reads once for each {@link #completed}, so that the data of only one read at a time
 * waits for the core thread: data that the core thread has no time for stays in the kernel, not in a queue of tasks. Used on
 * the core thread.
 */
final class Reads {
    private final Channel channel;
    private final boolean direct;
    private boolean wanted;
    private boolean pending;

    Reads(Channel channel, EventExecutor core) {
        this.channel = channel;
        this.direct = channel.eventLoop().equals(core);
    }

    void want(boolean reads) {
        wanted = reads;
        if (direct) {
            channel.config().setAutoRead(reads);
        } else if (reads && !pending) {
            pending = true;
            channel.read();
        }
    }

    /** Called when everything that was read has been processed. */
    void completed() {
        pending = false;
        if (!direct) {
            want(wanted);
        }
    }
}
