package io.muster.protocol.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * A request to cancel an earlier request (RFC 6 "Cancellation"), with the payload {@code {"matchtag": n}}. It gets no
 * response. The matchtag and the sender identify the earlier request.
 */
public record Cancellation(int matchtag) {
    private static final String MATCHTAG = "matchtag";

    /**
     * Reads a payload. Matchtags are unsigned in RFC 3, but deployed senders write large ones as negative numbers, so both
     * are accepted.
     */
    public static Cancellation parse(@Nullable Bytes payload) throws ProtocolException {
        if (payload == null) {
            throw new ProtocolException("cancellation without a payload");
        }
        JsonNode matchtag = Json.parse(payload).get(MATCHTAG);
        if (matchtag == null || !matchtag.isIntegralNumber() || !matchtag.canConvertToLong()) {
            throw new ProtocolException("cancellation without an integer \"matchtag\"");
        }
        long value = matchtag.longValue();
        if (value < Integer.MIN_VALUE || value > 0xffffffffL) {
            throw new ProtocolException("matchtag " + value + " is not one of 32 bits");
        }
        return new Cancellation((int) value);
    }

    public Bytes encode() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        return Json.encode(object.put(MATCHTAG, Integer.toUnsignedLong(matchtag)));
    }
}
