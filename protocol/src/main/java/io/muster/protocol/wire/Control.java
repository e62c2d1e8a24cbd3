package io.muster.protocol.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A control message (RFC 3 "Control message type"): two integers that direct peers exchange and that are never routed. */
public record Control(Header header, int controlType, int status) implements Message {
    @Override
    public Type type() {
        return Type.CONTROL;
    }

    @Override
    public List<String> routes() {
        return List.of();
    }

    @Override
    public @Nullable String topic() {
        return null;
    }

    @Override
    public @Nullable Bytes payload() {
        return null;
    }

    @Override
    public int word3() {
        return controlType;
    }

    @Override
    public int word4() {
        return status;
    }
}
