package io.muster.daemon.service;

import io.muster.protocol.rpc.RpcException;

/** Changes the answer of another object that replies, and passes on the rest. */
abstract class PassingReplier implements Replier {
    private final Replier reply;

    PassingReplier(Replier reply) {
        this.reply = reply;
    }

    @Override
    public final void fail(RpcException error) {
        reply.fail(error);
    }

    @Override
    public final boolean isGone() {
        return reply.isGone();
    }

    @Override
    public final void whenGone(Runnable then) {
        reply.whenGone(then);
    }
}
