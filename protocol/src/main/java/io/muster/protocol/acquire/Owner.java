package io.muster.protocol.acquire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.json.Fields;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * The payload of {@code resource.acquire} that only Muster has: {@code {owner, grace?}}. RFC 28 has no payload.
 *
 * @param name the name under which the scheduler keeps its acquisition and takes it up again
 * @param grace for how many seconds the scheduler may be without a connection
 */
public record Owner(String name, double grace) {
    /**
     * Reads a payload.
     *
     * @return null if the payload names no owner; like flux-core, the reader ignores every other payload
     * @throws RpcException EPROTO if a key has the wrong type, EINVAL if a value is refused
     */
    public static @Nullable Owner parse(@Nullable Bytes payload) {
        JsonNode json = read(payload);
        if (json == null || !json.has("owner")) {
            return null;
        }
        Fields in = new Fields(
                (ObjectNode) json,
                "",
                (place, sentence) -> new RpcException(Errno.EPROTO, "resource.acquire: " + place + " " + sentence));
        Owner owner = new Owner(in.text("owner"), in.has("grace") ? in.number("grace") : Acquisition.DEFAULT_GRACE);
        String fault = Acquisition.ownerFault(owner.name);
        fault = fault == null ? Acquisition.graceFault(owner.grace) : fault;
        if (fault != null) {
            throw new RpcException(Errno.EINVAL, fault);
        }
        return owner;
    }

    private static @Nullable JsonNode read(@Nullable Bytes payload) {
        try {
            return payload == null ? null : Json.parse(payload);
        } catch (ProtocolException e) {
            return null;
        }
    }

    public ObjectNode toJson() {
        return JsonNodeFactory.instance.objectNode().put("owner", name).put("grace", grace);
    }
}
