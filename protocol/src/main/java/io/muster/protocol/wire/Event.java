package io.muster.protocol.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * RFC 3 "Event Message Type", without the routes that flux-core nevertheless adds. The header's fourth integer is unused:
 * written as 0 and ignored when read.
 *
 * @param sequence unsigned number that increases by one with each event
 */
public record Event(Header header, String topic, @Nullable Bytes payload, int sequence) implements Message {
    public Event {
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
