package io.muster.daemon.core;

import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A peer that records the payloads it is sent, and that can stop reading. */
final class FakeSink implements Sink {
    final List<Bytes> payloads = new ArrayList<>();
    private final List<String> received = new ArrayList<>();
    boolean writable = true;

    @Nullable
    RpcException refusal;

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public @Nullable RpcException refusal(Bytes payload) {
        return refusal;
    }

    @Override
    public void send(Bytes payload) {
        payloads.add(payload);
        received.add(payload.text());
    }

    @Override
    public void end(RpcException reason) {
        received.add(reason.errno().name() + " " + reason.sentence());
    }

    /** Returns the payloads received since the last call. */
    List<String> received() {
        List<String> news = List.copyOf(received);
        received.clear();
        return news;
    }
}
