package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.state.ChangeId;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The key {@code id} of a request for a change: a UUID that the client chose. The same request with the same id is one change, however
 * often the client sends it.
 */
public final class RequestId {
    private static final String KEY = "id";

    private RequestId() {}

    /**
     * Takes the id out of a payload; null if there is none.
     *
     * @throws RpcException EPROTO if the id is not a UUID
     */
    public static @Nullable ChangeId take(String topic, @Nullable ObjectNode payload) {
        if (payload == null || !payload.has(KEY)) {
            return null;
        }
        try {
            UUID id = ChangeId.parse(payload.remove(KEY).asText());
            return ChangeId.of(id, topic + " " + payload);
        } catch (IllegalArgumentException e) {
            throw new RpcException(Errno.EPROTO, topic + ": /" + KEY + " must be a UUID");
        }
    }

    /** Adds an id to a payload. */
    public static void give(ObjectNode payload, UUID id) {
        payload.put(KEY, id.toString());
    }
}
