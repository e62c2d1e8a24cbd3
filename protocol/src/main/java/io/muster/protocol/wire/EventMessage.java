package io.muster.protocol.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event message (RFC 3 "Event Message Type"). The routes that flux-core adds are left out. The fourth integer of the
 * header is unused: it is written as 0 and ignored when read.
 *
 * @param sequence unsigned number that increases by one with each event
 */
public record EventMessage(
        Header header, String topic, @Nullable Bytes payload, int sequence) implements Message {
    public EventMessage {
        Parts.check("topic", topic);
    }

    @Override
    public Type type() {
        return Type.EVENT;
    }

    @Override
    public List<String> routes() {
        return List.of();
    }

    @Override
    public int word3() {
        return sequence;
    }

    @Override
    public int word4() {
        return 0;
    }
}
