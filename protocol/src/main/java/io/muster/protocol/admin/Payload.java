package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Fields;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;

/**
 * Makes {@link Fields} of payloads, from which all requests are read: a fault is refused with EPROTO, and the sentence names the topic and
 * the place.
 */
public final class Payload {
    private Payload() {}

    public static Fields fields(String topic, ObjectNode payload) {
        return new Fields(
                payload,
                "",
                (place, sentence) -> new RpcException(Errno.EPROTO, topic + ": " + place + " " + sentence));
    }
}
