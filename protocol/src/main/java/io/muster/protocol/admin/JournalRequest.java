package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Fields;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * The payload of {@code resource.journal} that only Muster has: {@code {since}}. RFC 44 has no payload.
 *
 * @param since the sequence number of the last event that the follower has; 0 for a follower that has none
 */
public record JournalRequest(long since) {
    public static final String TOPIC = "resource.journal";

    private static final String SINCE = "since";

    /**
     * Reads a payload.
     *
     * @return null if the payload has no such key; like flux-core, the reader ignores every other payload
     * @throws RpcException EPROTO if the key has the wrong type
     */
    public static @Nullable JournalRequest parse(@Nullable Bytes payload) {
        ObjectNode json = read(payload);
        if (json == null || !json.has(SINCE)) {
            return null;
        }
        Fields in = Payload.fields(TOPIC, json);
        return new JournalRequest(in.integer(SINCE, 0, Long.MAX_VALUE));
    }

    private static @Nullable ObjectNode read(@Nullable Bytes payload) {
        try {
            return payload == null ? null : Json.parse(payload);
        } catch (ProtocolException e) {
            return null;
        }
    }

    public ObjectNode toJson() {
        return JsonNodeFactory.instance.objectNode().put(SINCE, since);
    }
}
